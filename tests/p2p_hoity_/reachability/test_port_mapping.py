"""Tests of asking a router for a way in, keeping it, taking it away, and what is found then."""

import ipaddress
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from itertools import pairwise
from typing import Any

import pytest
import trio
import trio.testing
from hypothesis import given
from hypothesis import strategies as st
from support.limits import LIMIT
from support.memory_network import MemoryNetwork
from support.relays import serve_relay
from support.router import Router, Served
from support.running import running

from p2p_hoity.coded_errors import Reason, because
from p2p_hoity.reachability import pcp_and_nat_pmp, port_mapping
from p2p_hoity.reachability import pcp_and_nat_pmp as product
from p2p_hoity.reachability.advertised_addresses import Found, ReachCode, Scope, Wanted
from p2p_hoity.reachability.pcp_and_nat_pmp import (
    Epoch,
    NatPmpRouter,
    OpenedPort,
    PcpRouter,
    RouterCode,
    RouterError,
)
from p2p_hoity.reachability.port_mapping import SETTLE, Reachability

CLIENT = "192.168.1.5"
PORT = 4646
GLOBAL = "81.2.69.142"

HOME, LOOP = "192.168.1.5:4646", "127.0.0.1:4646"
LAN = Wanted(lan=True)


class Wire:
    """Datagrams in memory to a router: each question is written down with its time."""

    def __init__(self, router: Router | None) -> None:
        self.router = router
        self.asked: list[tuple[float, bytes]] = []
        self._send, self._receive = trio.open_memory_channel[bytes](math.inf)

    @property
    def own(self) -> ipaddress.IPv4Address:
        return ipaddress.IPv4Address(CLIENT)

    async def send(self, data: bytes) -> None:
        await trio.lowlevel.checkpoint()
        self.asked.append((trio.current_time(), data))
        said = self.router.answer(data, CLIENT) if self.router else None
        if said is not None:
            self._send.send_nowait(said)

    async def receive(self) -> bytes:
        return await self._receive.receive()


class Net:
    """A network with one router, or none."""

    def __init__(self, router: Router | None, *others: Any) -> None:
        self.router, self.wires = router, list[Wire]()
        self._others = others
        self.told: list[tuple[str, Reason | None]] = []

    @asynccontextmanager
    async def ways(self, port: int) -> AsyncIterator[tuple[str, Any]]:
        newer: Any = Wire(self.router)
        older: Any = Wire(self.router)
        self.wires += newer, older
        newer, older = product.PcpRouter(newer, port), product.NatPmpRouter(older, port)
        yield CLIENT, (newer, older, *self._others)

    def tell(self, external: str, trouble: Reason | None) -> None:
        self.told.append((external, trouble))

    async def keep(self, seconds: float) -> None:
        """Keep a way in for so long, and take it away."""
        with trio.move_on_after(seconds):
            await port_mapping.keep_open({CLIENT}, PORT, self.tell, self.ways)


def clocked(**how: Any) -> Router:
    """A router with an address of the internet whose clock is the virtual one."""
    made = Router(GLOBAL, **how)
    made.__class__ = type(
        "Clocked", (Router,), {"epoch": property(lambda _: int(trio.current_time()))}
    )
    return made


async def test_a_router_opens_and_closes_in_the_protocol_it_asks_for(autojump_clock: Any) -> None:
    router = clocked()
    net = Net(router)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(net.keep, 10.0)
        await trio.testing.wait_all_tasks_blocked()
        outside = router.opened[PORT][1]
        assert net.told == [(f"{GLOBAL}:{outside}", None)]
    assert router.opened == {}
    assert len(router.nonces) == 1  # the same for asking and for taking away
    router, began = clocked(pcp=False), trio.current_time()
    net = Net(router)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(net.keep, 10.0)
        await trio.testing.wait_all_tasks_blocked()
        assert trio.current_time() - began < port_mapping.HEAD_START
        assert net.told[0][0].startswith(GLOBAL)
    assert router.opened == {}


@pytest.mark.parametrize("speaks_pcp", [True, False])
async def test_who_leaves_early_takes_it_all_away(speaks_pcp: bool, autojump_clock: Any) -> None:
    """[L-54]"""
    opened = []

    def answered(said: bytes) -> bytes:
        if router.opened:
            opened.append(dict(router.opened))
            scope.cancel()
        return said

    router, scope = clocked(pcp=speaks_pcp, spoil=answered), trio.CancelScope()
    net = Net(router)
    with scope:
        await net.keep(10.0)
    assert net.told == []
    assert opened
    assert router.opened == {}


async def test_a_router_that_leads_elsewhere_is_silent_or_moves_is_told(
    autojump_clock: Any,
) -> None:
    net = Net(clocked())
    with trio.move_on_after(10):
        await port_mapping.keep_open({"10.0.0.9"}, PORT, net.tell, net.ways)
    assert net.told == [("", because(RouterCode.ELSEWHERE, host=CLIENT))]
    assert net.router is not None
    assert net.router.heard == []
    router = clocked()
    router.external = "100.70.1.2"
    net = Net(router)
    await net.keep(10.0)
    assert net.told == [("", because(ReachCode.DOUBLE_NAT, address="100.70.1.2"))]
    assert router.opened == {}
    assert len(router.heard) == 2
    router = clocked(lifetime=600)
    net = Net(router)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(net.keep, 640.0)
        await trio.testing.wait_all_tasks_blocked()
        router.spoil = lambda _: None
    assert len(net.wires[0].asked) >= 6
    assert net.told[1:] == [("", because(RouterCode.SILENT))]
    router = clocked(lifetime=600)
    net = Net(router)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(net.keep, 500.0)
        await trio.testing.wait_all_tasks_blocked()
        router.external = "93.184.216.34"
    assert [external.rpartition(":")[0] for external, _ in net.told] == [GLOBAL, "93.184.216.34"]


async def test_routers_are_asked_as_the_rfcs_say_and_silence_is_told(autojump_clock: Any) -> None:
    router = clocked(pcp=False)
    router.spoil = lambda said: None if len(said) == 8 else said
    net, began = Net(router), trio.current_time()
    await net.keep(10.0)
    (when, _), *_ = net.wires[1].asked
    assert when - began == pytest.approx(port_mapping.HEAD_START)
    assert net.told[0][0].startswith(GLOBAL)
    net, began = Net(None), trio.current_time()
    await net.keep(20.0)
    newer, older = ([round(t - began, 2) for t, _ in wire.asked] for wire in net.wires)
    assert newer[0] == 0
    assert 2.7 <= newer[1] <= 3.3
    assert older == [0.5, 0.75, 1.25, 2.25]
    assert net.told == [("", because(RouterCode.SILENT))]
    pauses = list(pcp_and_nat_pmp.pcp_pauses(20))
    assert 2.7 <= pauses[0] <= 3.3
    ratios = [b / a for a, b in pairwise(pauses[:7])]
    assert all(1.8 <= ratio <= 2.2 for ratio in ratios)
    assert max(pauses) <= 1024 * 1.1
    assert list(pcp_and_nat_pmp.natpmp_pauses(4)) == [0.25, 0.5, 1.0, 2.0]


@pytest.mark.parametrize(
    ("code", "why"),
    [
        (2, because(RouterCode.NOT_ALLOWED)),
        (7, because(RouterCode.OFFLINE)),
        (8, because(RouterCode.FULL)),
        (12, because(RouterCode.BETWEEN)),
        (9, because(RouterCode.CANNOT, number=9)),
        (200, because(RouterCode.CANNOT, number=200)),
    ],
)
async def test_a_refusal_is_told_in_meaning(code: int, why: Reason, autojump_clock: Any) -> None:
    net = Net(clocked(code=code, natpmp=False))
    await net.keep(10.0)
    assert net.told == [("", because(RouterCode.REFUSES, why=why))]


async def test_a_mapping_is_renewed_in_time_and_not_too_often(autojump_clock: Any) -> None:
    router = clocked(lifetime=600)
    net = Net(router)
    await net.keep(3600.0)
    times = [when for when, _ in net.wires[0].asked]
    pauses = [b - a for a, b in pairwise(times[:-1])]
    assert len(pauses) >= 9
    assert all(300 <= pause <= 375 for pause in pauses)
    assert len(router.nonces) == 1
    assert len(net.told) == 1
    port = int(net.told[0][0].rpartition(":")[2])
    renewals = [data[42:44] for _, data in net.wires[0].asked[1:-1]]
    assert set(renewals) == {port.to_bytes(2, "big")}
    router = clocked()
    router.spoil = lambda said: said[:4] + b"\xff\xff\xff\xff" + said[8:]
    net = Net(router)
    await net.keep(86_400.0)
    assert len(net.wires[0].asked) >= 3
    net = Net(clocked(lifetime=1))
    await net.keep(60.0)
    assert len(net.wires[0].asked) <= 60 / port_mapping.SHORTEST + 2


async def test_no_liar_is_heard_and_a_fresh_router_is_asked_again(autojump_clock: Any) -> None:
    router = clocked(natpmp=False)
    net = Net(router)
    lies = [b"", b"\2\x81", bytes(60), bytes(1500)]
    wire = Wire(router)
    for lie in lies:
        wire._send.send_nowait(lie)
    opened = await product.PcpRouter(wire, PORT).open()
    assert opened.external.startswith(GLOBAL)
    assert net.told == []
    router = clocked(pcp=False)
    clocks = iter([100, 3, 3, 4])
    router.spoil = lambda said: said[:4] + next(clocks).to_bytes(4, "big") + said[8:]
    wire = Wire(router)
    await product.NatPmpRouter(wire, PORT).open()
    assert [len(data) for _, data in wire.asked] == [2, 12, 2, 12]


class Other:
    """A router of another kind."""

    def __init__(self, external: str | None) -> None:
        self.external, self.closed = external, False

    async def open(self) -> OpenedPort:
        await trio.lowlevel.checkpoint()
        if self.external is None:
            raise RouterError(RouterCode.REFUSES, why=because(RouterCode.FULL))
        return OpenedPort(self.external, 7200)

    async def close(self) -> None:
        await trio.lowlevel.checkpoint()
        self.closed = True


async def test_a_router_of_another_kind_is_asked_when_these_fail(autojump_clock: Any) -> None:
    other = Other(f"{GLOBAL}:4646")
    failing = Other(None)
    net = Net(None, failing, other)
    await net.keep(10.0)
    assert net.told == [(f"{GLOBAL}:4646", None)]
    assert other.closed
    assert failing.closed
    net = Net(None, Other(None))
    await net.keep(10.0)
    refused = because(RouterCode.REFUSES, why=because(RouterCode.FULL))
    assert net.told == [("", refused)]


@given(st.floats(10, 86_400))
def test_renewals_come_ever_closer_to_the_end_and_never_crowd(lifetime: float) -> None:
    moments = list(port_mapping.moments(lifetime))
    assert all(a < b for a, b in pairwise(moments))
    assert moments[-1] < lifetime
    assert lifetime / 2 <= moments[0] <= lifetime * 0.625 or moments[0] == port_mapping.SHORTEST


@pytest.mark.parametrize(
    ("theirs", "ours", "is_new"),
    [(110, 10, False), (102, 10, True), (99, 10, True), (130, 10, True), (101, 2, False)],
)
def test_a_clock_that_goes_not_with_ours_is_new(theirs: int, ours: int, is_new: bool) -> None:
    epoch = Epoch()
    assert epoch.is_new(100, 0) is False
    assert epoch.is_new(theirs, ours) is is_new


async def test_a_router_at_a_real_socket_is_asked_and_one_that_is_not_there_known() -> None:
    with Served(Router(GLOBAL)) as served:
        async with pcp_and_nat_pmp.datagrams("127.0.0.1", served.port) as wire:
            asking = product.PcpRouter(wire, PORT)
            opened = await asking.open()
            assert opened.external == f"{GLOBAL}:{served.router.opened[PORT][1]}"
            assert wire._socket.getpeername()[0] == "127.0.0.1"
            await asking.close()
            assert served.router.opened == {}
    with trio.socket.socket(trio.socket.AF_INET, trio.socket.SOCK_DGRAM) as taken:
        await taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    async with pcp_and_nat_pmp.datagrams("127.0.0.1", port) as wire:
        with pytest.raises(RouterError, match="router-does-not-open"):
            await product.NatPmpRouter(wire, PORT).open()


async def test_nobody_but_the_router_is_heard() -> None:
    """An answer in the right form from another socket never reaches us."""
    seen = trio.Event()
    with Served(Router(natpmp=False)) as served:
        async with pcp_and_nat_pmp.datagrams("127.0.0.1", served.port) as wire:
            with trio.socket.socket(trio.socket.AF_INET, trio.socket.SOCK_DGRAM) as stranger:
                wish = pcp_and_nat_pmp.PcpMapping(b"n" * 12, wire.own, PORT, 60)
                lie = Router("6.6.6.6").answer(pcp_and_nat_pmp.encode_pcp_map(wish), "127.0.0.1")
                assert lie is not None
                await stranger.sendto(lie, wire._socket.getsockname())
                seen.set()
                await wire.send(pcp_and_nat_pmp.encode_pcp_map(wish))
                found = pcp_and_nat_pmp.read_pcp_answer(await wire.receive(), wish)
    assert isinstance(found, pcp_and_nat_pmp.Granted)
    assert str(found.external) == "203.0.113.7"


async def test_the_default_router_is_asked_on_a_private_network_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(port_mapping, "gateway", lambda: "8.8.8.8")
    with pytest.raises(RouterError, match="router-unknown"):
        async with port_mapping.of_this_network(PORT):
            pass


def routers(router: Router | None, asked: list[Wire]) -> port_mapping.Ways:
    """The one router of a network in memory."""

    @asynccontextmanager
    async def ways(port: int) -> AsyncIterator[tuple[str, Any]]:
        newer, older = wires = Wire(router), Wire(router)
        asked.extend(wires)
        yield CLIENT, (PcpRouter(newer, port), NatPmpRouter(older, port))  # type: ignore[arg-type]

    return ways


async def test_a_router_that_answers_soon_late_or_not_is_in_the_ticket(autojump_clock: Any) -> None:
    ways = Reachability(Found((HOME, LOOP)), LAN, routers(Router(GLOBAL), []))
    async with running() as nursery:
        ways.explore(nursery, MemoryNetwork())
        await ways.settle()
        judged = ways.judged()
        assert judged.scope is Scope.ANYWHERE
        assert judged.direct[0].startswith(GLOBAL)
        assert trio.current_time() < SETTLE
    router = Router(GLOBAL)
    router.spoil = lambda said: said if trio.current_time() > 2 else None
    ways = Reachability(Found((HOME, LOOP)), LAN, routers(router, []))
    async with running() as nursery:
        ways.explore(nursery, MemoryNetwork())
        await ways.settle()
        assert ways.judged().scope is Scope.LAN
        await ways.changed()
        assert ways.judged().scope is Scope.ANYWHERE
    ways = Reachability(Found((HOME, LOOP)), LAN, routers(None, []))
    async with running() as nursery:
        began = trio.current_time()
        ways.explore(nursery, MemoryNetwork())
        await ways.settle()
        assert trio.current_time() - began == pytest.approx(SETTLE)
        assert because(ReachCode.ASKED) in ways.judged().reasons
        await ways.changed()
        codes = {reason.code for reason in ways.judged().reasons}
        assert "router-silent" in codes
        assert ReachCode.ASKED not in codes


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        (Found((LOOP,)), LAN),
        (Found((HOME, "93.184.216.34:4646", LOOP)), LAN),
        (Found((HOME, LOOP), ("93.184.216.34:4646",)), LAN),
        (Found((HOME, LOOP)), Wanted(hidden=True)),
    ],
    ids=["here only", "on the internet", "forwarded", "hidden"],
)
async def test_none_is_asked_in_vain(found: Found, wanted: Wanted, autojump_clock: Any) -> None:
    asked: list[Wire] = []
    ways = Reachability(found, wanted, routers(Router(GLOBAL), asked))
    async with running() as nursery:
        ways.explore(nursery, MemoryNetwork())
        await ways.settle()
        await trio.testing.wait_all_tasks_blocked()
    assert asked == []


async def test_what_a_relay_sees_is_told_beside_what_the_router_says() -> None:
    found = Found((HOME, LOOP), relays=("relay+relay:1",))
    relay_network = MemoryNetwork(caller="93.184.216.34")
    async with running() as nursery:
        await nursery.start(partial(serve_relay, "relay", 1, network=relay_network))
        ways = Reachability(found, LAN, routers(Router(GLOBAL), []))
        ways.explore(nursery, relay_network)
        with trio.fail_after(LIMIT):
            while "router-seen-otherwise" not in {r.code for r in ways.judged().reasons}:
                await ways.changed()
