"""HTTP from a stream: whole requests are read, and whatever else comes ends the connection."""

import pytest
import trio
import trio.testing
from hypothesis import given, settings
from hypothesis import strategies as st
from support.sampling import times

from p2p_hoity.web.http_requests import (
    MOST_HEAD,
    MOST_REQUESTS,
    PATIENCE,
    HttpConnection,
    NotHttp,
    WebRequest,
)


def pair() -> tuple[trio.StapledStream, HttpConnection]:  # type: ignore[type-arg]
    """A browser's end of a stream, and the server's."""
    ours, theirs = trio.testing.memory_stream_pair()
    return ours, HttpConnection(theirs)


async def asked(data: bytes) -> WebRequest | None:
    """What is read of these bytes, after which the browser closes."""
    browser, server = pair()
    await browser.send_all(data)
    await browser.send_eof()
    return await server.next_request()


async def test_a_request_is_read_with_its_path_and_headers() -> None:
    found = await asked(b"GET /page.css?v=1 HTTP/1.1\r\nHost: a\r\nX-One: 1\r\nX-One: 2\r\n\r\n")
    assert found == WebRequest("GET", "/page.css", {"host": "a", "x-one": "1, 2"})


async def test_requests_follow_each_other_on_one_connection() -> None:
    browser, server = pair()
    for path in ("/a", "/b"):
        await browser.send_all(f"GET {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
        found = await server.next_request()
        assert found is not None
        assert found.path == path
        await server.reply(200, [("Content-Type", "text/plain")], b"yes")
        assert (await browser.receive_some()).endswith(b"\r\n\r\nyes")
    await browser.send_eof()
    assert await server.next_request() is None


async def test_no_request_follows_where_the_browser_wants_the_end() -> None:
    browser, server = pair()
    await browser.send_all(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    assert await server.next_request() is not None
    await server.reply(200, [], b"")
    assert await server.next_request() is None


@pytest.mark.parametrize(
    "data",
    [
        b"\x16\x03\x01\x02\x00" * 50,
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"GET /" + b"a" * 3 * MOST_HEAD + b" HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc",
        b"GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        b"GET / HTTP/1.1\r\nHo",
    ],
    ids=["tls", "no-host", "two-hosts", "large", "body", "chunks", "cut"],
)
async def test_what_is_no_whole_request_without_a_body_ends_the_connection(data: bytes) -> None:
    with pytest.raises(NotHttp):
        await asked(data)


@settings(max_examples=times(60, 2000))
@given(st.binary(max_size=200))
def test_any_bytes_are_a_request_an_end_or_no_http(data: bytes) -> None:
    async def read() -> None:
        try:
            await asked(data)
        except NotHttp:
            return

    trio.run(read)


async def test_a_slow_request_is_not_awaited_for_ever(
    autojump_clock: trio.testing.MockClock,
) -> None:
    browser, server = pair()
    await browser.send_all(b"GET / HT")
    begun = trio.current_time()
    with pytest.raises(NotHttp):
        await server.next_request()
    assert trio.current_time() - begun == PATIENCE


async def test_an_answer_that_nobody_takes_ends_the_connection(
    autojump_clock: trio.testing.MockClock,
) -> None:
    browser, theirs = trio.testing.lockstep_stream_pair()
    server = HttpConnection(theirs)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(browser.send_all, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        await server.next_request()
    with pytest.raises(NotHttp):
        await server.reply(200, [], b"nobody reads this")


async def test_only_so_many_requests_come_on_one_connection() -> None:
    browser, server = pair()
    for _number in range(MOST_REQUESTS):
        await browser.send_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        assert await server.next_request() is not None
        await server.reply(200, [], b"")
    await browser.send_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    assert await server.next_request() is None


@pytest.mark.parametrize(
    "headers",
    [
        b"",
        b"Upgrade: websocket\r\nConnection: Upgrade\r\n",
        b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 8\r\n"
        b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
        b"Upgrade: h2c\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
    ],
    ids=["none", "no-key", "old", "other"],
)
async def test_a_socket_is_opened_only_by_a_whole_handshake(headers: bytes) -> None:
    browser, server = pair()
    await browser.send_all(b"GET /table HTTP/1.1\r\nHost: a\r\n" + headers + b"\r\n")
    assert await server.next_request() is not None
    with pytest.raises(NotHttp):
        await server.accept()


async def test_no_socket_without_a_request() -> None:
    _browser, server = pair()
    with pytest.raises(NotHttp):
        await server.accept()
