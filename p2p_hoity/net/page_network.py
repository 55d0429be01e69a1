"""The network of a page in a browser: WebSockets to relays, and nothing else.

The browser does TLS, looks names up and frames messages. What is left is a stream of the bytes in
the messages, whose boundaries mean nothing ([L-86]).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, Protocol

import trio

from protocol.units import Quota, Seconds

from ..coded_errors import because
from .address_schemes import PATH
from .addresses import Address, relay_address
from .network_errors import NetCode, NetError, NobodyError
from .transport import StreamListener

MOST_MESSAGE: Final[Quota] = 64 * 1024
"""The most bytes of one message, as a relay takes it ([L-86])."""
MOST_UNSENT: Final[Quota] = 64 * 1024
"""The most bytes that wait in the browser before more are sent."""
UNSENT_LOOK: Final[Seconds] = 0.05
"""The time between two looks at them, since a browser does not tell when they are sent."""
MOST_UNREAD: Final[Quota] = 4 * 1024 * 1024
"""The most bytes that are received and not read. A browser takes all that comes."""


class MessageSocket(Protocol):
    """A WebSocket of a browser."""

    def unsent(self) -> int:
        """Return how many bytes wait to be sent."""

    def send(self, data: bytes) -> None:
        """Send a message."""

    def close(self) -> None:
        """Close the socket."""


class PageStream(trio.abc.Stream):
    """The bytes that a page exchanges with a relay."""

    def __init__(self) -> None:
        """Begin unconnected. The browser calls `opened`, `received` and `ended`."""
        self._socket: MessageSocket | None = None
        self._unread = bytearray()
        self._is_open = self._is_ended = False
        self._news = trio.Event()

    def attach(self, socket: MessageSocket) -> None:
        """Take the socket below, which calls the methods of this stream."""
        self._socket = socket

    # What the browser calls

    def opened(self) -> None:
        """Take note that the socket is open."""
        self._is_open = True
        self._tell()

    def received(self, data: bytes) -> None:
        """Take a message."""
        self._unread += data
        if len(self._unread) > MOST_UNREAD:
            self.ended()
        self._tell()

    def ended(self) -> None:
        """Take note that the socket is closed, or could not be opened."""
        self._is_ended = True
        if self._socket is not None:
            self._socket.close()
        self._tell()

    def _tell(self) -> None:
        self._news.set()
        self._news = trio.Event()

    # What the program calls

    async def until_open(self) -> bool:
        """Wait until the socket is open or has failed, and return whether it is open."""
        await trio.lowlevel.checkpoint()
        while not (self._is_open or self._is_ended):
            await self._news.wait()
        return not self._is_ended

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Send bytes.

        Raises:
            BrokenResourceError: If the socket is closed.
        """
        await trio.lowlevel.checkpoint()
        with memoryview(data) as view:
            for at in range(0, len(view), MOST_MESSAGE):
                socket = await self._drained()
                socket.send(bytes(view[at : at + MOST_MESSAGE]))

    async def _drained(self) -> MessageSocket:
        """Wait until little waits to be sent, and return the socket."""
        while True:
            if self._is_ended or self._socket is None:
                raise trio.BrokenResourceError
            if self._socket.unsent() < MOST_UNSENT:
                return self._socket
            await trio.sleep(UNSENT_LOOK)

    async def wait_send_all_might_not_block(self) -> None:
        """Wait until little waits to be sent.

        Raises:
            BrokenResourceError: If the socket is closed.
        """
        await trio.lowlevel.checkpoint()
        await self._drained()

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        """Receive bytes. b"" at the end."""
        await trio.lowlevel.checkpoint()
        while not (self._unread or self._is_ended):
            await self._news.wait()
        size = len(self._unread) if max_bytes is None else max_bytes
        data = bytes(self._unread[:size])
        del self._unread[:size]
        return data

    async def aclose(self) -> None:
        """Close the socket."""
        self.ended()
        await trio.lowlevel.checkpoint()


Dial = Callable[[str, PageStream], MessageSocket]
"""A function that opens a WebSocket at a URL, whose events it tells the stream."""


class PageNetwork:
    """The network of a page. It listens nowhere, and reaches the page's relays by WebSocket alone.

    So whatever addresses other seats name, the browser connects to none of them ([L-58]).
    """

    def __init__(self, dial: Dial, relays: Iterable[str]) -> None:
        """Limit the network to some relays, such as 'wss://host:port'."""
        self._dial = dial
        self._relays = {one.place for one in map(relay_address, relays)}

    async def open_web(self, relay: Address) -> PageStream:
        """Open a WebSocket to a relay.

        Raises:
            NetError: If that fails. A browser does not say why.
            NobodyError: If it is no relay of the page.
        """
        if relay.place not in self._relays:
            raise await self._refusal(relay)
        stream = PageStream()
        stream.attach(self._dial(f"{relay.scheme}://{relay.web_authority}{PATH}", stream))
        is_open = False
        try:
            is_open = await stream.until_open()
        finally:
            if not is_open:
                stream.ended()
        if not is_open:
            raise NetError(NetCode.UNREACHED, address=relay.place, why=because(NetCode.CUT))
        return stream

    async def open(self, address: Address) -> trio.abc.Stream:
        """Refuse any other connection.

        Raises:
            NobodyError: Always.
        """
        raise await self._refusal(address)

    async def listen(self, host: str, port: int) -> list[StreamListener]:
        """Refuse to listen.

        Raises:
            NobodyError: Always.
        """
        raise await self._refusal(Address(host, port))

    async def _refusal(self, address: Address) -> NobodyError:
        # A caller that tries again and again must let other tasks run.
        await trio.lowlevel.checkpoint()
        return NobodyError(NetCode.NOT_FROM_PAGE, address=str(address))

    def outlet(self) -> None:
        """Return None: a page chooses no port."""
