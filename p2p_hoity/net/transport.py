"""Streams of bytes, frames in them, and the networks that open and accept streams.

If the highest bit of a frame's header of four bytes is set, it is no length but reports how many
bytes its sender has read. A network may also be limited to relays, for a player who does not want
other seats to learn an address.

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
"""Bytes of the header of a frame."""
HEAD: Final = 16
"""Bytes at the beginning of a frame that tell its kind, and so how long it may be."""
OVERHEAD: Final = 1024
"""Bytes that each read, frame, heartbeat and mark counts for beside its own.

Handling each of them takes about as much time as so many bytes.
"""
MARK: Final = 1 << 31
"""A number above every length.

It is added to the number of bytes that were read, which is counted modulo it.
"""


class FrameCode(NetworkCode):
    """Reasons why frames cannot be read."""

    OVERSIZED = (
        "frame-too-large",
        ("the other program announced a frame of {length} bytes, which is more than {most}"),
    )
    ENDED = "connection-ended", "the other program closed the connection"


class OversizedFrame(NetError):
    """A frame was announced that is longer than allowed."""


def encode_frame(data: bytes) -> bytes:
    """Return the encoding of a frame.

    Args:
        data: The frame. Empty data make a heartbeat.

    Returns:
        The header and the data.
    """
    return len(data).to_bytes(HEADER, "big") + data


def encode_read(read: int) -> bytes:
    """Return the report to the other end how many of its bytes were read ([L-24]).

    Args:
        read: The number of bytes.

    Returns:
        The bytes.
    """
    return (MARK + read % MARK).to_bytes(HEADER, "big")


def _checked_length(header: bytes | bytearray, most: int) -> int:
    """Return the length in a header, or raise OversizedFrame."""
    length = int.from_bytes(header[:HEADER], "big")
    if length > most:
        raise OversizedFrame(FrameCode.OVERSIZED, length=length, most=most)
    return length


@dataclass(eq=False)
class FrameBuffer:
    """A parser that cuts a stream of bytes into frames ([L-3]).

    It holds at most one unfinished frame and one chunk.

    Attributes:
        most: The length of the longest frame of all, in bytes.
        told_read: Receives the number of bytes that the other end reports to have read. If it is
            None, such a report is not allowed.
        longest: Returns the longest length, in bytes, of a frame that begins with these bytes.
    """

    most: int
    told_read: Callable[[int], object] | None = None
    longest: Callable[[bytes], int] | None = None
    _bytes: bytearray = field(default_factory=bytearray, repr=False)

    def feed(self, chunk: bytes | bytearray) -> Iterator[bytes]:
        """Yield every frame that a chunk completes, and b"" for each heartbeat and each report.

        Run the iterator to its end before feeding again.

        Args:
            chunk: The bytes that were received.

        Yields:
            The frames. An OversizedFrame is raised for a frame that is longer than any may be, or
            than one of its kind may be, before the rest of it has arrived.
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
    """Read exactly one frame and no byte beyond it.

    Args:
        stream: The stream.
        most: The length that the frame may have.

    Returns:
        The frame. A NetError is raised if the stream ends or the frame is too long.
    """
    header = await _read_exactly(stream, HEADER)
    return await _read_exactly(stream, _checked_length(header, most))


async def _read_exactly(stream: trio.abc.ReceiveStream, size: int) -> bytes:
    """Read a number of bytes, or raise NetError if the stream ends."""
    data = bytearray()
    while len(data) < size:
        chunk = await stream.receive_some(size - len(data))
        if not chunk:
            raise NetError(FrameCode.ENDED)
        data += chunk
    return bytes(data)


OUT_OF_SOCKETS: Final[Seconds] = 0.1
"""Seconds without accepting connections when the system has no sockets left."""
_EVERYWHERE = ("0.0.0.0", "::")
_NO_KIND = {errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL, errno.EPROTONOSUPPORT}
_EXHAUSTED = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}


class StreamListener(Protocol):
    """A place at which connections are accepted."""

    @property
    def address(self) -> Address:
        """The address at which it really listens."""
        ...

    async def accept(self) -> tuple[trio.abc.Stream, Address]:
        """Wait for the next connection. A NetError is raised when the listener is closed.

        Returns:
            The stream, and where it comes from.
        """
        ...

    async def aclose(self) -> None:
        """Stop listening."""
        ...


class Outlet(Protocol):
    """A port of this machine from which streams lead to several places.

    A NAT that knows the port by the first stream may let others in to it.
    """

    async def open(self, address: Address) -> trio.abc.Stream:
        """Open a stream from this port. A NetError is raised if it fails.

        Args:
            address: Where to connect.

        Returns:
            The stream.
        """
        ...


class Network(Protocol):
    """A network that carries streams of bytes: TCP, or one in memory for simulations."""

    async def open(self, address: Address) -> trio.abc.Stream:
        """Open a stream. A NetError is raised if it fails.

        Args:
            address: Where to connect.

        Returns:
            The stream.
        """
        ...

    async def listen(self, host: str, port: int) -> list[StreamListener]:
        """Listen at an address. A NetError is raised if that fails.

        Args:
            host: The address, or '' for every address of this machine.
            port: The port, or 0 for a free one.

        Returns:
            The listeners.
        """
        ...

    def outlet(self) -> Outlet | None:
        """Return a fresh outlet.

        Returns:
            The outlet. None where streams cannot choose their port, as behind a proxy.
        """
        ...


class TcpOutlet:
    """A TCP port from which streams lead to several places, all of one address family."""

    def __init__(self) -> None:
        """Begin without a port."""
        self._family: int = socket.AF_UNSPEC
        self._port = 0

    async def open(self, address: Address) -> trio.abc.Stream:
        """Open a TCP stream from this port.

        Args:
            address: Where to connect.

        Returns:
            The stream. A NetError is raised if it fails, and a NobodyError if the address may not
            be dialled.
        """
        with trouble_is(NetCode.UNREACHED, address=str(address)):
            family, where = await _checked(address, self._family)
            return await self._connected(family, where)

    async def _connected(self, family: int, where: Any) -> trio.SocketStream:
        """Open a stream from the port, or from a free one the first time."""
        made = trio.socket.socket(family, socket.SOCK_STREAM)
        is_open = False
        try:
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
    """TCP through trio."""

    async def open(self, address: Address) -> trio.abc.Stream:
        """Open a TCP stream. A NetError is raised if it fails.

        Args:
            address: Where to connect.

        Returns:
            The stream.
        """
        with trouble_is(NetCode.UNREACHED, address=str(address)):
            if address.named is Named.BY_US:
                return await trio.open_tcp_stream(address.host, address.port)
            _, where = await _checked(address)
            return await trio.open_tcp_stream(str(where[0]), address.port)

    async def listen(self, host: str, port: int) -> list[StreamListener]:
        """Listen on TCP sockets.

        Args:
            host: The address, or '' for every address of this machine.
            port: The port, or 0 for a free one.

        Returns:
            The listeners.

        Raises:
            NetError: If that fails.
        """
        listeners: list[StreamListener] = []
        failed: NetError | None = None
        for place in _EVERYWHERE if host in ("", "*") else (host,):
            try:
                listeners += await self._listen_on(place, port)
            except NetError as error:
                # One kind of address is enough, unless the port is in use.
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
        """Return a fresh TCP port for several streams.

        Returns:
            The port.
        """
        return TcpOutlet()

    async def _listen_on(self, host: str, port: int) -> list[StreamListener]:
        """Listen on one address."""
        with trouble_is(NetCode.CANNOT_LISTEN, address=str(Address(host, port))):
            listeners = await trio.open_tcp_listeners(port, host=host, backlog=128)
        return [TcpListener(listener) for listener in listeners]


async def attend_all(
    listener: StreamListener,
    nursery: trio.Nursery,
    attend: Callable[[trio.abc.Stream, Address], Awaitable[None]],
) -> None:
    """Serve each connection of a listener until the listener is closed.

    Args:
        listener: Accepts the connections.
        nursery: Runs the service of each of them.
        attend: Serves one, given its stream and where it comes from.
    """
    try:
        while True:
            nursery.start_soon(attend, *await listener.accept())
    except NetError:
        return
    finally:
        await close_listeners([listener])


async def close_listeners(listeners: list[StreamListener]) -> None:
    """Close listeners.

    Args:
        listeners: The listeners.
    """
    with trio.CancelScope(shield=True):  # Closing a listener never waits.
        for listener in listeners:
            await listener.aclose()


def _lacks_the_kind(error: NetError, place: str) -> bool:
    """Return whether this machine has no IPv4 at all, so that IPv6 may do."""
    cause = error.__cause__
    known = isinstance(cause, OSError) and cause.errno in _NO_KIND
    return place == _EVERYWHERE[0] and known


async def _checked(address: Address, family: int = socket.AF_UNSPEC) -> tuple[int, Any]:
    """Return family and address of what another peer has named.

    Raise NobodyError if it may not be dialled.

    SPEC: [L-14].
    """
    host, port, kind = address.host, address.port, socket.SOCK_STREAM
    for found, *_, where in await trio.socket.getaddrinfo(host, port, family, kind):
        if may_dial(str(where[0]), address.named):
            return found, where
    raise NobodyError(NetCode.NOT_DIALLED, address=str(address))


class TcpListener:
    """A listening TCP socket.

    Attributes:
        address: Where it really listens, with the port that the system has chosen.
    """

    def __init__(self, listener: trio.SocketListener) -> None:
        self._listener = listener
        host, port = listener.socket.getsockname()[:2]
        self.address = Address(host, port)

    async def accept(self) -> tuple[trio.abc.Stream, Address]:
        """Wait for the next connection, also while the system has no sockets left.

        Returns:
            The stream, and where it comes from.

        Raises:
            NetError: When the listener is closed.
        """
        while True:
            try:
                stream = await self._listener.accept()
                host, port = stream.socket.getpeername()[:2]
            except trio.ClosedResourceError as error:
                raise NetError(NetCode.NOT_LISTENING) from error
            except OSError as error:
                if error.errno in _EXHAUSTED:
                    await trio.sleep(OUT_OF_SOCKETS)  # Others may release theirs.
                continue  # This caller is gone already.
            return stream, Address(host, port)

    async def aclose(self) -> None:
        """Stop listening."""
        await self._listener.aclose()


async def cut(stream: trio.abc.AsyncResource) -> None:
    """Close a stream at once, whatever its state, also while being cancelled.

    Args:
        stream: The stream.
    """
    # Without the shield a cancelled task would not close its next stream. A broken stream counts
    # as closed.
    with suppress(*TROUBLE), trio.CancelScope(shield=True):
        await trio.aclose_forcefully(stream)


class RelayedNetwork:
    """A network that connects to the relays of the player and to nothing else.

    Everything that a hub does passes through it. So whatever another seat names, even a relay of
    its own, gets no connection from this machine ([L-58]).
    """

    def __init__(self, network: Network, relays: Iterable[str]) -> None:
        """Begin with the allowed relays.

        Args:
            network: Carries the streams.
            relays: The relays, 'host:port'.
        """
        self._network = network
        self._places = {(one.host, one.port) for one in map(parse_address, relays)}

    async def open(self, address: Address) -> trio.abc.Stream:
        """Open a stream to one of the relays.

        Args:
            address: Where to connect.

        Returns:
            The stream. A NetError is raised if the relay cannot be reached.

        Raises:
            NobodyError: If the address is no relay of the player.
        """
        if (address.host, address.port) not in self._places:
            await trio.lowlevel.checkpoint()
            raise NobodyError(NetCode.NOT_BY_RELAY, address=str(address))
        return await self._network.open(replace(address, named=Named.BY_US))

    async def listen(self, host: str, port: int) -> list[StreamListener]:
        """Refuse to listen, since a listener can be found.

        Args:
            host: The address.
            port: The port.

        Returns:
            Nothing.

        Raises:
            NetError: Always.
        """
        await trio.lowlevel.checkpoint()
        raise NetError(NetCode.NOT_BY_RELAY, address=str(Address(host, port)))

    def outlet(self) -> None:
        """Return None, since two peers that connect directly tell each other their addresses."""
