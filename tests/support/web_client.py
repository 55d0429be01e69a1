"""A client that speaks HTTP and WebSocket to a server on loopback, and may break any rule of it."""

from __future__ import annotations

import json
from typing import Any

import h11
import trio
from wsproto import ConnectionType, WSConnection
from wsproto.events import (
    AcceptConnection,
    CloseConnection,
    Event,
    Ping,
    RejectConnection,
    Request,
    TextMessage,
)

PATIENCE = 20


async def raw(port: int, data: bytes) -> bytes:
    """Send bytes, and return all that comes back until the server closes."""
    stream = await trio.open_tcp_stream("127.0.0.1", port)
    async with stream:
        with trio.fail_after(PATIENCE):
            try:
                await stream.send_all(data)
                return b"".join([bytes(part) async for part in stream])
            except trio.BrokenResourceError:
                return b""


async def get(
    port: int, path: str = "/", method: str = "GET", **headers: str
) -> tuple[int, dict[str, str], bytes]:
    """Ask for a path, and return the status, the headers and the body of the answer.

    A header is given with `_` in place of `-`. The host is that of the server if it is not given.
    """
    told = {"Host": f"127.0.0.1:{port}", "Connection": "close"}
    told |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in told.items())]
    answer = await raw(port, ("\r\n".join(lines) + "\r\n\r\n").encode())
    client = h11.Connection(h11.CLIENT)
    client.send(h11.Request(method=method, target=path, headers=[("Host", "x")]))
    client.send(h11.EndOfMessage())
    client.receive_data(answer)
    client.receive_data(b"")
    head = client.next_event()
    assert isinstance(head, h11.Response), answer
    body = b""
    while isinstance(event := client.next_event(), h11.Data):
        body += bytes(event.data)
    return head.status_code, {k.decode(): v.decode() for k, v in head.headers}, body


class Closed(Exception):
    """The server has closed the socket. The argument is the code."""


class Client:
    """The client's end of a WebSocket."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self.stream = stream
        self._socket = WSConnection(ConnectionType.CLIENT)
        self._events: list[Event] = []

    @classmethod
    async def open(
        cls, port: int, path: str = "/table", origin: str | None = "", host: str = ""
    ) -> Client:
        """Open a socket. `origin` "" is that of the server's own page. None tells no origin."""
        self = cls(await trio.open_tcp_stream("127.0.0.1", port))
        own = f"127.0.0.1:{port}"
        told = f"http://{own}" if origin == "" else origin
        extra = [] if told is None else [(b"Origin", told.encode())]
        request = Request(host=host or own, target=path, extra_headers=extra)
        await self.stream.send_all(self._socket.send(request))
        match await self._next():
            case AcceptConnection():
                return self
            case RejectConnection(status_code=status):
                raise Closed(status)
        raise AssertionError("no answer to a handshake")

    @classmethod
    async def enter(cls, port: int, **first: Any) -> Client:
        """Open a socket, and send the first message."""
        self = await cls.open(port)
        await self.send({"type": "enter", **first})
        return self

    async def _next(self) -> Event:
        with trio.fail_after(PATIENCE):
            while not self._events:
                data = await self.stream.receive_some()
                self._socket.receive_data(bytes(data) or None)
                self._events += self._socket.events()
        return self._events.pop(0)

    async def send(self, message: object) -> None:
        """Send a value as JSON, or a text as it is."""
        text = message if isinstance(message, str) else json.dumps(message)
        await self.stream.send_all(self._socket.send(TextMessage(text)))

    async def event(self, event: Event) -> None:
        """Send any event of the protocol."""
        await self.stream.send_all(self._socket.send(event))

    async def receive(self) -> Any:
        """Return the next message.

        Raises:
            Closed: If the server closes the socket.
        """
        text = ""
        while True:
            match await self._next():
                case TextMessage(data=data, message_finished=is_last):
                    text += data
                    if is_last:
                        return json.loads(text)
                case CloseConnection(code=code):
                    raise Closed(code)
                case Ping() as ping:
                    await self.event(ping.response())

    async def until(self, kind: str) -> Any:
        """Return the next message of a type, without those before it."""
        while (message := await self.receive())["type"] != kind:
            pass
        return message

    async def code(self) -> int:
        """Return the code with which the server closes the socket, whatever comes before."""
        try:
            while True:
                await self.receive()
        except Closed as closed:
            return int(closed.args[0])

    async def close(self) -> None:
        """Close the connection without a word."""
        await trio.aclose_forcefully(self.stream)
