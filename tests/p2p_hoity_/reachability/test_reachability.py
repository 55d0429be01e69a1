"""Tests of what a node finds out of the ways to it while its table fills."""

import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import pytest
import trio
import trio.testing
from support.limits import LIMIT
from support.memory_network import MemoryNetwork
from support.relays import serve_relay
from support.router import Router
from support.running import running

from p2p_hoity.coded_errors import because
from p2p_hoity.net.default_router import of_routes
from p2p_hoity.reachability import port_mapping
from p2p_hoity.reachability.advertised_addresses import Found, ReachCode, Scope, Wanted
from p2p_hoity.reachability.pcp_and_nat_pmp import NatPmpRouter, PcpRouter
from p2p_hoity.reachability.port_mapping import SETTLE, Reachability

from .test_port_mapping import CLIENT, GLOBAL, Wire

HOME, LOOP = "192.168.1.5:4646", "127.0.0.1:4646"
LAN = Wanted(lan=True)


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


ROUTES = """Iface Destination Gateway Flags RefCnt Use Metric Mask MTU Window IRTT
eth0 00000000 {slow} 0003 0 0 600 00000000 0 0 0
eth1 00000000 {fast} 0003 0 0 100 00000000 0 0 0
eth2 00000000 {down} 0002 0 0 1 00000000 0 0 0
eth0 000200C0 00000000 0001 0 0 0 00FFFFFF 0 0 0
"""


def test_the_router_is_the_default_route_of_least_metric() -> None:
    def number(ip: str) -> str:
        return f"{int.from_bytes(socket.inet_aton(ip), sys.byteorder):08X}"

    table = ROUTES.format(
        slow=number("10.0.0.1"), fast=number("192.168.1.1"), down=number("10.9.9.9")
    )
    assert of_routes(table) == "192.168.1.1"
    assert of_routes(ROUTES.splitlines()[0]) is None
    with pytest.raises(ValueError, match="invalid literal"):
        of_routes("\n" + "eth0 zz zz zz 0 0 0 zz 0 0 0")
