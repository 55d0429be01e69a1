"""Tests of asking by UPnP, at a real socket; tests/processes/test_ways_in.py has real machines."""

import itertools
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from http.server import BaseHTTPRequestHandler
from ipaddress import IPv4Address

import pytest
import trio
from support.cases import ends_in
from support.igd import DESCRIPTION, Served, Table, found_at

from p2p_hoity.coded_errors import Reason, because
from p2p_hoity.reachability import port_mapping, upnp, upnp_router
from p2p_hoity.reachability.pcp_and_nat_pmp import RouterCode, RouterError

pytestmark = pytest.mark.sampled(34)

EXTERNAL = "81.2.69.142"
HERE = IPv4Address("127.0.0.1")
PORT = 4646
OFFLINE = because(RouterCode.REFUSES, why=because(RouterCode.OFFLINE))
NOT_ALLOWED = because(RouterCode.REFUSES, why=because(RouterCode.NOT_ALLOWED))
NO_ADDRESS = because(RouterCode.REFUSES, why=because(RouterCode.NO_ADDRESS))
ABSENT = because(RouterCode.ABSENT)


WHYS = {718: RouterCode.TAKEN, 728: RouterCode.FULL, 729: RouterCode.TAKEN}
CANNOT = (401, 402, 501, 600, 601, 602, 715, 716, 724, 725, 726, 727, 732, 733)


ENTITIES = f"""<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "/control">]>
{DESCRIPTION.partition("?>")[2].replace(">/control<", ">&a;<")}"""


ENDLESS = {
    "body": (b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 4096),
    "promised body": (b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", b"x" * 4096),
    "chunks": (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"4\r\n<a/>\r\n" * 400),
    "head": (b"HTTP/1.1 200 OK\r\n", b"X-More: " + b"y" * 4000 + b"\r\n"),
    "heads": (b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 100),
    "no HTTP": (b"", b"\x00" * 4096),
}


class Network:
    """A network whose router is on loopback, and says these datagrams when it is searched for."""

    own = router = HERE

    def __init__(self, said: Sequence[bytes]) -> None:
        self.said, self.dialled = list(said), list[int]()

    @asynccontextmanager
    async def searching(self) -> AsyncIterator["Network"]:
        self._left = list(self.said)
        yield self

    async def send(self, data: bytes) -> None:
        await trio.lowlevel.checkpoint()
        assert data.startswith(b"M-SEARCH * HTTP/1.1\r\n")

    async def receive(self) -> bytes:
        await trio.lowlevel.checkpoint()
        if not self._left:
            await trio.sleep_forever()
        return self._left.pop(0)

    async def open(self, port: int) -> trio.abc.Stream:
        self.dialled.append(port)
        return await trio.open_tcp_stream(str(self.router), port)


@pytest.fixture(autouse=True)
def no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody else answers a search."""
    monkeypatch.setattr(upnp_router, "SEARCH", 0.05)


def described_at(port: int) -> bytes:
    return found_at(f"http://127.0.0.1:{port}/d.xml")


def asking(device: Served) -> upnp_router.UpnpRouter:
    return upnp_router.UpnpRouter(Network([described_at(device.port)]), PORT)


async def why(router: upnp_router.UpnpRouter) -> Reason:
    return (await ends_in(RouterError, "", router.open())).reason


async def test_a_port_of_ours_is_opened_for_two_hours_and_taken_away_again() -> None:
    table = Table(EXTERNAL)
    with Served(table) as device:
        router = asking(device)
        for _ in range(2):
            assert (await router.open()).external == f"{EXTERNAL}:{PORT}"
            assert table.opened == {PORT: ("127.0.0.1", PORT, 7200)}
        await router.close()
        assert table.opened == {}


async def test_a_port_of_another_machine_is_left_to_it() -> None:
    table = Table(EXTERNAL, taken=(PORT,))
    with Served(table) as device:
        router = asking(device)
        outside = int((await router.open()).external.rpartition(":")[2])
        assert outside != PORT
        assert list(table.opened) == [outside]
        await router.close()
        assert table.opened == {}


def refused(why: RouterCode, **fields: object) -> Reason:
    return because(RouterCode.REFUSES, why=because(why, **fields))


def cannot(code: int) -> Reason:
    return refused(RouterCode.CANNOT, number=code)


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        (Table(EXTERNAL, refusal=606), NOT_ALLOWED),
        *[(Table(EXTERNAL, refusal=code), refused(why)) for code, why in WHYS.items()],
        *[(Table(EXTERNAL, refusal=code), cannot(code)) for code in CANNOT],
        (Table(""), NO_ADDRESS),
        (Table("0.0.0.0"), OFFLINE),
        (Table("not an address"), NO_ADDRESS),
        (Table("no XML \x1b[2J"), because(RouterCode.SILENT)),
        (Table("2001:db8::1"), NO_ADDRESS),
    ],
    ids=["606", *map(str, (*WHYS, *CANNOT)), "none", "unset", "nonsense", "no XML", "IPv6"],
)
async def test_it_is_told_why_a_router_opens_nothing(table: Table, reason: Reason) -> None:
    with Served(table) as device:
        router = asking(device)
        assert await why(router) == reason
        asked_before = len(router._network.dialled)  # type: ignore[attr-defined]
        await router.close()
        assert len(router._network.dialled) == asked_before  # type: ignore[attr-defined]


@pytest.mark.parametrize("code", [725, 402, 501, 600, 601])
async def test_a_router_that_opens_without_an_end_only_is_asked_for_that_and_closed(
    code: int,
) -> None:
    """[L-54]"""
    table = Table(EXTERNAL, lasting=code)
    with Served(table) as device:
        router = asking(device)
        for _ in range(2):
            opened = await router.open()
            assert (opened.external, opened.is_endless) == (f"{EXTERNAL}:{PORT}", True)
            assert table.opened == {PORT: ("127.0.0.1", PORT, 0)}
        assert table.leases == [7200, 0, 0]  # what it takes is known the second time
        await router.close()
        assert table.opened == {}


@pytest.mark.parametrize("code", [718, 729])
async def test_another_port_is_tried_without_an_end_too(code: int) -> None:
    table = Table(EXTERNAL, lasting=725, conflicts={PORT: code})
    with Served(table) as device:
        router = asking(device)
        opened = await router.open()
        assert opened.is_endless
        assert not opened.external.endswith(f":{PORT}")
        assert list(table.opened) == [int(opened.external.rpartition(":")[2])]
        await router.close()
        assert table.opened == {}


async def test_a_router_that_forwards_to_the_same_port_only_is_told_with_what_to_do() -> None:
    table = Table(EXTERNAL, taken=(PORT,), refusal=724)
    with Served(table) as device:
        assert await why(asking(device)) == refused(RouterCode.SAME_PORT, port=PORT)


@pytest.mark.parametrize("replaces", [True, False])
async def test_what_a_killed_program_left_open_is_replaced(replaces: bool) -> None:
    table = Table(EXTERNAL, lasting=725, replaces=replaces)
    with Served(table) as device:
        await asking(device).open()  # and is killed
        assert list(table.opened) == [PORT]
        router = asking(device)
        assert (await router.open()).external == f"{EXTERNAL}:{PORT}"
        assert list(table.opened) == [PORT]
        await router.close()
        assert table.opened == {}


async def test_a_mapping_with_an_end_is_not_renewed_without_one() -> None:
    """[L-54]: the player was told of no port that stays open."""
    table = Table(EXTERNAL)
    with Served(table) as device:
        router = asking(device)
        assert not (await router.open()).is_endless
        table.lasting = 501
        assert await why(router) == cannot(501)
        assert table.opened == {PORT: ("127.0.0.1", PORT, 7200)}
        await router.close()
        assert table.opened == {}


async def test_the_player_is_told_of_a_port_that_stays_open() -> None:
    told: list[tuple[str, Reason | None]] = []
    with Served(Table(EXTERNAL, lasting=725)) as device:
        router = asking(device)
        opened = await router.open()
        with trio.move_on_after(0.05):
            await port_mapping._keep(router, opened, lambda *news: told.append(news))
    assert told == [(f"{EXTERNAL}:{PORT}", because(RouterCode.STAYS_OPEN))]


async def test_a_router_that_refuses_its_address_is_not_called_offline() -> None:
    table = Table(501)
    with Served(table) as device:
        assert await why(asking(device)) == cannot(501)


@pytest.mark.parametrize(
    "control",
    [
        "control",
        "./control",
        "//127.0.0.1:{port}/control",
        "HTTP://127.0.0.1:{port}/control?x=1",
        "",
    ],
)
async def test_a_service_is_found_however_its_place_is_written(control: str) -> None:
    table = Table(EXTERNAL)
    # Only the port is not known before the device is.
    with Served(table) as plain, Served(table, lambda h: described(text)(h)) as device:
        written = control.format(port=plain.port)
        text = DESCRIPTION.replace(">/control<", f"> {written}\n<") if control else DESCRIPTION
        if not control:
            base = f"<URLBase>http://127.0.0.1:{plain.port}</URLBase><device>"
            text = text.replace(">/control<", ">control<").replace("<device>", base, 1)
        router = asking(device)
        assert (await router.open()).external == f"{EXTERNAL}:{PORT}"
        await router.close()
        assert table.opened == {}


async def test_nothing_is_dialled_unless_the_router_answers_with_a_place_on_itself() -> None:
    with Served(Table(EXTERNAL)) as device:
        elsewhere = (
            "192.168.1.9",
            "127.0.0.2",
            "8.8.8.8",
            "localhost",
            "[::1]",
            "127.0.0.1@10.0.0.1",
        )
        said = [found_at(f"http://{host}:{device.port}/d.xml") for host in elsewhere]
        said += [
            found_at(f"https://127.0.0.1:{device.port}/d.xml"),
            found_at("http://127.0.0.1:99999/"),
            found_at("http://127.0.0.1:0/"),
            found_at("file:///etc/passwd"),
            described_at(device.port).replace(b"200 OK", b"404 Not Found"),
            b"",
            b"NOTIFY * HTTP/1.1\r\n\r\n",
        ]
        network = Network(said)
        assert await why(upnp_router.UpnpRouter(network, PORT)) == ABSENT
        assert network.dialled == []


def redirected(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(302)
    handler.send_header("Location", "http://10.0.0.1/")
    handler.end_headers()


def described(text: str) -> Callable[[BaseHTTPRequestHandler], None]:
    def describe(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        handler.wfile.write(text.encode())

    return describe


@pytest.mark.parametrize(
    "describe",
    [
        redirected,
        *map(
            described,
            [
                DESCRIPTION.replace(">/control<", ">http://10.0.0.1/control<"),
                DESCRIPTION.replace(">/control<", ">//10.0.0.1/control<"),
                DESCRIPTION.replace("<device>", "<URLBase>http://10.0.0.1/</URLBase><device>", 1),
                DESCRIPTION.replace("WANIPConnection:1", "Printer:1"),
                ENTITIES,
                DESCRIPTION[:-20],
                "",
            ],
        ),
    ],
)
async def test_a_description_leads_nowhere_else(
    describe: Callable[[BaseHTTPRequestHandler], None],
) -> None:
    with Served(Table(EXTERNAL), describe) as device:
        network = Network([described_at(device.port)])
        assert await why(upnp_router.UpnpRouter(network, PORT)) == ABSENT
        assert set(network.dialled) == {device.port}


class Endless:
    """An answer that never ends, until it is read no more: how much of it was taken."""

    def __init__(self, head: bytes, piece: bytes, pause: float = 0.0) -> None:
        self._head, self._piece, self._pause = head, piece, pause
        self.taken, self.ended = 0, threading.Event()

    def __call__(self, handler: BaseHTTPRequestHandler) -> None:
        parts = itertools.chain([self._head], itertools.repeat(self._piece))
        try:
            while not self.ended.wait(self._pause):
                self.taken += handler.wfile.write(next(parts))
        except OSError:
            self.ended.set()


@pytest.mark.parametrize("of_action", [False, True])
@pytest.mark.parametrize("answer", ENDLESS.values(), ids=ENDLESS)
async def test_an_answer_without_end_is_read_up_to_a_bound(
    answer: tuple[bytes, bytes], of_action: bool
) -> None:
    endless = Endless(*answer)
    answering = (None, endless) if of_action else (endless,)
    with Served(Table(EXTERNAL), *answering) as device:
        assert await why(asking(device)) == (because(RouterCode.SILENT) if of_action else ABSENT)
        await trio.to_thread.run_sync(endless.ended.wait)
    # Beside what was read, what the system had taken in for us by then.
    assert endless.taken < upnp.MAX_DESCRIPTION + (16 << 20)


@pytest.mark.parametrize("of_action", [False, True])
async def test_who_gives_up_a_slow_answer_reads_no_more_of_it(
    of_action: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """[L-68]: no thread is left to itself; the device sees its connection closed."""
    monkeypatch.setattr(upnp_router, "UPNP_TIMEOUT", 0.2)
    slow = Endless(b"HTTP/1.1 200 OK\r\n\r\n", b"<", pause=0.01)
    answering = (None, slow) if of_action else (slow,)
    threads = threading.active_count()
    with Served(Table(EXTERNAL), *answering) as device:
        assert await why(asking(device)) == because(RouterCode.SILENT)
        await trio.to_thread.run_sync(slow.ended.wait)
    assert threading.active_count() <= threads + 1  # one of trio's, that waits for more work


async def test_who_leaves_while_it_asks_leaves_no_port() -> None:
    """[L-54]: also one that was opened just then, though no answer said so."""
    table, asked, go_on = Table(EXTERNAL), trio.Event(), threading.Event()
    add, token = table._add, trio.lowlevel.current_trio_token()

    def slowly(*given: object) -> object:
        found = add(*given)  # type: ignore[arg-type]
        token.run_sync_soon(asked.set)
        go_on.wait()
        return found

    table._add = slowly  # type: ignore[method-assign, assignment]
    with Served(table) as device:
        async with trio.open_nursery() as nursery:
            failure = RouterError(RouterCode.SILENT)
            nursery.start_soon(port_mapping._of_others, [asking(device)], failure)
            await asked.wait()
            assert list(table.opened) == [PORT]
            nursery.cancel_scope.cancel()
        go_on.set()
    assert table.opened == {}


async def test_a_renewal_that_fails_takes_nothing_away() -> None:
    table = Table(EXTERNAL)
    with Served(table) as device:
        router = asking(device)
        await router.open()
        table.refusal = 606
        assert await why(router) == NOT_ALLOWED
        assert list(table.opened) == [PORT]
        await router.close()
        assert table.opened == {}
