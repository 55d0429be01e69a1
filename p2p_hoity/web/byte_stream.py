"""A stream of bytes in the binary messages of a WebSocket (RFC 6455), by wsproto, at either end.

The boundaries of messages mean nothing. The end of the socket is the end of the stream.
"""

from __future__ import annotations

from typing import Final

import trio
from wsproto import WSConnection
from wsproto.events import BytesMessage, CloseConnection, Event, Ping, Pong
from wsproto.utilities import LocalProtocolError, RemoteProtocolError

from protocol.units import Quota

MOST_MESSAGE: Final[Quota] = 64 * 1024
"""The most bytes of one message that is sent or received."""
MOST_IDLE: Final[Quota] = 64
"""By how many the pings, pongs and empty messages may exceed the messages with content."""
CHUNK: Final = 16 * 1024


class NotBytes(Exception):
    """An error: the other end breaks the protocol, or sends something else than bytes."""


class WebMessages:
    """Packs bytes into messages and unpacks them, for one end of a WebSocket. No I/O.

    Attributes:
        is_over: Whether the other end has ended the socket.
    """

    def __init__(self, socket: WSConnection) -> None:
        """Take a socket whose handshake is done. What was read behind it is in wsproto."""
        self._socket = socket
        self._message = self._idle = 0
        self.is_over = False

    def pack(self, data: bytes | bytearray | memoryview) -> bytes:
        """Return bytes in messages.

        Raises:
            NotBytes: If the socket was ended.
        """
        with memoryview(data) as view:
            pieces = [view[at : at + MOST_MESSAGE] for at in range(0, len(view), MOST_MESSAGE)]
            return b"".join(self._packed(BytesMessage(bytes(piece))) for piece in pieces)

    def unpack(self, data: bytes | None) -> tuple[bytes, bytes]:
        """Return the content of what came, and the bytes to send back, such as a pong ([L-86]).

        Args:
            data: The next bytes. None if the stream has ended, b"" for what came with the
                handshake.

        Raises:
            NotBytes: If they are none of a socket that carries bytes.
        """
        content, back = bytearray(), b""
        try:
            if data != b"":
                self._socket.receive_data(data)
            for event in self._socket.events():
                back += self._took(event, content)
        except (LocalProtocolError, RemoteProtocolError) as error:
            raise NotBytes from error
        return bytes(content), back

    def _took(self, event: Event, content: bytearray) -> bytes:
        """Add the content of an event, and return the answer to it."""
        match event:
            case BytesMessage(data=data, message_finished=is_last):
                self._message += len(data)
                if self._message > MOST_MESSAGE:
                    raise NotBytes
                content += data
                self._count_idle(bool(data))
                if is_last:
                    self._message = 0
            case Ping():
                self._count_idle(False)
                return self._packed(event.response())
            case Pong():
                self._count_idle(False)
            case CloseConnection():
                self.is_over = True
            case _:
                raise NotBytes
        return b""

    def _count_idle(self, has_content: bool) -> None:
        """Bound what costs work and brings nothing, for which no reader is charged."""
        self._idle = max(0, self._idle - 1) if has_content else self._idle + 1
        if self._idle > MOST_IDLE:
            raise NotBytes

    def _packed(self, event: Event) -> bytes:
        """Return an event as bytes. Raise NotBytes if the socket was ended."""
        try:
            return self._socket.send(event)
        except LocalProtocolError as error:
            raise NotBytes from error


class WebByteStream(trio.abc.Stream):
    """The bytes that two ends of a WebSocket exchange.

    Attributes:
        below: The stream that carries the messages.
        messages: What packs and unpacks them.
    """

    def __init__(self, below: trio.abc.Stream, socket: WSConnection) -> None:
        self.below, self.messages = below, WebMessages(socket)
        # A pong may have to be sent while another task sends.
        self._sending = trio.Lock()
        self._content = b""
        self._is_begun = True

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Send bytes. If this is cancelled, nothing more can be sent.

        Raises:
            BrokenResourceError: If the socket was ended.
        """
        async with self._sending:
            try:
                packed = self.messages.pack(data)
            except NotBytes as error:
                raise trio.BrokenResourceError from error
            await self.below.send_all(packed)

    async def wait_send_all_might_not_block(self) -> None:
        """Wait until the stream below can probably send."""
        await self.below.wait_send_all_might_not_block()

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        """Receive bytes. b"" at the end.

        Raises:
            BrokenResourceError: If what comes are no bytes in messages.
        """
        if self._content:
            await trio.lowlevel.checkpoint()
        while not self._content and not self.messages.is_over:
            data = b"" if self._is_begun else bytes(await self.below.receive_some(CHUNK)) or None
            self._is_begun = False
            try:
                self._content, back = self.messages.unpack(data)
            except NotBytes as error:
                raise trio.BrokenResourceError from error
            if back:
                async with self._sending:
                    await self.below.send_all(back)
        most = len(self._content) if max_bytes is None else max_bytes
        data, self._content = self._content[:most], self._content[most:]
        return data

    def received(self) -> bytes:
        """Return what was received and not read, which is then read."""
        content, self._content = self._content, b""
        return content

    async def aclose(self) -> None:
        """Close the stream below."""
        await self.below.aclose()
