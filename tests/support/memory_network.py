"""A network inside one process: no sockets, no system, any clock."""

import itertools
from collections.abc import Callable

import trio
import trio.testing

from p2p_hoity.coded_errors import because
from p2p_hoity.net.addresses import Address
from p2p_hoity.net.network_errors import NetCode, NetError, NobodyError
from p2p_hoity.net.transport import StreamListener

Pair = tuple[trio.abc.Stream, trio.abc.Stream]


class MemoryNetwork:
    """Machines are names; every stream is a pair of buffers made by make_pair.

    Who opens one is seen as the machine `caller`, each time from another port.
    """

    def __init__(
        self,
        make_pair: Callable[[], Pair] = trio.testing.memory_stream_pair,
        caller: str = "caller",
    ) -> None:
        self._make_pair = make_pair
        self.caller = caller
        self._listeners: dict[tuple[str, int], MemoryListener] = {}
        self._free_ports = itertools.count(40000)
        self._callers = itertools.count(1)

    async def open(self, address: Address) -> trio.abc.Stream:
        """A stream to the listener at address; NetError when there is none."""
        return await self.open_from(Address(self.caller, next(self._callers) % 60000 + 1), address)

    async def open_from(self, seen: Address, address: Address) -> trio.abc.Stream:
        """The same, from where the listener sees it come."""
        await trio.lowlevel.checkpoint()
        listener = self._listeners.get((address.host, address.port))
        if listener is None:
            nobody = because(NetCode.NOBODY_LISTENS)
            raise NobodyError(NetCode.UNREACHED, address=str(address), why=nobody)
        near, far = self._make_pair()
        listener.connect(far, seen)
        return near

    def outlet(self) -> None:
        """None: nobody here has a port of its own to go out by."""

    async def listen(self, host: str, port: int) -> list[StreamListener]:
        """One listener; NetError when it is taken."""
        await trio.lowlevel.checkpoint()
        place = (host, port or next(self._free_ports))
        if place in self._listeners:
            taken = because(NetCode.PORT_IN_USE)
            raise NetError(NetCode.CANNOT_LISTEN, address=str(Address(*place)), why=taken)
        self._listeners[place] = listener = MemoryListener(
            Address(*place), lambda: self._listeners.pop(place, None)
        )
        return [listener]


class MemoryListener:
    """One place where streams come in."""

    def __init__(self, address: Address, shut: Callable[[], object]) -> None:
        self._address = address
        self._shut = shut
        self._calls, self._coming = trio.open_memory_channel[tuple[trio.abc.Stream, Address]](1024)

    @property
    def address(self) -> Address:
        """Where it listens."""
        return self._address

    def connect(self, stream: trio.abc.Stream, caller: Address) -> None:
        """Hand a stream in; trio.WouldBlock when a thousand wait already."""
        self._calls.send_nowait((stream, caller))

    async def accept(self) -> tuple[trio.abc.Stream, Address]:
        """The next stream and who calls."""
        try:
            return await self._coming.receive()
        except (trio.EndOfChannel, trio.ClosedResourceError):
            raise NetError(NetCode.NOT_LISTENING) from None

    async def aclose(self) -> None:
        """Listen no more."""
        self._calls.close()
        self._shut()
        await trio.lowlevel.checkpoint()
