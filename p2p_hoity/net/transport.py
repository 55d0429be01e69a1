"""Streams of bytes and the frames in them: what a hub needs of a network.

A header of four bytes whose highest bit is set is not a length: it tells how much its sender has
read. A network may also be limited to relays, for a player whose address no other seat may learn.

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

from protocol.bounds import Seconds

from ..coded_errors import NetworkCode, SystemCode, because
from .addresses import Address, Named, may_dial, parse_address
from .network_errors import TROUBLE, NetCode, NetError, NobodyError, trouble_is

HEADER = 4
HEAD: Final = 16
"""Bytes at the beginning of a frame that say of which kind it is, and so how long it may be."""
OVERHEAD: Final = 1024
"""Bytes for which each read, frame, heartbeat and mark counts beside its own: each of them takes a
reader about as much time as so many bytes do."""
MARK: Final = 1 << 31
"""Above every length: what is added to the bytes that were read, which are counted modulo it."""


class FrameCode(NetworkCode):
    """What can go wrong while frames are read."""

    OVERSIZED = "frame-too-large", "it announced a frame of {length} bytes, more than {most}"
    ENDED = "connection-ended", "it closed the connection"


class OversizedFrame(NetError):
    """A frame longer than the cap was announced."""


def encode_frame(data: bytes) -> bytes:
    """The frame that carries data; empty data make a heartbeat."""
    return len(data).to_bytes(HEADER, "big") + data


def encode_read(read: int) -> bytes:
    """What tells the other end that so many bytes of it were read ([L-24])."""
    return (MARK + read % MARK).to_bytes(HEADER, "big")


def _checked_length(header: bytes | bytearray, most: int) -> int:
    length = int.from_bytes(header[:HEADER], "big")
    if length > most:
        raise OversizedFrame(FrameCode.OVERSIZED, length=length, most=most)
    return length


@dataclass(eq=False)
class FrameBuffer:
    """Cuts a byte stream into frames; holds at most one unfinished frame and one chunk ([L-3]).

    Attributes:
        most: The longest frame of all, in bytes.
        told_read: Is given what the other end says that it has read. None: it may not say so.
        longest: Returns the longest length, in bytes, of a frame that begins with these bytes.
    """

    most: int
    told_read: Callable[[int], object] | None = None
    longest: Callable[[bytes], int] | None = None
    _bytes: bytearray = field(default_factory=bytearray, repr=False)

    def feed(self, chunk: bytes | bytearray) -> Iterator[bytes]:
        """Yield every frame that chunk completes, and b"" for each heartbeat and each mark.

        Run the iterator to its end before feeding again.

        Raises:
            OversizedFrame: a frame is longer than any may be, or than one of its kind may be. That
                is found before the rest of the frame is here.
        """
        self._bytes += chunk
        while len(self._bytes) >= HEADER:
            if self.told_read is not None and self._bytes[0] & 0x80:
                self.told_read(int.from_bytes(self._bytes[:HEADER], "big") - MARK)
                del self._bytes[:HEADER]
                yield b""
                continue
            end = HEADER + _checked_length(self._bytes, self.most)
            if self.longest is not None and len(self._bytes) >= min(end, HEADER + HEAD):
                head = bytes(self._bytes[HEADER : min(end, HEADER + HEAD)])
                _checked_length(self._bytes, self.longest(head))
            if len(self._bytes) < end:
                return
            data = bytes(self._bytes[HEADER:end])
            del self._bytes[:end]
            yield data


async def read_frame(stream: trio.abc.ReceiveStream, most: int) -> bytes:
    """Exactly one frame and no byte beyond it; NetError when the stream ends or it is too long."""
    header = await _read_exactly(stream, HEADER)
    return await _read_exactly(stream, _checked_length(header, most))


async def _read_exactly(stream: trio.abc.ReceiveStream, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        chunk = await stream.receive_some(size - len(data))
        if not chunk:
            raise NetError(FrameCode.ENDED)
        data += chunk
    return bytes(data)


OUT_OF_SOCKETS: Final[Seconds] = 0.1
"""Seconds without taking connections where the system has no sockets left."""
_EVERYWHERE = ("0.0.0.0", "::")
_NO_KIND = {errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL, errno.EPROTONOSUPPORT}
_EXHAUSTED = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}


class StreamListener(Protocol):
    """One open listening place."""

    @property
    def address(self) -> Address:
        """Where it really listens."""
        ...

    async def accept(self) -> tuple[trio.abc.Stream, Address]:
        """The next connection and where it comes from; NetError when the listener is shut."""
        ...

    async def aclose(self) -> None:
        """Listen no more."""
        ...


class Outlet(Protocol):
    """One port of this machine from which several streams go out, each to another place: a NAT
    that knows the port by the first lets answers to it in on the others' account."""

    async def open(self, address: Address) -> trio.abc.Stream:
        """A stream to address from this port; NetError says what failed."""
        ...


class Network(Protocol):
    """What carries byte streams: the real TCP, or one in memory for simulations."""

    async def open(self, address: Address) -> trio.abc.Stream:
        """A stream to the machine and port of address; NetError says what failed."""
        ...

    async def listen(self, host: str, port: int) -> list[StreamListener]:
        """Listeners on host ('' is every address of this machine) and port (0: any free one)."""
        ...

    def outlet(self) -> Outlet | None:
        """A fresh outlet; None where streams cannot choose their port, as behind a proxy."""
        ...


class TcpOutlet:
    """A TCP port that goes out to several places; its family is that of the first."""

    def __init__(self) -> None:
        """No port yet."""
        self._family: int = socket.AF_UNSPEC
        self._port = 0

    async def open(self, address: Address) -> trio.abc.Stream:
        """A TCP stream; NetError says what failed, NobodyError that there is nobody to dial."""
        with trouble_is(NetCode.UNREACHED, address=str(address)):
            family, where = await _checked(address, self._family)
            return await self._connected(family, where)

    async def _connected(self, family: int, where: Any) -> trio.SocketStream:
        made = trio.socket.socket(family, socket.SOCK_STREAM)
        is_open = False
        try:
            for option in ("SO_REUSEADDR", "SO_REUSEPORT"):  # the second is not everywhere
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
    """TCP through trio."""

    async def open(self, address: Address) -> trio.abc.Stream:
        """A TCP stream; NetError says what failed."""
        with trouble_is(NetCode.UNREACHED, address=str(address)):
            if address.named is Named.BY_US:
                return await trio.open_tcp_stream(address.host, address.port)
            _, where = await _checked(address)
            return await trio.open_tcp_stream(str(where[0]), address.port)

    async def listen(self, host: str, port: int) -> list[StreamListener]:
        """Bound and listening TCP sockets; NetError says what failed."""
        listeners: list[StreamListener] = []
        failed: NetError | None = None
        for place in _EVERYWHERE if host in ("", "*") else (host,):
            try:
                listeners += await self._listen_on(place, port)
            except NetError as error:
                # One kind of address is enough; with neither, or a port taken, it is not.
                failed = error
                if not (listeners and place == "::") and not _lacks_the_kind(error, place):
                    await close_listeners(listeners)
                    raise
            port = listeners[0].address.port if listeners else port
        if not listeners:
            where, none = str(Address(host, port)), because(SystemCode.REFUSED)
            raise failed or NetError(NetCode.CANNOT_LISTEN, address=where, why=none)
        return listeners

    def outlet(self) -> Outlet:
        """A fresh TCP port for several streams."""
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
    """Have each connection of a listener attended until the listener is shut, and shut it then.

    Args:
        listener: Accepts the connections.
        nursery: Where each of them is attended.
        attend: Attends one, given its stream and where it comes from.
    """
    try:
        while True:
            nursery.start_soon(attend, *await listener.accept())
    except NetError:
        return
    finally:
        await close_listeners([listener])


async def close_listeners(listeners: list[StreamListener]) -> None:
    """Shut every one of them."""
    with trio.CancelScope(shield=True):  # closing a listener never waits
        for listener in listeners:
            await listener.aclose()


def _lacks_the_kind(error: NetError, place: str) -> bool:
    """Whether this machine has no IPv4 at all, so that IPv6 may do."""
    cause = error.__cause__
    known = isinstance(cause, OSError) and cause.errno in _NO_KIND
    return place == _EVERYWHERE[0] and known


async def _checked(address: Address, family: int = socket.AF_UNSPEC) -> tuple[int, Any]:
    """The family and the place of what another peer named, if it may be dialled; NetError if not.

    SPEC: [L-14].
    """
    host, port, kind = address.host, address.port, socket.SOCK_STREAM
    for found, *_, where in await trio.socket.getaddrinfo(host, port, family, kind):
        if may_dial(str(where[0]), address.named):
            return found, where
    raise NobodyError(NetCode.NOT_DIALLED, address=str(address))


class TcpListener:
    """One listening TCP socket."""

    def __init__(self, listener: trio.SocketListener) -> None:
        self._listener = listener
        host, port = listener.socket.getsockname()[:2]
        self.address = Address(host, port)
        """Where it really listens, the port chosen by the system included."""

    async def accept(self) -> tuple[trio.abc.Stream, Address]:
        """The next connection; waits while the system has no room; NetError when shut."""
        while True:
            try:
                stream = await self._listener.accept()
                host, port = stream.socket.getpeername()[:2]
            except trio.ClosedResourceError as error:
                raise NetError(NetCode.DOOR_SHUT) from error
            except OSError as error:
                if error.errno in _EXHAUSTED:
                    await trio.sleep(OUT_OF_SOCKETS)  # others may give theirs back
                continue  # this one caller is gone already
            return stream, Address(host, port)

    async def aclose(self) -> None:
        """Listen no more."""
        await self._listener.aclose()


async def cut(stream: trio.abc.AsyncResource) -> None:
    """Close a stream at once, whatever state it is in, also while being cancelled."""
    # This is shielded, or being cancelled would end it before the next stream is closed. A stream
    # that was broken already counts as closed.
    with suppress(*TROUBLE), trio.CancelScope(shield=True):
        await trio.aclose_forcefully(stream)


class RelayedNetwork:
    """A network on which the relays that the player has named are dialled, and nothing else.

    All that a hub does passes here, so whatever another seat names, a relay of its own included,
    gets no connection from this machine ([L-58]).
    """

    def __init__(self, network: Network, relays: Iterable[str]) -> None:
        """`network` carries the streams; `relays` are 'host:port'."""
        self._network = network
        self._places = {(one.host, one.port) for one in map(parse_address, relays)}

    async def open(self, address: Address) -> trio.abc.Stream:
        """Open a stream to one of the relays; NobodyError for any other place, NetError if it
        cannot be reached."""
        if (address.host, address.port) not in self._places:
            await trio.lowlevel.checkpoint()
            raise NobodyError(NetCode.NOT_BY_RELAY, address=str(address))
        return await self._network.open(replace(address, named=Named.BY_US))

    async def listen(self, host: str, port: int) -> list[StreamListener]:
        """Raise NetError: whoever listens can be found."""
        await trio.lowlevel.checkpoint()
        raise NetError(NetCode.NOT_BY_RELAY, address=str(Address(host, port)))

    def outlet(self) -> None:
        """Give none: two who meet directly tell each other where they are."""
