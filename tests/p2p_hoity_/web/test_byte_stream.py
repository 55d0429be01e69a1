"""Bytes in the messages of a WebSocket: in order at both ends, and nothing but bytes."""

from typing import Any

import pytest
import trio
import trio.testing
from support.cases import ends_in
from wsproto import ConnectionType, WSConnection
from wsproto.events import BytesMessage, CloseConnection, Event, Ping, Pong, Request, TextMessage

from p2p_hoity.web.byte_stream import MOST_IDLE, MOST_MESSAGE, WebByteStream
from p2p_hoity.web.http_requests import HttpConnection

BROKEN = trio.BrokenResourceError


class Other:
    """The other end, which may say what it wants."""

    def __init__(self, raw: Any, socket: WSConnection) -> None:
        self.raw, self.socket = raw, socket

    async def say(self, *events: Event) -> None:
        """Send events."""
        await self.raw.send_all(b"".join(map(self.socket.send, events)))

    async def heard(self) -> list[Event]:
        """The events of what came."""
        self.socket.receive_data(bytes(await self.raw.receive_some()) or None)
        return list(self.socket.events())


async def pair(behind: bytes = b"") -> tuple[WebByteStream, Other]:
    """A server's end, and a client whose first bytes may come with the request."""
    near, far = trio.testing.memory_stream_pair()
    socket = WSConnection(ConnectionType.CLIENT)
    asked = socket.send(Request(host="a", target="/", subprotocols=["other", "bytes"]))
    await near.send_all(asked + behind)
    server = HttpConnection(far)
    assert await server.next_request() is not None
    stream = await server.accept_bytes("bytes")
    socket.receive_data(bytes(await near.receive_some()))
    (accepted,) = socket.events()
    assert accepted.subprotocol == "bytes"  # type: ignore[attr-defined]
    return stream, Other(near, socket)


async def test_bytes_pass_in_order_however_they_are_cut() -> None:
    stream, other = await pair()
    data = bytes(range(256)) * 1000
    await other.say(
        BytesMessage(data[:10]), BytesMessage(b""), BytesMessage(data[10:50], False, False)
    )
    await other.say(Ping(b"p"), BytesMessage(data[50:60_000]))
    got = b""
    while len(got) < 60_000:
        got += await stream.receive_some(7_000)
    assert got == data[:60_000]
    assert Pong(b"p") in [
        Pong(bytes(e.payload)) for e in await other.heard() if isinstance(e, Pong)
    ]
    async with trio.open_nursery() as nursery:
        nursery.start_soon(stream.send_all, data)
        got = b""
        while len(got) < len(data):
            for event in await other.heard():
                assert isinstance(event, BytesMessage)
                got += event.data
    assert got == data


async def test_what_came_with_the_request_is_not_lost() -> None:
    socket = WSConnection(ConnectionType.CLIENT)
    socket.send(Request(host="a", target="/"))
    # A masked frame of RFC 6455 with the mask 0.
    stream, _other = await pair(b"\x82\x85\0\0\0\0early")
    assert await stream.receive_some() == b"early"


async def test_the_end_of_the_socket_is_the_end() -> None:
    stream, other = await pair()
    await other.say(BytesMessage(b"last"), CloseConnection(1000))
    assert await stream.receive_some() == b"last"
    assert await stream.receive_some() == b""
    stream, other = await pair()
    await other.raw.aclose()
    assert await stream.receive_some() == b""


@pytest.mark.parametrize(
    "events",
    [
        [TextMessage("words")],
        [BytesMessage(bytes(MOST_MESSAGE + 1))],
        [BytesMessage(bytes(MOST_MESSAGE), message_finished=False), BytesMessage(b"x")],
        [Ping()] * (MOST_IDLE + 1),
        [Pong()] * (MOST_IDLE + 1),
        [BytesMessage(b"")] * (MOST_IDLE + 1),
    ],
    ids=["text", "too long", "too long in parts", "pings", "pongs", "empty"],
)
async def test_what_is_none_of_ours_ends_it(events: list[Event]) -> None:
    stream, other = await pair()
    await other.say(*events)

    async def read() -> None:
        while await stream.receive_some():
            pass
        raise AssertionError("it ended well")

    await ends_in(BROKEN, "", read())


async def test_pings_are_paid_for_by_content() -> None:
    stream, other = await pair()

    async def ask() -> None:
        for _ in range(MOST_IDLE):
            await other.say(*[Ping()] * 3, BytesMessage(b"x"))
            assert await stream.receive_some() == b"x"
            await other.heard()

    await ends_in(BROKEN, "", ask())


async def test_pings_between_content_are_answered() -> None:
    stream, other = await pair()
    for number in range(3 * MOST_IDLE):
        await other.say(Ping(), BytesMessage(bytes([number % 256])))
        assert await stream.receive_some() == bytes([number % 256])
        assert any(isinstance(event, Pong) for event in await other.heard())


@pytest.mark.parametrize("said", [b"\xff" * 20, b"\x82\x05naked", b"\xc2\x80\0\0\0\0"])
async def test_bytes_that_are_no_frames_end_it(said: bytes) -> None:
    stream, other = await pair()
    await other.raw.send_all(said)
    await other.raw.send_eof()
    try:
        assert await stream.receive_some() == b""
    except BROKEN:
        return


async def test_after_its_end_nothing_can_be_sent() -> None:
    stream, _other = await pair()
    await stream.aclose()
    with pytest.raises((BROKEN, trio.ClosedResourceError)):
        await stream.send_all(b"late")
