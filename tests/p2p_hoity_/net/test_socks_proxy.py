"""Tests of dialling by a SOCKS5 proxy: what it is asked and may refuse, and what never leaks."""

import os
from typing import Any

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each, ends_in, fails
from support.relays import serve_relay
from support.running import running
from support.socks_server import SocksServer, proxied

from p2p_hoity.net.addresses import Address, Named, parse_address
from p2p_hoity.net.hub import Hub
from p2p_hoity.net.link_limits import Limits
from p2p_hoity.net.network_errors import NetCode, NetError, NobodyError
from p2p_hoity.net.socks_proxy import (
    Proxy,
    ProxyCode,
    ProxyTypedError,
    SocksNetwork,
    broken_proxy,
    parse_proxy,
)
from protocol.crypto.identities import Identity

HOST, GUEST = Identity(b"h" * 32), Identity(b"g" * 32)
ONION = "abcdefghijklmnop.onion"


def network(server: SocksServer, name: str = "", password: str = "") -> SocksNetwork:
    return SocksNetwork(Proxy("127.0.0.1", server.port, name, password))


async def answer(stream: trio.SocketStream) -> None:
    async with stream:
        await stream.send_all(b"hello")


async def listening(nursery: trio.Nursery) -> int:
    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
    nursery.start_soon(trio.serve_listeners, answer, [listener])
    return int(listener.socket.getsockname()[1])


async def test_a_name_is_resolved_by_the_proxy_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_up: list[object] = []
    real = trio.socket.getaddrinfo

    async def spy(host: Any, *rest: Any, **more: Any) -> Any:
        looked_up.append(host)
        return await real(host, *rest, **more)

    monkeypatch.setattr(trio.socket, "getaddrinfo", spy)
    async with running() as nursery, proxied(SocksServer()) as server:
        server.where[ONION] = ("127.0.0.1", await listening(nursery))
        looked_up.clear()
        async with await network(server).open(Address(ONION, 4646)) as stream:
            assert await stream.receive_some() == b"hello"
        assert server.asked == [(ONION, 4646)]
        assert ONION not in looked_up


async def test_this_machine_is_dialled_without_it_and_a_password_given_if_it_wants_one() -> None:
    async with running() as nursery, proxied(SocksServer()) as server:
        port = await listening(nursery)
        async with await network(server).open(Address("127.0.0.1", port)) as stream:
            assert await stream.receive_some() == b"hello"
        assert server.asked == []
    server = SocksServer(login=(b"Ada", b"s3cret"))
    async with running() as nursery, proxied(server):
        server.where["h.example"] = ("127.0.0.1", await listening(nursery))
        async with await network(server, "Ada", "s3cret").open(Address("h.example", 1)) as stream:
            assert await stream.receive_some() == b"hello"
        assert server.logins == [(b"Ada", b"s3cret")]


@pytest.mark.parametrize("password", ["", "wr0ng-word"])
async def test_one_that_lets_us_not_in_says_so_and_no_password(password: str) -> None:
    server = SocksServer(login=(b"Ada", b"s3cret"))
    async with proxied(server):
        with pytest.raises(NetError, match="proxy-lets-not-in") as raised:
            await network(server, "Ada", password).open(Address("h.example", 1))
    assert not password or password not in _everything(raised.value)


def _everything(error: BaseException | None) -> str:
    found = ""
    while error is not None:
        found += f"{error!r} {error} {vars(error)}"
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return found


@pytest.mark.parametrize(
    ("reply", "code", "is_final"),
    [
        (1, "proxy-failed", False),
        (2, "proxy-forbids", False),
        (3, "no-way-to-network", False),
        (4, "no-way-to-machine", False),
        (5, "nobody-listens", True),
        (6, "no-answer", False),
        (7, "proxy-forbids", False),
        (8, "no-such-address-family", False),
        (99, "proxy-lets-not-in", False),
    ],
)
async def test_each_refusal_has_its_meaning(reply: int, code: str, is_final: bool) -> None:
    async with proxied(SocksServer(reply=reply)) as server:
        dialled = network(server).open(Address("93.184.216.34", 80))
        raised = await ends_in(NetError, f"^proxy-refused .*{code}", dialled)
    assert isinstance(raised, NobodyError) is is_final


@pytest.mark.parametrize(
    "lie",
    [b"", b"\x05", b"\x04\x00", b"HTTP/1.0 400\r\n", b"\x05\x07", b"\x05\x02", b"\x05\x00"]
    + [b"\x05\x00" + rest for rest in (b"\x05\x00\x00", b"\x05\x00\x01\x01", b"\x04\x00\x00\x01")]
    + [b"\x05\x00\x05\x00\x00\x09" + bytes(20), b"\x05\x00\x05\x00\x00\x03\xff" + bytes(9)],
    ids=repr,
)
async def test_a_lie_is_no_crash(lie: bytes) -> None:
    async with proxied(SocksServer(lie=lie)) as server:
        await ends_in(NetError, "", network(server).open(Address("h.example", 1)))


def test_a_broken_proxy_is_told_if_no_way_got_further_and_its_password_never() -> None:
    no = NetError(ProxyCode.UNREACHED, proxy="h:1", why="w").reason
    other = NetError(ProxyCode.REFUSED, address="h:1", why="w").reason
    assert broken_proxy(no) == no
    assert broken_proxy(NetError(NetCode.EACH_WAY, reasons=(no, no)).reason) == no
    for reasons in ((no, other), (other,), ()):
        assert broken_proxy(NetError(NetCode.EACH_WAY, reasons=reasons).reason) is None
    proxy = parse_proxy("socks5://Ada:s3cret@127.0.0.1:9050")
    assert "s3cret" not in f"{proxy!r} {proxy} {SocksNetwork(proxy)!r}"
    assert os.fspath(str(proxy)) == "127.0.0.1:9050"


async def test_one_that_is_not_there_is_told_and_one_that_hangs_costs_one_attempt() -> None:
    with trio.socket.socket() as taken:
        await taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with pytest.raises(NobodyError, match="proxy-unreached"):
            await SocksNetwork(Proxy("127.0.0.1", port)).open(Address("h.example", 1))
    async with running() as nursery, proxied(SocksServer(hangs=True)) as server:
        guest = Hub(GUEST, network=network(server), limits=Limits(dial=0.2))
        await nursery.start(guest.run)
        await ends_in(NetError, r"\(slow-answer", guest.connect(["h.example:1"], HOST.public, 10))


@pytest.mark.parametrize(
    "address",
    [
        "10.1.2.3:1",
        "[fd00::1]:1",
        "[fec0::1]:1",
        "[64:ff9b::10.1.2.3]:1",
        "[2002:a01:203::1]:1",
        "[::10.1.2.3]:1",
        "intranet.example:1",
    ],
)
async def test_what_others_name_leads_into_no_network_of_the_proxy(address: str) -> None:
    named = Address(parse_address(address).host, 1, named=Named.FAR)
    async with proxied(SocksServer()) as server:
        await ends_in(NobodyError, "not-dialled-by-proxy", network(server).open(named))
        assert server.asked == []


async def test_what_others_name_on_the_internet_is_asked_and_nobody_can_dial_who_hides() -> None:
    async with proxied(SocksServer(reply=4)) as server:
        for host in ("93.184.216.34", ONION):
            with pytest.raises(NetError, match="no-way-to-machine"):
                await network(server).open(Address(host, 9, named=Named.FAR))
        assert server.asked == [("93.184.216.34", 9), (ONION, 9)]
    hidden = SocksNetwork(Proxy("127.0.0.1", 9))
    for place in ("", "0.0.0.0", "::", "192.0.2.1"):
        await ends_in(NetError, "proxy-listens-here-only", hidden.listen(place, 0))
    (listener,) = await hidden.listen("127.0.0.1", 0)
    await listener.aclose()


async def test_two_peers_are_linked_through_a_relay_that_only_the_proxy_reaches() -> None:
    """The relay has a name that nothing but the proxy knows."""
    async with running() as nursery, proxied(SocksServer(slow=0.1)) as server:
        (relay,) = await nursery.start(serve_relay, "127.0.0.1", 0)
        server.where["relay.onion"] = ("127.0.0.1", parse_address(relay).port)
        limits = Limits(dial=20.0)
        host = Hub(HOST, network=network(server), limits=limits)
        guest = Hub(GUEST, network=network(server), limits=limits)
        await nursery.start(host.run)
        await nursery.start(guest.run)
        where = await host.listen_via("relay.onion:4646")
        await guest.connect([where], HOST.public, 10)
        assert guest.linked(HOST.public)
        assert set(server.asked) == {("relay.onion", 4646)}


@pytest.mark.parametrize(
    ("text", "proxy"),
    [
        ("socks5://127.0.0.1:9050", Proxy("127.0.0.1", 9050)),
        ("socks5h://[::1]:1/", Proxy("::1", 1)),
        ("socks5://Ada:p%40ss@tor.example:80", Proxy("tor.example", 80, "Ada", "p@ss")),
    ],
)
def test_a_proxy_as_typed(text: str, proxy: Proxy) -> None:
    assert parse_proxy(text) == proxy


@each(
    [
        "",
        "127.0.0.1:9050",
        "http://127.0.0.1:80",
        "socks4://127.0.0.1:80",
        "socks5://127.0.0.1",
        "socks5://127.0.0.1:99999",
        "socks5://Ada:s3cret@:80",
        "socks5://Ada:s3cret@h:0",
        "socks5://Ada:s3cret@h:80/way",
        "socks5://Ada:s3cret@h:80?x",
        "socks5://Ada:s3crét@h:80",
        "socks5://Ada:s3cret@[::1:80",
        "socks5://Ada:" + "s3cret" * 50 + "@h:80",
    ]
)
def test_what_is_no_proxy_is_refused_and_not_repeated(text: str) -> None:
    assert "s3cr" not in _everything(fails(ProxyTypedError, "", parse_proxy, text))


@given(st.text(max_size=60))
def test_any_text_is_a_proxy_or_none(text: str) -> None:
    try:
        found = parse_proxy(f"socks5://{text}")
    except ProxyTypedError:
        return
    assert 1 <= found.port <= 65535


@each(
    [
        "'socks5://127.0.0.1:9050'",
        '"socks5://127.0.0.1:9050/"',
        "<socks5h://127.0.0.1:9050>",
        "\ufeffsocks5://127.0.0.1:9050.",
        "ｓｏｃｋｓ５：／／127.0.0.1:9050",
    ]
)
def test_a_proxy_may_stand_between_marks(text: str) -> None:
    assert str(parse_proxy(text)) == "127.0.0.1:9050"


def test_a_password_of_a_proxy_is_taken_as_it_is() -> None:
    proxy = parse_proxy("socks5://_ana_:a.b!@bücher.example:1080")
    assert (proxy.name, proxy.password, proxy.host) == ("_ana_", "a.b!", "xn--bcher-kva.example")
