"""Find out how others can reach this program, and have the router forward a port to it.

A mapping is a port that the router forwards. Its external address is 'host:port'.
"""

from __future__ import annotations

import ipaddress
import random
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import replace
from ipaddress import IPv4Address
from typing import Final

import trio

from protocol.units import Seconds

from ..coded_errors import Reason, because
from ..net.addresses import Destination, destination_of, host_of, parse_address, relay_address
from ..net.default_router import gateway
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
from .upnp import LocalNetwork
from .upnp_router import UpnpRouter

HEAD_START: Final[Seconds] = 0.5
"""Seconds in which a router may answer by PCP before it is also asked by NAT-PMP."""
SEARCH: Final[Seconds] = 4.0
"""Seconds within which the router has to answer by PCP or NAT-PMP."""
FAREWELL: Final[Seconds] = 1.0
"""The most seconds for removing a port mapping. If that fails, the mapping ends by its lifetime.

One without an end stays, and is replaced when this computer asks for the same port again.
"""
SHORTEST: Final[Seconds] = 4.0
"""The least seconds between two renewals of a mapping (RFC 6887, section 11.2.1)."""
AGAIN: Final[Seconds] = 600.0
"""Seconds after which a router that forwards no port is asked again."""


TellMapped = Callable[[str, Reason | None], None]
"""A callback that gets the external address, and what the player should know about it, or None.

If there is no forwarded port, it gets "" and the reason.
"""
Ways = Callable[[int], AbstractAsyncContextManager[tuple[str, Sequence[Router]]]]
"""A function that opens the sockets for asking the router to forward a port of this machine.

It yields this machine's address towards the router, and one `Router` per protocol: PCP, NAT-PMP,
then others.
"""


@asynccontextmanager
async def of_this_network(port: int) -> AsyncIterator[tuple[str, Sequence[Router]]]:
    """Open the sockets for asking the router of this network, as `Ways` says.

    Raises:
        RouterError: If there is no router with a private address.
    """
    found = await trio.to_thread.run_sync(gateway)
    router = None if found is None else IPv4Address(found)
    # At a public address it would be a machine of others, which could name itself as the way here.
    if router is None or destination_of(router) is not Destination.PRIVATE:
        raise RouterError(RouterCode.UNKNOWN)
    # Two sockets, or each protocol would read and drop the answers to the other.
    async with datagrams(str(router)) as newer, datagrams(str(router)) as older:
        upnp = UpnpRouter(LocalNetwork(IPv4Address(str(newer.own)), router), port)
        yield str(newer.own), (PcpRouter(newer, port), NatPmpRouter(older, port), upnp)


async def keep_open(
    hosts: Collection[str], port: int, tell: TellMapped, ways: Ways = of_this_network
) -> None:
    """Keep a port of the router forwarded until cancelled, and then remove it ([L-53], [L-54]).

    Failures are passed to `tell` and not raised. The router is then asked again later.

    Args:
        hosts: The IP addresses on which this program listens. This computer's address towards the
            router must be one of them.
        port: The TCP port on which this program listens.
        tell: Is called whenever the external address changes, and when there is none.
    """
    while True:
        tell("", await _once(hosts, port, tell, ways))
        await trio.sleep(AGAIN)


async def _once(hosts: Collection[str], port: int, tell: TellMapped, ways: Ways) -> Reason:
    """Find a protocol by which the router forwards the port, and keep the port forwarded.

    Return the reason when no protocol works, or when the port is no longer forwarded.
    """
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
    except OSError:  # There is no route to it.
        return because(RouterCode.UNKNOWN)


async def _search(newer: Router, older: Router) -> tuple[Router, OpenedPort]:
    """Ask the router by PCP and, after a head start, by NAT-PMP. Return the first that succeeds.

    Raises:
        RouterError: If neither forwards the port, a refusal rather than silence.
    """
    found: list[tuple[Router, OpenedPort]] = []
    failures: list[RouterError] = []
    asked: list[Router] = []
    settled, is_over = trio.Event(), False

    async def attempt(router: Router, nursery: trio.Nursery) -> None:
        # Before the request: if it is cancelled meanwhile, the port may be forwarded all the same.
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
        # The player has left the table. The port may be forwarded even if no answer came.
        if not is_over:
            await _farewell(asked)
    if found:
        return found[0]
    refused = (one for one in failures if one.code == RouterCode.REFUSES)
    raise next(refused, failures[0] if failures else RouterError(RouterCode.SILENT))


async def _of_others(routers: Sequence[Router], failure: RouterError) -> tuple[Router, OpenedPort]:
    """Ask the router by one protocol after the other, until it opens a port.

    If all fail, raise the last refusal by the router. If it has refused nothing, raise `failure`.
    """
    for router in routers:
        opened: OpenedPort | None = None
        try:
            opened = await router.open()
            return router, opened
        except RouterError as error:
            failure = error if error.code == RouterCode.REFUSES else failure
        finally:
            # The answer may be lost although the router has opened the port.
            if opened is None:
                await _farewell([router])
    raise failure


async def _keep(router: Router, opened: OpenedPort, tell: TellMapped) -> Reason:
    """Renew a mapping until that fails or the mapping is useless, and return the reason.

    Then, or on cancellation, the router is asked to remove the mapping.
    """
    try:
        external = ""
        while True:
            # Judged at each renewal: the router may get another address, which guests cannot reach.
            trouble = judge_mapped(opened.external)
            if trouble is not None:
                return trouble
            if opened.external != external:
                external = opened.external
                tell(external, because(RouterCode.STAYS_OPEN) if opened.is_endless else None)
            renewed = await _renewed(router, opened.lifetime)
            if isinstance(renewed, Reason):
                return renewed
            opened = renewed
    finally:
        await _farewell([router])


async def _farewell(routers: Sequence[Router]) -> None:
    """Ask routers to remove the port mappings, even if this task is being cancelled."""
    # Without the shield a player who leaves would leave the port open.
    with trio.move_on_after(FAREWELL, shield=True):
        async with trio.open_nursery() as nursery:
            for router in routers:
                nursery.start_soon(_close, router)


async def _close(router: Router) -> None:
    with suppress(RouterError):
        await router.close()


async def _renewed(router: Router, lifetime: float) -> OpenedPort | Reason:
    """Ask the router for more time until it agrees. Return the reason if the lifetime is over."""
    began = trio.current_time()
    reason = because(RouterCode.SILENT)
    for moment in moments(lifetime):
        await trio.sleep_until(began + moment)
        try:
            return await router.open()
        except RouterError as error:
            reason = error.reason
    # Until then guests still get in, although the router no longer answers.
    await trio.sleep_until(began + lifetime)
    return reason


def moments(lifetime: float) -> Iterator[float]:
    """Yield when to renew a mapping: at half of its lifetime, at half of the rest, and so on.

    They are in seconds since the router's last answer, and a little later at random (RFC 6887,
    section 11.2.1).
    """
    left = 0.5
    yield max(SHORTEST, lifetime * random.uniform(1 - left, 1 - left * 0.75))
    while (left := left / 2) * lifetime > SHORTEST:
        yield lifetime * random.uniform(1 - left, 1 - left * 0.75)


LOOK: Final[Seconds] = 5.0
"""Seconds within which a relay has to tell from which address it sees this program."""
SETTLE: Final[Seconds] = 1.0
"""Seconds to wait for the router's answer before addresses are named without it."""


class Reachability:
    """The addresses of this program, as they are found, and the choice of those to tell."""

    def __init__(
        self,
        found: Found,
        wanted: Wanted,
        routers: Ways = of_this_network,
        waits_at: Callable[[], frozenset[str]] | None = None,
    ) -> None:
        """Start with the addresses that are already known.

        Args:
            waits_at: Returns the relays through which peers can reach this program at this moment.
                If None, all relays count as working.
        """
        self._found, self._wanted, self._routers = found, wanted, routers
        self._waits_at = waits_at or (lambda: frozenset(found.relays))
        self._news = trio.Event()
        self._began = 0.0

    def judged(self) -> Judged:
        """Decide which addresses others are told now, and from where each can be reached."""
        away = frozenset(self._found.relays) - self._waits_at()
        return judge(replace(self._found, away=away), self._wanted)

    @property
    def named(self) -> tuple[str, ...]:
        """The addresses that this program's seat tells to the other seats."""
        return self.judged().named

    def explore(self, nursery: trio.Nursery, network: Network) -> None:
        """Ask the router to forward a port, and a relay from where it sees this program, in tasks.

        Nothing is started if this program needs no forwarded port, or if it hides its addresses
        ([L-54], [L-55]).
        """
        port = None if self._wanted.hidden else self._port()
        if port is None:
            return
        self._began, self._found = trio.current_time(), replace(self._found, asking=True)
        hosts = {host_of(address) for address in self._found.own}
        nursery.start_soon(keep_open, hosts, port, self._mapped, self._routers)
        if self._found.relays:
            nursery.start_soon(self._look, network, self._found.relays[0])

    def _port(self) -> int | None:
        """Return the port of this computer to which the router should forward.

        None if this program listens on no LAN address, or can be reached from anywhere without a
        router.
        """
        own = self._found.own
        if widest((*own, *self._found.advertised)) is Scope.ANYWHERE:
            return None
        lan = next((address for address in own if scope_of(address) is Scope.LAN), None)
        return None if lan is None else parse_address(lan).port

    async def settle(self) -> None:
        """Wait until the router has answered, but at most SETTLE seconds from when it was asked."""
        with trio.move_on_at(self._began + SETTLE):
            while self._found.asking:
                await self._news.wait()

    async def changed(self) -> None:
        """Wait until an address or another fact about reaching this program has changed."""
        await self._news.wait()

    def _mapped(self, external: str, trouble: Reason | None) -> None:
        told = () if trouble is None else (trouble,)
        self._tell(replace(self._found, mapped=external, trouble=told, asking=False))

    async def _look(self, network: Network, relay: str) -> None:
        """Ask a relay from which address it sees this program."""
        with trio.move_on_after(LOOK):
            try:
                seen = await observed(network, relay_address(relay))
                host = str(ipaddress.ip_address(seen.host))
            except (NetError, ValueError):
                return  # The relay has an older version, or is gone again.
            # The answer is only shown to the player, because the relay may be wrong.
            self._tell(replace(self._found, seen=host))

    def _tell(self, found: Found) -> None:
        """Set the addresses found so far, and wake whoever waits for news of them."""
        self._found = found
        self._news.set()
        # An event cannot be cleared, and who waits for the next news would return at once.
        self._news = trio.Event()
