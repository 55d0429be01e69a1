"""Find how other machines can reach this node, and keep a port of the router open for it."""

from __future__ import annotations

import importlib
import ipaddress
import random
import sys
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import replace
from ipaddress import IPv4Address
from pathlib import Path
from typing import Final

import trio

from protocol.bounds import Seconds

from ..coded_errors import Reason, because
from ..net.addresses import Destination, destination_of, host_of, own_networks, parse_address
from ..net.network_errors import NetError
from ..net.relay_client import observed
from ..net.transport import Network
from .advertised_addresses import (
    Found,
    Judged,
    Scope,
    Wanted,
    judge,
    judge_mapped,
    scope_of,
    widest,
)
from .pcp_and_nat_pmp import (
    NatPmpRouter,
    OpenedPort,
    PcpRouter,
    Router,
    RouterCode,
    RouterError,
    datagrams,
)
from .upnp import LocalNetwork, UpnpRouter

ROUTES: Final = Path("/proc/net/route")
UP_AND_GATEWAY: Final = 0x3


def gateway() -> str | None:
    """The IPv4 address of the default router, as the system has it, or else as homes number
    theirs: the first address of our private network; None if there is none to be asked."""
    if sys.platform == "linux":
        try:
            return of_routes(ROUTES.read_text(encoding="ascii"))
        except (OSError, ValueError):
            return None
    return _of_system() or _first_of_home()


def of_routes(table: str) -> str | None:
    """The default route of least metric in Linux's /proc/net/route; ValueError if it is none."""
    found = []
    for line in table.splitlines()[1:]:
        fields = line.split()
        if len(fields) < 8:
            continue
        target, router, flags, metric, mask = (fields[at] for at in (1, 2, 3, 6, 7))
        is_default = int(target, 16) == int(mask, 16) == 0
        if is_default and int(flags, 16) & UP_AND_GATEWAY == UP_AND_GATEWAY:
            number = int(router, 16).to_bytes(4, sys.byteorder)
            found.append((int(metric), str(ipaddress.IPv4Address(number))))
    return min(found)[1] if found else None


def _of_system() -> str | None:
    try:
        netifaces = importlib.import_module("netifaces")
    except ImportError:  # it has no wheel here
        return None
    default = netifaces.gateways().get("default", {}).get(netifaces.AF_INET)
    return str(default[0]) if default else None


def _first_of_home() -> str | None:
    homes = (n for n in own_networks() if n.version == 4 and n.is_private and n.prefixlen < 31)
    first = next(homes, None)
    return None if first is None or first.is_link_local else str(first.network_address + 1)


HEAD_START: Final[Seconds] = 0.5
"""Seconds in which a router may answer in the newer protocol before it is asked in the older."""
SEARCH: Final[Seconds] = 4.0
"""Seconds for both protocols."""
FAREWELL: Final[Seconds] = 1.0
"""Seconds in which the mapping is taken away; then its lifetime ends it."""
SHORTEST: Final[Seconds] = 4.0
"""Seconds between two renewals (RFC 6887, section 11.2.1)."""
AGAIN: Final[Seconds] = 600.0
"""Seconds after which a router that opened nothing is asked once more."""


TellMapped = Callable[[str, Reason | None], None]
"""Hears of an address outside, or why there is none."""
Ways = Callable[[int], AbstractAsyncContextManager[tuple[str, Sequence[Router]]]]
"""Gives our own address on the way to the default router, and by what that is asked to lead to a
port here: by the newer protocol, by the older, and then by others."""


@asynccontextmanager
async def of_this_network(port: int) -> AsyncIterator[tuple[str, Sequence[Router]]]:
    """The ways to ask the router of the network that this machine is in; RouterError if none is."""
    found = await trio.to_thread.run_sync(gateway)
    router = None if found is None else IPv4Address(found)
    if router is None or destination_of(router) is not Destination.PRIVATE:
        raise RouterError(RouterCode.UNKNOWN)
    async with datagrams(str(router)) as newer, datagrams(str(router)) as older:
        upnp = UpnpRouter(LocalNetwork(IPv4Address(str(newer.own)), router), port)
        yield str(newer.own), (PcpRouter(newer, port), NatPmpRouter(older, port), upnp)


async def keep_open(
    hosts: Collection[str], port: int, tell: TellMapped, ways: Ways = of_this_network
) -> None:
    """Keep a way in to this TCP port until cancelled; then it is taken away ([L-53], [L-54]).

    `hosts` are the IP addresses that are listened on: a router leads to the one on the way to it.
    Nothing fails: `tell` gets the address outside, or why there is none, whenever that changes.
    """
    while True:
        tell("", await _once(hosts, port, tell, ways))
        await trio.sleep(AGAIN)


async def _once(hosts: Collection[str], port: int, tell: TellMapped, ways: Ways) -> Reason:
    """Find a router that opens, and keep what it has opened; why there is nothing any more."""
    try:
        async with ways(port) as (own, (newer, older, *others)):
            if own not in hosts:
                return because(RouterCode.ELSEWHERE, host=own)
            try:
                found = await _search(newer, older)
            except RouterError as error:
                found = await _of_others(others, error)
            return await _keep(*found, tell)
    except RouterError as error:
        return error.reason
    except OSError:  # there is no way to it
        return because(RouterCode.UNKNOWN)


async def _search(newer: Router, older: Router) -> tuple[Router, OpenedPort]:
    """The first to open; RouterError with what tells most when neither does."""
    found: list[tuple[Router, OpenedPort]] = []
    failures: list[RouterError] = []
    asked: list[Router] = []
    settled, is_over = trio.Event(), False

    async def attempt(router: Router, nursery: trio.Nursery) -> None:
        asked.append(router)
        try:
            found.append((router, await router.open()))
            nursery.cancel_scope.cancel()
        except RouterError as error:
            failures.append(error)
            settled.set()

    try:
        async with trio.open_nursery() as nursery:
            nursery.cancel_scope.deadline = trio.current_time() + SEARCH
            nursery.start_soon(attempt, newer, nursery)
            with trio.move_on_after(HEAD_START):
                await settled.wait()
            await attempt(older, nursery)
        is_over = True
    finally:
        if not is_over:  # the table is left: what was asked for may be open, answered or not
            await _farewell(asked)
    if found:
        return found[0]
    refused = (one for one in failures if one.code == RouterCode.REFUSES)
    raise next(refused, failures[0] if failures else RouterError(RouterCode.SILENT))


async def _of_others(routers: Sequence[Router], failure: RouterError) -> tuple[Router, OpenedPort]:
    """The first of these that opens; the failure at hand if there is none. What one that failed, or
    was not waited for, may have opened is taken away."""
    for router in routers:
        opened: OpenedPort | None = None
        try:
            opened = await router.open()
            return router, opened
        except RouterError as error:
            failure = error if error.code == RouterCode.REFUSES else failure
        finally:
            if opened is None:
                await _farewell([router])
    raise failure


async def _keep(router: Router, opened: OpenedPort, tell: TellMapped) -> Reason:
    """Renew a mapping for as long as it is given, and take it away at the end."""
    try:
        external = ""
        while True:
            trouble = judge_mapped(opened.external)
            if trouble is not None:
                return trouble
            if opened.external != external:
                external = opened.external
                tell(external, None)
            renewed = await _renewed(router, opened.lifetime)
            if isinstance(renewed, Reason):
                return renewed
            opened = renewed
    finally:
        await _farewell([router])


async def _farewell(routers: Sequence[Router]) -> None:
    """Take away what these have opened, also while being cancelled."""
    with trio.move_on_after(FAREWELL, shield=True):
        async with trio.open_nursery() as nursery:
            for router in routers:
                nursery.start_soon(_close, router)


async def _close(router: Router) -> None:
    with suppress(RouterError):  # its lifetime ends it
        await router.close()


async def _renewed(router: Router, lifetime: float) -> OpenedPort | Reason:
    """More time, asked for again and again before the end; why there is none when it has come."""
    began = trio.current_time()
    reason = because(RouterCode.SILENT)
    for moment in moments(lifetime):
        await trio.sleep_until(began + moment)
        try:
            return await router.open()
        except RouterError as error:
            reason = error.reason
    await trio.sleep_until(began + lifetime)
    return reason


def moments(lifetime: float) -> Iterator[float]:
    """When to ask for more time, in seconds from the last answer: at half of it or a little later,
    then at half of what is left, and so on (RFC 6887, section 11.2.1)."""
    left = 0.5
    yield max(SHORTEST, lifetime * random.uniform(1 - left, 1 - left * 0.75))
    while (left := left / 2) * lifetime > SHORTEST:
        yield lifetime * random.uniform(1 - left, 1 - left * 0.75)


LOOK: Final[Seconds] = 5.0
"""Seconds for a relay to say what it sees."""
SETTLE: Final[Seconds] = 1.0
"""Seconds that a router gets before addresses are named without it."""


class Reachability:
    """What was found out so far, judged anew whenever it is asked for."""

    def __init__(
        self,
        found: Found,
        wanted: Wanted,
        routers: Ways = of_this_network,
        waits_at: Callable[[], frozenset[str]] | None = None,
    ) -> None:
        """`waits_at` gives the relays that let us wait there just now; all of them if None."""
        self._found, self._wanted, self._routers = found, wanted, routers
        self._waits_at = waits_at or (lambda: frozenset(found.relays))
        self._news = trio.Event()
        self._began = 0.0

    def judged(self) -> Judged:
        """Which addresses to name now, and what they are good for."""
        away = frozenset(self._found.relays) - self._waits_at()
        return judge(replace(self._found, away=away), self._wanted)

    @property
    def named(self) -> tuple[str, ...]:
        """Where a seat of this node can be dialled."""
        return self.judged().named

    def explore(self, nursery: trio.Nursery, network: Network) -> None:
        """Ask the router for a way in, in nursery, until it is cancelled; not if it is not needed,
        and never for one who hides ([L-54], [L-55])."""
        port = None if self._wanted.hidden else self._port()
        if port is None:
            return
        self._began, self._found = trio.current_time(), replace(self._found, asking=True)
        hosts = {host_of(address) for address in self._found.own}
        nursery.start_soon(keep_open, hosts, port, self._mapped, self._routers)
        if self._found.relays:
            nursery.start_soon(self._look, network, self._found.relays[0])

    def _port(self) -> int | None:
        """The port a router would lead to: none if only this machine listens, or calls come from
        anywhere without it."""
        own = self._found.own
        if widest((*own, *self._found.advertised)) is Scope.ANYWHERE:
            return None
        lan = next((address for address in own if scope_of(address) is Scope.LAN), None)
        return None if lan is None else parse_address(lan).port

    async def settle(self) -> None:
        """Wait until a router has answered, or has had a second for it."""
        with trio.move_on_at(self._began + SETTLE):
            while self._found.asking:
                await self._news.wait()

    async def changed(self) -> None:
        """Wait until something comes to light."""
        await self._news.wait()

    def _mapped(self, external: str, trouble: Reason | None) -> None:
        told = () if trouble is None else (trouble,)
        self._tell(replace(self._found, mapped=external, trouble=told, asking=False))

    async def _look(self, network: Network, relay: str) -> None:
        """What a relay sees us come from: told beside the rest, and never relied on."""
        with trio.move_on_after(LOOK):
            try:
                seen = await observed(network, parse_address(relay))
                host = str(ipaddress.ip_address(seen.host))
            except (NetError, ValueError):
                return  # a relay of an older version, or one that is away again
            self._tell(replace(self._found, seen=host))

    def _tell(self, found: Found) -> None:
        self._found = found
        self._news.set()
        self._news = trio.Event()
