"""Streams of bytes, frames in them, and the networks that open and accept streams.

A frame has a header of four bytes with its length. If the highest bit of a header is set, it is not
a length, but a report how many bytes its sender has read. A frame without data is a heartbeat. A
network may be limited to relays, for a player who does not want other seats to learn an address.

SPEC: section 13.1.
"""

from __future__ import annotations

import errno
import socket
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol

import trio

from protocol.units import Seconds

from ..coded_errors import NetworkCode, SystemCode, because
from .addresses import Address, Named, may_dial, relay_address
from .exception_reasons import TROUBLE, trouble_is
from .network_errors import NetCode, NetError, NobodyError

HEADER = 4
"""Bytes of the header of a frame."""
HEAD: Final = 16
"""Bytes at the beginning of a frame that show its kind, which decides how long it may be."""
OVERHEAD: Final = 1024
"""Bytes that each read, frame, heartbeat and report counts for, in addition to its own length.

Handling one of these takes about as much time as handling so many bytes.
"""
MARK: Final = 1 << 31
"""The highest bit of a frame's header, which marks a report. The rest is the number modulo MARK."""


class FrameCode(NetworkCode):
    """The reasons why frames cannot be read from a stream."""

    OVERSIZED = (
        "frame-too-large",
        ("the other program announced a frame of {length} bytes, which is more than {most}"),
    )
    ENDED = "connection-ended", "the other program closed the connection"


class OversizedFrame(NetError):
    """An error: the header of a frame announces more bytes than are allowed."""


def encode_frame(data: bytes) -> bytes:
    """Return a frame with its header."""
    return len(data).to_bytes(HEADER, "big") + data


def encode_read(read: int) -> bytes:
    """Encode a report that so many bytes were read since the link began ([L-24])."""
    return (MARK + read % MARK).to_bytes(HEADER, "big")


def _checked_length(header: bytes | bytearray, most: int) -> int:
    """Return the length in a frame's header. Raise OversizedFrame if it is above `most`."""
    # With its mark, so that a report where none is allowed counts as an oversized frame.
    length = int.from_bytes(header[:HEADER], "big")
    if length > most:
        raise OversizedFrame(FrameCode.OVERSIZED, length=length, most=most)
    return length


@dataclass(eq=False)
class FrameBuffer:
    """A parser that cuts a stream of bytes into frames ([L-3]).

    At most one unfinished frame and one chunk are stored.

    Attributes:
        most: The most bytes of any frame.
        told_read: Is called with the number in each report. None to treat reports as frames that
            are too long.
        longest: Returns the most bytes of a frame that begins with the given bytes. None if only
            `most` counts.
    """

    most: int
    told_read: Callable[[int], object] | None = None
    longest: Callable[[bytes], int] | None = None
    _bytes: bytearray = field(default_factory=bytearray, repr=False)

    def feed(self, chunk: bytes | bytearray) -> Iterator[bytes]:
        """Yield every frame that a chunk completes, and b"" for each heartbeat and report.

        Take all items before the next call. An OversizedFrame is raised as soon as a frame is seen
        to be longer than `most`, or than `longest` returns for its first bytes.
        """
        self._bytes += chunk
        while len(self._bytes) >= HEADER:
            if self.told_read is not None and self._bytes[0] & 0x80:
                self.told_read(int.from_bytes(self._bytes[:HEADER], "big") - MARK)
                del self._bytes[:HEADER]
                yield b""
                continue
            # Before the rest has come: a header alone must not make this program collect gigabytes.
            end = HEADER + _checked_length(self._bytes, self.most)
            if self.longest is not None and len(self._bytes) >= min(end, HEADER + HEAD):
                # As soon as the kind is known: a longer frame than it allows must not be collected
                # first.
                head = bytes(self._bytes[HEADER : min(end, HEADER + HEAD)])
                _checked_length(self._bytes, self.longest(head))
            if len(self._bytes) < end:
                return
            data = bytes(self._bytes[HEADER:end])
            del self._bytes[:end]
            yield data


async def read_frame(stream: trio.abc.ReceiveStream, most: int) -> bytes:
    """Read exactly one frame, and no byte after it. Raise NetError if there is none."""
    header = await read_exactly(stream, HEADER)
    return await read_exactly(stream, _checked_length(header, most))


async def read_exactly(stream: trio.abc.ReceiveStream, size: int) -> bytes:
    """Read exactly so many bytes.

    Raises:
        NetError: If the stream ends before.
    """
    data = bytearray()
    while len(data) < size:
        # Not a byte more: what follows belongs to whoever reads the stream next.
        chunk = await stream.receive_some(size - len(data))
        if not chunk:
            raise NetError(FrameCode.ENDED)
        data += chunk
    return bytes(data)


OUT_OF_SOCKETS: Final[Seconds] = 0.1
"""Seconds to wait before accepting again after a failure, as when there are no sockets left."""
_EVERYWHERE = ("0.0.0.0", "::")
_NO_KIND = {errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL, errno.EPROTONOSUPPORT}


class StreamListener(Protocol):
    """A listener that accepts connections at one address."""

    @property
    def address(self) -> Address:
        """The address at which the listener really listens, with the port that was chosen."""
        ...

    async def accept(self) -> tuple[trio.abc.Stream, Address]:
        """Wait for the next connection. A NetError is raised when the listener is closed.

        Returns:
            The stream, and the address from which the connection comes.
        """
        ...

    async def aclose(self) -> None:
        """Stop listening."""
        ...


class Outlet(Protocol):
    """A local port from which several streams can be opened.

    Hole punching needs this. After the first outgoing stream, a NAT may let other computers connect
    to the same port.
    """

    async def open(self, address: Address) -> trio.abc.Stream:
        """Open a stream from this port. A NetError is raised if it fails.

        Args:
            address: The address to connect to.

        Returns:
            The stream.
        """
        ...


class Network(Protocol):
    """A network that opens and accepts streams: TCP, or a simulated one in memory."""

    async def open(self, address: Address) -> trio.abc.Stream:
        """Open a stream. A NetError is raised if it fails.

        Args:
            address: The address to connect to.

        Returns:
            The stream.
        """
        ...

    async def listen(self, host: str, port: int) -> list[StreamListener]:
        """Listen at an address. A NetError is raised if that fails.

        Args:
            host: The address, or '' for every address of this computer.
            port: The port, or 0 for a free one.

        Returns:
            The listeners.
        """
        ...

    def outlet(self) -> Outlet | None:
        """Return a local port from which several streams can be opened, as hole punching needs it.

        Returns:
            The port. None if the local port of a stream cannot be chosen, as behind a proxy.
        """
        ...


class TcpOutlet:
    """A local TCP port from which several streams can be opened, all of one address family."""

    def __init__(self) -> None:
        """Create an outlet without a port. Its port is chosen when the first stream is opened."""
        self._family: int = socket.AF_UNSPEC
        self._port = 0

    async def open(self, address: Address) -> trio.abc.Stream:
        """Open a TCP stream from this port, if the address may be dialled."""
        with trouble_is(NetCode.UNREACHED, address=str(address)):
            family, where = await _checked(address, self._family)
            return await self._connected(family, where)

    async def _connected(self, family: int, where: Any) -> trio.SocketStream:
        """Open a stream from this outlet's port to the socket address `where`."""
        made = trio.socket.socket(family, socket.SOCK_STREAM)
        is_open = False
        try:
            # Without them the second stream could not be bound to the port of the first.
            for option in ("SO_REUSEADDR", "SO_REUSEPORT"):  # Not every system has the second one.
                if hasattr(socket, option):
                    made.setsockopt(socket.SOL_SOCKET, getattr(socket, option), 1)
            await made.bind(("", self._port))
            self._family, self._port = family, made.getsockname()[1]
            await made.connect(where)
            is_open = True
        finally:
            if not is_open:
                made.close()
        return trio.SocketStream(made)


class TcpNetwork:
    """The network that opens and accepts TCP streams from this computer, by trio."""

    async def open(self, address: Address) -> trio.abc.Stream:
        """Open a TCP stream. A NetError is raised if it fails."""
        with trouble_is(NetCode.UNREACHED, address=str(address)):
            if address.named is Named.BY_US:
                return await trio.open_tcp_stream(address.host, address.port)
            # The checked result is dialled, not the name: a second look-up could give another
            # address.
            _, where = await _checked(address)
            return await trio.open_tcp_stream(str(where[0]), address.port)

    async def listen(self, host: str, port: int) -> list[StreamListener]:
        """Listen on TCP sockets.

        Raises:
            NetError: If the address and port cannot be listened on.
        """
        listeners: list[StreamListener] = []
        failed: NetError | None = None
        for place in _EVERYWHERE if host in ("", "*") else (host,):
            try:
                listeners += await self._listen_on(place, port)
            except NetError as error:
                # IPv4 alone is enough, in whatever way IPv6 (which is tried last) fails. A kind of
                # address that this computer lacks is left out, too.
                failed = error
                if not (listeners and place == "::") and not _lacks_the_kind(error, place):
                    await close_listeners(listeners)
                    raise
            # The port that the system has given for IPv4 is asked for with IPv6, too.
            port = listeners[0].address.port if listeners else port
        if not listeners:
            where, none = str(Address(host, port)), because(SystemCode.REFUSED)
            raise failed or NetError(NetCode.CANNOT_LISTEN, address=where, why=none)
        return listeners

    def outlet(self) -> Outlet:
        """Return a local TCP port for several streams. It is bound when the first one is opened."""
        return TcpOutlet()

    async def _listen_on(self, host: str, port: int) -> list[StreamListener]:
        with trouble_is(NetCode.CANNOT_LISTEN, address=str(Address(host, port))):
            listeners = await trio.open_tcp_listeners(port, host=host, backlog=128)
        return [TcpListener(listener) for listener in listeners]


async def attend_all(
    listener: StreamListener,
    nursery: trio.Nursery,
    attend: Callable[[trio.abc.Stream, Address], Awaitable[None]],
) -> None:
    """Accept connections and serve each by `attend`, until `accept` fails. Close the listener."""
    try:
        while True:
            nursery.start_soon(attend, *await listener.accept())
    except NetError:
        return
    finally:
        await close_listeners([listener])


async def close_listeners(listeners: list[StreamListener]) -> None:
    """Close listeners, even if this task is cancelled."""
    with trio.CancelScope(shield=True):  # Closing a listener never waits.
        for listener in listeners:
            await listener.aclose()


def _lacks_the_kind(error: NetError, place: str) -> bool:
    """Return whether listening failed because this computer has no IPv4. IPv6 may still work."""
    cause = error.__cause__
    known = isinstance(cause, OSError) and cause.errno in _NO_KIND
    return place == _EVERYWHERE[0] and known


async def _checked(address: Address, family: int = socket.AF_UNSPEC) -> tuple[int, Any]:
    """Resolve an address that a peer has named, and check that it may be dialled ([L-14]).

    Return the address family and the socket address. Raise NobodyError if no result may be dialled.
    """
    host, port, kind = address.host, address.port, socket.SOCK_STREAM
    for found, *_, where in await trio.socket.getaddrinfo(host, port, family, kind):
        if may_dial(str(where[0]), address.named):
            return found, where
    raise NobodyError(NetCode.NOT_DIALLED, address=str(address))


class TcpListener:
    """A listening TCP socket. Its address has the port that the system has chosen."""

    def __init__(self, listener: trio.SocketListener) -> None:
        self._listener = listener
        host, port = listener.socket.getsockname()[:2]
        self.address = Address(host, port)

    async def accept(self) -> tuple[trio.abc.Stream, Address]:
        """Wait for the next connection, and return its stream and from where it comes.

        Raises:
            NetError: When the listener is closed.
        """
        while True:
            try:
                stream = await self._listener.accept()
            except trio.ClosedResourceError as error:
                raise NetError(NetCode.NOT_LISTENING) from error
            except OSError:
                # Others may release their sockets. An error that lasts must not fill a core.
                await trio.sleep(OUT_OF_SOCKETS)
                continue
            try:
                host, port = stream.socket.getpeername()[:2]
            except OSError:  # This caller is gone already.
                await cut(stream)
                continue
            return stream, Address(host, port)

    async def aclose(self) -> None:
        """Stop listening."""
        await self._listener.aclose()


async def cut(stream: trio.abc.AsyncResource) -> None:
    """Close a stream at once, in whatever state it is, and even if this task is cancelled."""
    # Without the shield a cancelled task would not close its next stream. A broken stream counts
    # as closed.
    with suppress(*TROUBLE), trio.CancelScope(shield=True):
        await trio.aclose_forcefully(stream)


class RelayedNetwork:
    """A network that connects only to the relays of the player.

    So this computer does not connect to any address that another seat names, not even to that
    seat's relay ([L-58]).
    """

    def __init__(self, network: Network, relays: Iterable[str]) -> None:
        """Limit a network to some relays, 'host:port'."""
        self._network = network
        # Without the scheme, because a relay is named with and without 'relay+'.
        self._places = {(one.host, one.port) for one in map(relay_address, relays)}

    async def open(self, address: Address) -> trio.abc.Stream:
        """Open a stream to one of the relays.

        Raises:
            NobodyError: If the address is not a relay of the player.
        """
        if (address.host, address.port) not in self._places:
            # A caller that tries again and again must let other tasks run.
            await trio.lowlevel.checkpoint()
            raise NobodyError(NetCode.NOT_BY_RELAY, address=str(address))
        # The player has typed this relay, which may be in a private network, whoever names it now.
        return await self._network.open(replace(address, named=Named.BY_US))

    async def listen(self, host: str, port: int) -> list[StreamListener]:
        """Refuse to listen, because others could find the listener and so this computer's address.

        Raises:
            NetError: Always.
        """
        await trio.lowlevel.checkpoint()
        raise NetError(NetCode.NOT_BY_RELAY, address=str(Address(host, port)))

    def outlet(self) -> None:
        """Return None, because hole punching would tell the other peer this computer's address."""
