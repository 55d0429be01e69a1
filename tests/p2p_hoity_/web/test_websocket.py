"""The server's end of a WebSocket: texts go both ways, and what breaks the protocol ends it."""

import pytest
import trio
import trio.testing
from wsproto import ConnectionType, WSConnection
from wsproto.events import (
    AcceptConnection,
    BytesMessage,
    CloseConnection,
    Event,
    Ping,
    Pong,
    Request,
    TextMessage,
)

from p2p_hoity.web.http_requests import HttpConnection
from p2p_hoity.web.websocket import MOST_TEXT, SocketGone, WebSocket


class Browser:
    """The other end."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self.stream, self.socket = stream, WSConnection(ConnectionType.CLIENT)

    async def send(self, event: Event) -> None:
        await self.stream.send_all(self.socket.send(event))

    async def events(self) -> list[Event]:
        self.socket.receive_data(bytes(await self.stream.receive_some()) or None)
        return list(self.socket.events())


async def opened() -> tuple[Browser, WebSocket]:
    """A socket whose handshake is done."""
    ours, theirs = trio.testing.memory_stream_pair()
    browser, server = Browser(ours), HttpConnection(theirs)
    await browser.send(Request(host="a", target="/table"))
    await server.next_request()
    socket = await server.accept()
    assert [type(one) for one in await browser.events()] == [AcceptConnection]
    return browser, socket


async def test_texts_go_both_ways() -> None:
    browser, socket = await opened()
    await browser.send(TextMessage("größer"))
    assert await socket.receive() == "größer"
    await socket.send("kleiner")
    (event,) = await browser.events()
    assert isinstance(event, TextMessage)
    assert event.data == "kleiner"


async def test_a_text_may_come_in_parts_and_several_at_once() -> None:
    browser, socket = await opened()
    await browser.send(TextMessage("a", message_finished=False))
    await browser.send(TextMessage("b", message_finished=True))
    await browser.send(TextMessage("c"))
    assert [await socket.receive(), await socket.receive()] == ["ab", "c"]


async def test_what_follows_the_handshake_at_once_is_not_lost() -> None:
    ours, theirs = trio.testing.memory_stream_pair()
    browser, server = Browser(ours), HttpConnection(theirs)
    await browser.send(Request(host="a", target="/table"))
    # A masked text frame "hi", which a browser sends only later.
    await ours.send_all(b"\x81\x82\x00\x00\x00\x00hi")
    await server.next_request()
    assert await (await server.accept()).receive() == "hi"


async def test_a_cancelled_receive_loses_nothing() -> None:
    browser, socket = await opened()
    await browser.send(TextMessage("a", message_finished=False))
    with trio.move_on_after(0.01):
        await socket.receive()
    await browser.send(TextMessage("b"))
    assert await socket.receive() == "ab"


async def test_a_ping_is_answered_and_a_pong_is_not() -> None:
    browser, socket = await opened()
    await browser.send(Ping(b"x"))
    await browser.send(Pong(b"y"))
    await browser.send(TextMessage("z"))
    assert await socket.receive() == "z"
    (event,) = await browser.events()
    assert isinstance(event, Pong)
    assert event.payload == b"x"
    await socket.ping()
    assert [type(one) for one in await browser.events()] == [Ping]


@pytest.mark.parametrize("parts", [1, 7])
async def test_a_text_that_is_too_long_ends_the_socket_with_its_code(parts: int) -> None:
    browser, socket = await opened()
    size = MOST_TEXT // parts + 1
    for number in range(parts):
        await browser.send(TextMessage("a" * size, message_finished=number == parts - 1))
    with pytest.raises(SocketGone):
        await socket.receive()
    (event,) = await browser.events()
    assert isinstance(event, CloseConnection)
    assert event.code == 1009


async def test_the_longest_text_is_received() -> None:
    browser, socket = await opened()
    await browser.send(TextMessage("a" * MOST_TEXT))
    assert len(await socket.receive()) == MOST_TEXT


async def test_bytes_end_the_socket_with_their_code() -> None:
    browser, socket = await opened()
    await browser.send(BytesMessage(b"a"))
    with pytest.raises(SocketGone):
        await socket.receive()
    (event,) = await browser.events()
    assert isinstance(event, CloseConnection)
    assert event.code == 1003


@pytest.mark.parametrize(
    "frame",
    [
        b"\x81\x02hi",
        b"\xf1\x82\x00\x00\x00\x00hi",
        b"\x83\x82\x00\x00\x00\x00hi",
        b"\x81\x82\x00\x00\x00\x00\xff\xff",
        b"\x89\xfe\x00\xff\x00\x00\x00\x00" + b"a" * 255,
    ],
    ids=["unmasked", "reserved", "unknown", "no-utf-8", "long-ping"],
)
async def test_frames_that_break_the_protocol_end_the_socket(frame: bytes) -> None:
    browser, socket = await opened()
    await browser.stream.send_all(frame)
    with pytest.raises(SocketGone):
        await socket.receive()


async def test_a_close_is_answered_and_an_end_is_noticed() -> None:
    browser, socket = await opened()
    await browser.send(CloseConnection(1000, "done"))
    with pytest.raises(SocketGone):
        await socket.receive()
    assert [type(one) for one in await browser.events()] == [CloseConnection]
    browser, socket = await opened()
    await browser.stream.aclose()
    with pytest.raises(SocketGone):
        await socket.receive()
    with pytest.raises(SocketGone):
        await socket.send("a")


async def test_nothing_is_sent_after_the_close() -> None:
    browser, socket = await opened()
    await socket.close(4001, "why")
    (event,) = await browser.events()
    assert isinstance(event, CloseConnection)
    assert (event.code, event.reason) == (4001, "why")
    with pytest.raises(SocketGone):
        await socket.send("a")
    with pytest.raises(SocketGone):
        await socket.ping()
    await socket.close(4001)
