"""The server of the page: what other pages, programs and users of this computer may try in vain."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio
from support.page_table import secret_of
from support.web_client import Client, Closed, get, raw

from cli.ui.web.page_files import PageFile, page_files
from cli.ui.web.page_server import (
    HEADERS,
    MOST_CONNECTIONS,
    MOST_FAILURES,
    MOST_GUESSES,
    REPLACED,
    SHUT,
    TRY_LATER,
    WRONG_SECRET,
    PageServer,
)
from p2p_hoity.web.websocket import MOST_TEXT, TOO_LARGE, WebSocket

pytestmark = pytest.mark.sampled(40)

FILES = {"/": PageFile("text/html", b"the page"), "/main.js": PageFile("text/javascript", b"code")}
DONE = 1001


async def echo(socket: WebSocket) -> None:
    """Send back what comes."""
    while True:
        await socket.send(await socket.receive())


@asynccontextmanager
async def serving(server: PageServer | None = None) -> AsyncIterator[PageServer]:
    """A server whose windows hear what they say."""
    server = server or PageServer(FILES)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(server.serve, echo)
        with trio.fail_after(30):
            yield server
        nursery.cancel_scope.cancel()
    assert server.failures == []


async def entered(server: PageServer) -> tuple[Client, str]:
    """A window that has entered by the secret, and its token."""
    client = await Client.enter(server.port, secret=secret_of(server))
    return client, (await client.receive())["token"]


async def echoes(client: Client) -> bool:
    """Whether a window has the table."""
    await client.send({"type": "x"})
    return bool(await client.receive() == {"type": "x"})


# Files.


async def test_the_page_and_its_files_are_served_with_every_header() -> None:
    async with serving() as server:
        for path, file in FILES.items():
            status, headers, body = await get(server.port, path)
            assert (status, body, headers["content-type"]) == (200, file.content, file.kind)
            assert {(name, headers[name.lower()]) for name, _ in HEADERS} == set(HEADERS)


async def test_the_rules_of_the_page_let_nothing_in_from_elsewhere() -> None:
    policy = dict(HEADERS)["Content-Security-Policy"].split("; ")
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "require-trusted-types-for 'script'" in policy
    assert not any("unsafe" in rule or "*" in rule or "http" in rule for rule in policy)


async def test_only_the_first_page_clears_what_an_earlier_program_has_left() -> None:
    async with serving() as server:
        told = [(await get(server.port))[1].get("clear-site-data") for _ in range(2)]
    assert told == ['"storage"', None]


@pytest.mark.parametrize(
    "path",
    ["/../main.js", "/%2e%2e/etc/passwd", "//main.js", "/main.js/", "/index.html.bak", "/MAIN.JS"],
)
async def test_no_other_path_leads_to_a_file(path: str) -> None:
    async with serving() as server:
        assert (await get(server.port, path))[0] == 404


def test_every_file_of_the_page_is_served_and_nothing_else() -> None:
    files = page_files()
    assert {"/", "/main.js", "/page.css"} <= set(files)
    assert "/index.html" not in files
    assert {file.kind.partition(";")[0] for file in files.values()} == {
        *("text/html", "text/javascript", "text/css")
    }


# Names and origins.


@pytest.mark.parametrize(
    "host", ["localhost", "127.0.0.1", "evil.example", "127.0.0.1:1", "[::1]", "127.0.0.1:{port}."]
)
async def test_a_name_that_is_not_its_own_gets_nothing(host: str) -> None:
    async with serving() as server:
        told = host.format(port=server.port)
        status, _headers, body = await get(server.port, Host=told)
        assert (status, b"page" in body) == (421, False)
        with pytest.raises(Closed, match="421"):
            await Client.open(server.port, host=told, origin=server.origin)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "TRACE"])
async def test_nothing_can_be_done_but_get(method: str) -> None:
    async with serving() as server:
        assert (await get(server.port, method=method))[0] == 405


@pytest.mark.parametrize("path", ["/", "/main.js", "/nothing", "/table"])
async def test_head_which_every_page_may_send_is_answered_without_a_body(path: str) -> None:
    async with serving() as server:
        status, _headers, body = await get(server.port, path, method="HEAD")
        assert (status, body) == (405, b"")
        assert (await get(server.port))[0] == 200


async def test_another_site_may_open_the_page_and_nothing_of_it() -> None:
    async with serving() as server:
        for site, page, code in (
            *(("cross-site", 200, 403), ("same-site", 200, 403)),
            *(("same-origin", 200, 200), ("none", 200, 200)),
        ):
            assert (await get(server.port, "/", Sec_Fetch_Site=site))[0] == page
            assert (await get(server.port, "/main.js", Sec_Fetch_Site=site))[0] == code


@pytest.mark.parametrize(
    "origin",
    [None, "null", "http://evil.example", "https://127.0.0.1:{port}", "http://localhost:{port}"],
)
async def test_no_other_page_opens_a_socket(origin: str | None) -> None:
    async with serving() as server:
        told = None if origin is None else origin.format(port=server.port)
        with pytest.raises(Closed, match="403"):
            await Client.open(server.port, origin=told)


async def test_what_is_no_http_ends_the_connection_and_not_the_server() -> None:
    async with serving() as server:
        for data in (b"\x16\x03\x01\x02\x00" * 200, b"GET /" + b"a" * 60_000, b"\0" * 999):
            await raw(server.port, data)
        assert (await get(server.port))[0] == 200


HANDSHAKE = {
    "Upgrade": "websocket",
    "Connection": "Upgrade",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}


@pytest.mark.parametrize("version", ["1.1", "1.0"])
@pytest.mark.parametrize(
    "name", [*HANDSHAKE, "Sec-WebSocket-Protocol", "Sec-WebSocket-Extensions", "Host", "Origin"]
)
async def test_a_handshake_whose_headers_are_not_ascii_ends_that_connection_alone(
    name: str, version: str
) -> None:
    async with serving() as server:
        own = {"Host": server.host, "Origin": server.origin, **HANDSHAKE}
        told = own | {name: f"\xff\xfe, {own.get(name, '')}", "Connection": own["Connection"]}
        if name == "Connection":
            told["Connection"] = "\xff, Upgrade"
        lines = [f"GET /table HTTP/{version}", *(f"{key}: {value}" for key, value in told.items())]
        with trio.move_on_after(0.2):
            await raw(server.port, ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))
        assert (await get(server.port))[0] == 200


async def test_a_mistake_in_an_answer_ends_that_connection_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server = PageServer(FILES)

    def fail(*_given: object) -> tuple[int, bytes]:
        raise ZeroDivisionError

    async with trio.open_nursery() as nursery:
        nursery.start_soon(server.serve, echo)
        with monkeypatch.context() as patch:
            patch.setattr(PageServer, "_judged", fail)
            for _ in range(2 * MOST_FAILURES):
                assert await raw(server.port, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n") == b""
        assert {type(one) for one in server.failures} == {ZeroDivisionError}
        assert len(server.failures) == MOST_FAILURES
        assert (await get(server.port))[0] == 200
        nursery.cancel_scope.cancel()


# Who enters.


async def test_the_secret_lets_one_window_enter_once_and_its_token_again() -> None:
    async with serving() as server:
        secret = secret_of(server)
        client, token = await entered(server)
        assert await echoes(client)
        await client.close()
        assert await (await Client.enter(server.port, secret=secret)).code() == WRONG_SECRET
        again = await Client.enter(server.port, token=token)
        assert (await again.receive())["token"] == token
        assert secret_of(server) == ""


@pytest.mark.parametrize(
    "first",
    [
        {"type": "enter"},
        {"type": "enter", "secret": ""},
        {"type": "enter", "secret": None},
        {"type": "enter", "secret": "guessed"},
        {"type": "enter", "token": "guessed"},
        {"type": "enter", "token": ["a"]},
        {"type": "enter", "secret": "ö"},
        {"type": "answer", "question": 1, "choice": 0},
        ["enter"],
        "no JSON",
        "[" * 30_000,
    ],
    ids=str,
)
async def test_nobody_enters_without_it(first: object) -> None:
    async with serving() as server:
        client = await Client.open(server.port)
        await client.send(first)
        assert await client.code() == WRONG_SECRET
        assert not server.entered.is_set()


async def test_a_used_secret_is_none_even_if_it_is_empty() -> None:
    async with serving() as server:
        _client, _token = await entered(server)
        assert await (await Client.enter(server.port, secret="")).code() == WRONG_SECRET


async def guess_often(server: PageServer) -> None:
    """Guess until the door is shut."""
    for number in range(MOST_GUESSES):
        guess = await Client.enter(server.port, token=f"guess {number}")
        assert await guess.code() == WRONG_SECRET


async def test_many_guesses_shut_the_door_for_a_time() -> None:
    async with serving() as server:
        secret = secret_of(server)
        await guess_often(server)
        late = await Client.enter(server.port, secret=secret)
        assert await late.code() == TRY_LATER
        await trio.sleep(SHUT)
        late = await Client.enter(server.port, secret=secret)
        assert (await late.receive())["type"] == "entered"


async def test_guesses_of_somebody_else_shut_out_no_window_that_has_entered_once() -> None:
    async with serving() as server:
        client, token = await entered(server)
        await guess_often(server)
        assert await echoes(client)
        again = await Client.enter(server.port, token=token, take=True)
        assert (await again.receive())["type"] == "entered"


async def test_of_two_windows_that_take_over_at_once_one_has_the_table() -> None:
    async with serving() as server:
        first, token = await entered(server)
        # A window that reads nothing is given time for the word that it is replaced.
        await first.send("x" * 60_000)
        with trio.move_on_after(0.5):
            while True:
                await first.send("x" * 60_000)
        both = [await Client.open(server.port) for _ in range(2)]
        for one in both:
            await one.send({"type": "enter", "token": token, "take": True})
        assert [(await one.receive())["type"] for one in both] == ["entered", "entered"]
        codes: list[int] = []

        async def ended(one: Client) -> None:
            codes.append(await one.code())

        async with trio.open_nursery() as nursery:
            for one in both:
                nursery.start_soon(ended, one)
            await trio.sleep(0.5)
            assert codes == [REPLACED]
            nursery.cancel_scope.cancel()


async def test_a_message_in_parts_without_a_letter_has_an_end() -> None:
    async with serving() as server:
        client, _token = await entered(server)
        # A text and many continuations of no bytes, each with an empty mask.
        await client.stream.send_all(b"\x01\x80\0\0\0\0" + b"\x00\x80\0\0\0\0" * (MOST_TEXT + 1))
        assert await client.code() == TOO_LARGE


async def test_a_second_window_waits_for_a_click_which_takes_the_table() -> None:
    async with serving() as server:
        first, token = await entered(server)
        second = await Client.enter(server.port, token=token)
        assert await second.code() == REPLACED
        assert await echoes(first)
        third = await Client.enter(server.port, token=token, take=True)
        assert (await third.receive())["type"] == "entered"
        assert await first.code() == REPLACED
        assert await echoes(third)


async def test_a_reload_enters_though_the_window_before_is_just_going() -> None:
    async with serving() as server:
        first, token = await entered(server)
        async with trio.open_nursery() as nursery:

            async def reload() -> None:
                again = await Client.enter(server.port, token=token)
                assert (await again.receive())["type"] == "entered"

            nursery.start_soon(reload)
            await trio.sleep(0.1)
            await first.close()


async def test_connections_that_do_not_enter_make_room_for_new_ones() -> None:
    async with serving() as server:
        client, _token = await entered(server)
        idle = [await Client.open(server.port) for _ in range(2 * MOST_CONNECTIONS)]
        assert (await get(server.port))[0] == 200
        assert await echoes(client)
        assert len(idle) > MOST_CONNECTIONS


async def test_a_window_that_breaks_the_socket_is_gone_and_the_server_stays() -> None:
    async with serving() as server:
        client, token = await entered(server)
        await client.stream.send_all(b"\xff" * 100)
        again = await Client.enter(server.port, token=token)
        assert (await again.receive())["type"] == "entered"


async def test_a_mistake_in_the_talk_with_a_window_ends_that_window_alone() -> None:
    server = PageServer(FILES)

    async def fail(socket: WebSocket) -> None:
        raise ZeroDivisionError

    async with trio.open_nursery() as nursery:
        nursery.start_soon(server.serve, fail)
        client, token = await entered(server)
        assert await client.code() == DONE
        assert [type(one) for one in server.failures] == [ZeroDivisionError]
        again = await Client.enter(server.port, token=token)
        assert (await again.receive())["type"] == "entered"
        nursery.cancel_scope.cancel()


async def test_it_serves_again_after_one_run_at_the_same_port_with_the_same_token() -> None:
    server = PageServer(FILES)
    async with serving(server):
        _client, token = await entered(server)
    async with serving(server):
        again = await Client.enter(server.port, token=token)
        assert await again.receive() == {"type": "entered", "token": token}
    server.close()
    with pytest.raises(OSError, match="failed"):
        await trio.open_tcp_stream("127.0.0.1", server.port)


def test_a_port_that_is_in_use_is_an_error() -> None:
    server = PageServer(FILES)
    with pytest.raises(OSError, match="in use"):
        PageServer(FILES, server.port)
    server.close()


async def test_the_secrets_are_long_and_new_each_time() -> None:
    one, two = PageServer(FILES), PageServer(FILES)
    assert len({secret_of(one), secret_of(two), one._token, two._token}) == 4
    assert min(map(len, (secret_of(one), one._token))) >= 32  # 24 bytes in base 64
    assert secret_of(one) not in repr(one)
