"""The server's end of a WebSocket (RFC 6455) that carries texts, by wsproto on a stream of trio."""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from typing import Final

import trio
from wsproto import WSConnection
from wsproto.events import CloseConnection, Event, Ping, Pong, TextMessage
from wsproto.utilities import LocalProtocolError, RemoteProtocolError

from protocol.units import Quota, Seconds

MOST_TEXT: Final[Quota] = 64 * 1024
"""The greatest length of a text that is received, in characters."""
CHUNK: Final = 16 * 1024
ENDING: Final[Seconds] = 1.0
"""The time that the close of a socket may take, in seconds."""
NOT_TEXT, TOO_LARGE = 1003, 1009


GONE: Final = (trio.BrokenResourceError, trio.ClosedResourceError)
"""The errors of a stream whose other end is gone."""


class SocketGone(Exception):
    """An error: the other end has closed the socket, is gone, or does not keep to the protocol."""


class WebSocket:
    """An open WebSocket."""

    def __init__(self, stream: trio.abc.Stream, socket: WSConnection) -> None:
        """Take a connection on which the handshake is done. What was read behind it is in wsproto.

        Args:
            stream: The stream below.
        """
        self._stream, self._socket = stream, socket
        # Two sends at once would mix their bytes.
        self._sending = trio.Lock()
        self._events: deque[Event] = deque()
        self._parts: list[str] = []
        self._length = 0
        self._events.extend(self._socket.events())

    def _take(self, data: bytes | None) -> None:
        """Read events from bytes, or from the end of the stream for None."""
        try:
            self._socket.receive_data(data)
        except (LocalProtocolError, RemoteProtocolError) as error:
            raise SocketGone from error
        self._events.extend(self._socket.events())

    async def _send(self, event: Event) -> None:
        """Send an event, or raise `SocketGone` if the other end is gone or the socket closed."""
        try:
            async with self._sending:
                await self._stream.send_all(self._socket.send(event))
        except (OSError, LocalProtocolError, *GONE) as error:
            raise SocketGone from error

    async def send(self, text: str) -> None:
        """Send a text.

        Raises:
            SocketGone: If the other end is gone.
        """
        await self._send(TextMessage(text))

    async def ping(self) -> None:
        """Send a ping, which keeps proxies from closing an idle connection.

        Raises:
            SocketGone: If the other end is gone.
        """
        await self._send(Ping())

    async def receive(self) -> str:
        """Return the next text.

        Raises:
            SocketGone: If there will be none: the other end has closed, or has sent what is not
                text or longer than `MOST_TEXT`. In these cases it was told so.
        """
        # Others have their turn, however fast the other end sends.
        await trio.lowlevel.checkpoint()
        while True:
            if not self._events:
                await self._read()
                continue
            match event := self._events.popleft():
                case TextMessage(data=data, message_finished=is_last):
                    self._parts.append(data)
                    # Parts without a letter are counted too: there may be any number of them.
                    self._length += max(1, len(data))
                    if self._length > MOST_TEXT:
                        await self.close(TOO_LARGE)
                        raise SocketGone
                    if is_last:
                        text = "".join(self._parts)
                        self._parts.clear()
                        self._length = 0
                        return text
                case Ping():
                    await self._send(event.response())
                case Pong():
                    pass
                case CloseConnection():
                    await self._send(event.response())
                    raise SocketGone
                case _:
                    await self.close(NOT_TEXT)
                    raise SocketGone

    async def _read(self) -> None:
        """Read more of the stream, and note its end."""
        try:
            data = await self._stream.receive_some(CHUNK)
        except (OSError, *GONE) as error:
            raise SocketGone from error
        self._take(bytes(data) or None)

    async def close(self, code: int, reason: str = "") -> None:
        """Close the socket, also while the task is being cancelled. The other end may be gone.

        Args:
            code: A code of RFC 6455, or from 4000 on one of the application.
            reason: At most 123 bytes.
        """
        limit = trio.CancelScope(shield=True, deadline=trio.current_time() + ENDING)
        with limit, suppress(SocketGone):
            await self._send(CloseConnection(code, reason))
