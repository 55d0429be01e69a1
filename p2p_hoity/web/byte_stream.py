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

from .websocket import NOT_TEXT

MOST_MESSAGE: Final[Quota] = 64 * 1024
"""The most bytes of one message that is sent or received."""
MOST_IDLE: Final[Quota] = 64
"""By how many the pings, pongs and empty messages may exceed the messages with content."""
CHUNK: Final = 16 * 1024
NOT_BYTES: Final = NOT_TEXT
TOO_LARGE: Final = 1009


class WebByteStream(trio.abc.Stream):
    """The bytes that two ends of a WebSocket exchange ([L-86])."""

    def __init__(self, raw: trio.abc.Stream, socket: WSConnection) -> None:
        """Take a connection on which the handshake is done. What was read behind it is in wsproto.

        Args:
            raw: The stream below.
        """
        self._raw, self._socket = raw, socket
        # A pong may have to be sent while another task sends.
        self._sending = trio.Lock()
        self._content = bytearray()
        self._message = self._idle = 0
        self._is_over, self._is_begun = False, True

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Send bytes. If this is cancelled, nothing more can be sent."""
        with memoryview(data) as view:
            for start in range(0, len(view), MOST_MESSAGE):
                await self._send(BytesMessage(bytes(view[start : start + MOST_MESSAGE])))

    async def _send(self, event: Event) -> None:
        """Send an event.

        Raises:
            trio.BrokenResourceError: If the socket was closed.
        """
        async with self._sending:
            try:
                data = self._socket.send(event)
            except LocalProtocolError as error:
                raise trio.BrokenResourceError from error
            await self._raw.send_all(data)

    async def wait_send_all_might_not_block(self) -> None:
        """Wait until the stream below can probably send."""
        await self._raw.wait_send_all_might_not_block()

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        """Receive bytes. b"" at the end.

        Raises:
            trio.BrokenResourceError: If the other end breaks the protocol, or sends texts, too long
                messages, or nothing but pings.
        """
        if self._content:
            await trio.lowlevel.checkpoint()
        while not self._content and not self._is_over:
            await self._read()
        most = len(self._content) if max_bytes is None else max_bytes
        data = bytes(self._content[:most])
        del self._content[:most]
        return data

    async def _read(self) -> None:
        """Take the events of the next bytes, or at first of what came with the handshake."""
        data = b"" if self._is_begun else bytes(await self._raw.receive_some(CHUNK))
        try:
            if not self._is_begun:
                self._socket.receive_data(data or None)
                self._is_over = not data
            self._is_begun = False
            events = list(self._socket.events())
        except (LocalProtocolError, RemoteProtocolError) as error:
            raise trio.BrokenResourceError from error
        for event in events:
            await self._take(event)

    async def _take(self, event: Event) -> None:
        """Take one event."""
        match event:
            case BytesMessage(data=data, message_finished=is_last):
                self._message += len(data)
                if self._message > MOST_MESSAGE:
                    await self._refuse(TOO_LARGE)
                self._content += data
                self._count_idle(bool(data))
                if is_last:
                    self._message = 0
            case Ping():
                self._count_idle(False)
                await self._send(event.response())
            case Pong():
                self._count_idle(False)
            case CloseConnection():
                self._is_over = True
            case _:
                await self._refuse(NOT_BYTES)

    def _count_idle(self, has_content: bool) -> None:
        """Bound what costs work and brings nothing, for which no reader is charged."""
        self._idle = max(0, self._idle - 1) if has_content else self._idle + 1
        if self._idle > MOST_IDLE:
            raise trio.BrokenResourceError

    async def _refuse(self, code: int) -> None:
        """Close the socket with a code.

        Raises:
            trio.BrokenResourceError: Always.
        """
        await self._send(CloseConnection(code))
        raise trio.BrokenResourceError

    async def aclose(self) -> None:
        """Close the stream below."""
        await self._raw.aclose()
