"""The ways to one node while its table fills: what is known of them, and what comes to light."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from dataclasses import replace
from typing import Final

import trio

from protocol.bounds import Seconds

from ..errors import Reason
from ..net.addresses import host_of, parse_address
from ..net.network_errors import NetError
from ..net.relay_client import observed
from ..net.transport import Network
from . import port_mapping
from .advertised_addresses import Found, Judged, Scope, Wanted, judge, scope_of, widest

LOOK: Final[Seconds] = 5.0
"""Seconds for a relay to say what it sees."""
SETTLE: Final[Seconds] = 1.0
"""Seconds that a router gets before addresses are named without it."""


class Ways:
    """What was found out so far, judged anew whenever it is asked for."""

    def __init__(
        self,
        found: Found,
        wanted: Wanted,
        routers: port_mapping.Ways | None = None,
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
        nursery.start_soon(port_mapping.keep_open, hosts, port, self._mapped, self._routers)
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
