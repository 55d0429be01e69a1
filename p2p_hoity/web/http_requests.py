"""HTTP/1.1 for browsers: requests from a stream, the replies to them, and the way to a WebSocket.

A request has no body, and its head has a limit. This module knows no path and no page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import h11
import trio
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, Request
from wsproto.utilities import LocalProtocolError, RemoteProtocolError

from protocol.units import Quota, Seconds

from .byte_stream import WebByteStream
from .websocket import WebSocket

MOST_HEAD: Final[Quota] = 16 * 1024
"""The greatest length of the head of a request, in bytes."""
CHUNK: Final = 16 * 1024
PART: Final = 64 * 1024
"""The most bytes that are handed to the stream below at once, which may copy them."""
PATIENCE: Final[Seconds] = 10.0
"""The time in which a whole request has to come, and a reply to be taken, in seconds."""
MOST_REQUESTS: Final[Quota] = 200
"""The most requests on one connection."""
Header = tuple[str, str]


class NotHttp(Exception):
    """An error: the other end does not speak HTTP as it is read here, or is gone."""


@dataclass(frozen=True)
class WebRequest:
    """A request.

    Attributes:
        path: Without what follows `?`.
        headers: By their names in lower case. Values of equal names are joined by commas.
    """

    method: str
    path: str
    headers: Mapping[str, str]


class HttpConnection:
    """The server's end of a connection of a browser."""

    def __init__(self, stream: trio.abc.Stream, most_head: int = MOST_HEAD) -> None:
        self._stream = stream
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=most_head)
        self._event: h11.Request | None = None
        self._left = MOST_REQUESTS
        self._most_head = self._room = most_head

    async def next_request(self) -> WebRequest | None:
        """Return the next request, or None if the other end has closed or none may follow.

        Raises:
            NotHttp: If something else comes, or nothing whole in time.
        """
        if self._http.our_state is h11.DONE and self._http.their_state is h11.DONE:
            self._http.start_next_cycle()
        if self._http.our_state is not h11.IDLE or self._left == 0:
            return None
        self._left -= 1
        self._room = self._most_head
        try:
            with trio.fail_after(PATIENCE):
                event = await self._next_event()
                if not isinstance(event, h11.Request):
                    return None
                # A body would be read as the next request. It is not waited for.
                if _has_body(event) or not isinstance(await self._next_event(), h11.EndOfMessage):
                    raise NotHttp
        except (h11.RemoteProtocolError, OSError, *GONE) as error:
            raise NotHttp from error
        self._event = event
        path = event.target.decode("latin-1").partition("?")[0]
        return WebRequest(event.method.decode("latin-1"), path, _headers(event))

    async def _next_event(self) -> object:
        """Return the next event. Raise `NotHttp` if a head is too long."""
        while (event := self._http.next_event()) is h11.NEED_DATA:
            # h11 looks at the size of a head only while it is not whole.
            if self._room <= 0:
                raise NotHttp
            data = bytes(await self._stream.receive_some(min(CHUNK, self._room)))
            self._room -= len(data)
            self._http.receive_data(data)
        return event

    async def reply(
        self, status: int, headers: Sequence[Header], body: bytes, patience: Seconds = PATIENCE
    ) -> None:
        """Answer the last request. The answer to HEAD has no body, whatever is given.

        Args:
            patience: How long the other end may take to receive it.

        Raises:
            NotHttp: If the other end is gone or does not take the answer in time.
        """
        told = [*headers, ("Content-Length", str(len(body)))]
        head = h11.Response(status_code=status, headers=[(n.encode(), v.encode()) for n, v in told])
        is_head = self._event is not None and self._event.method == b"HEAD"
        data = h11.Data(b"" if is_head else body)
        # A large body is not copied: many may be on their way.
        parts = [self._http.send(head) or b"", *(self._http.send_with_data_passthrough(data) or ())]
        self._http.send(h11.EndOfMessage())
        is_small = sum(map(len, parts)) <= PART
        await self._send([b"".join(parts)] if is_small else parts, patience)

    async def accept(self) -> WebSocket:
        """Answer the last request with a WebSocket, which has the connection from now on.

        Raises:
            NotHttp: If the request asks for none.
        """
        return WebSocket(self._stream, await self._upgraded(None))

    async def accept_bytes(self, subprotocol: str) -> WebByteStream:
        """Answer the last request with a WebSocket that carries bytes by a subprotocol.

        Raises:
            NotHttp: If the request does not ask for it.
        """
        return WebByteStream(self._stream, await self._upgraded(subprotocol))

    async def _upgraded(self, subprotocol: str | None) -> WSConnection:
        """Return the socket of the last request, with what was read behind it."""
        socket = WSConnection(ConnectionType.SERVER)
        if self._event is None:
            raise NotHttp
        try:
            socket.initiate_upgrade_connection(list(self._event.headers), self._event.target)
            asked = next((one for one in socket.events() if isinstance(one, Request)), None)
            if asked is None or (subprotocol and subprotocol not in asked.subprotocols):
                raise NotHttp
            await self._send([socket.send(AcceptConnection(subprotocol))])
            if early := self._http.trailing_data[0]:
                socket.receive_data(early)
        # Headers that are not ASCII raise `UnicodeDecodeError` in wsproto. It also makes a request
        # for h11, which refuses one without `Host` by an error that is none of wsproto's.
        except (RemoteProtocolError, LocalProtocolError, h11.ProtocolError, ValueError) as error:
            raise NotHttp from error
        return socket

    async def _send(self, parts: Sequence[bytes], patience: Seconds = PATIENCE) -> None:
        """Send bytes, or raise `NotHttp` if the other end does not take them."""
        try:
            with trio.fail_after(patience):
                for part in parts:
                    with memoryview(part) as view:
                        for at in range(0, len(view), PART):
                            await self._stream.send_all(view[at : at + PART])
        except (OSError, *GONE) as error:
            raise NotHttp from error


GONE: Final = (trio.BrokenResourceError, trio.ClosedResourceError, trio.TooSlowError)
"""The errors of a stream whose other end is gone or too slow."""


def _has_body(event: h11.Request) -> bool:
    """Return whether a body follows the head of a request."""
    return any(
        name == b"transfer-encoding" or (name == b"content-length" and value.strip(b"0"))
        for name, value in event.headers
    )


def _headers(event: h11.Request) -> dict[str, str]:
    """Return the headers of a request by their names in lower case."""
    found: dict[str, str] = {}
    for raw, value in event.headers:
        name, text = raw.decode("latin-1"), value.decode("latin-1")
        found[name] = f"{found[name]}, {text}" if name in found else text
    return found
