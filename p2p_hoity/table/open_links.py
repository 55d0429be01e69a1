"""The links of a peer at a table: where it listens, at which relays it waits, who can reach it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from protocol import Identity

from ..coded_errors import NETWORK, Code, Reason
from ..net.address_schemes import RELAY_PREFIX
from ..net.addresses import local_addresses, own_addresses, parse_port
from ..net.hub import Hub
from ..net.interfaces import by_text
from ..net.link_limits import Limits
from ..net.network_errors import NetError, RefusedError
from ..net.page_network import PageNetwork
from ..net.protocol_versions import Speech
from ..net.transport import Network, RelayedNetwork, TcpNetwork
from ..presentation import screen_updates as updates
from ..presentation.screen_updates import Screen
from ..reachability.advertised_addresses import Found, Wanted
from ..reachability.port_mapping import Reachability
from .peer_error import PeerError
from .playing.frame_kinds import feature_of, longest
from .task_groups import open_nursery

EVERYWHERE = frozenset({"0.0.0.0", "[::]"})
LOOPBACK: Final = "127.0.0.1"


class SeatingCode(Code):
    """The reasons for which this peer cannot be reached at a table."""

    BAD_LISTEN = "bad-listen", "Write --listen as HOST:PORT, for example 0.0.0.0:4647, not {text}."
    CANNOT_LISTEN = (
        "cannot-listen-there",
        (
            "cannot listen on {address}: {why}. Choose another address or port with --listen, or "
            "all addresses and any free port with --listen :0"
        ),
        NETWORK,
    )
    NO_RELAY = (
        "relay-unreached",
        "{why}. Continue without a relay with --relay none, or use another one with --relay "
        "HOST:PORT. The other players may have to do the same",
        NETWORK,
    )


class Lan(StrEnum):
    """The announcement of a table on the local network, and who may then sit down."""

    OPEN = "open"
    """The table is announced, and everyone who finds it may sit down."""
    CLOSED = "closed"
    """The table is announced, and only those who have the ticket may sit down."""
    OFF = "off"
    """Nothing is announced."""


@dataclass(frozen=True)
class Reach:
    """The settings that decide how this peer is reached: listening, relays, the LAN and the router.

    Attributes:
        listen: The 'host:port' to listen at. An empty host means all addresses, port 0 a free port.
        relays: The 'host:port' of each relay at which this peer waits for calls.
        network: The network that dials and listens. None for TCP from this computer.
        or_any: Whether another port will do if the one of `listen` is taken.
        returning: Whether a seat is resumed. If so, it does not wait for its relays before it
            starts.
        anew: Whether a resumed seat listens at `listen` instead of where it listened before.
        relays_anew: Whether a resumed seat waits at `relays` instead of at its earlier relays.
        advertised: The 'host:port' addresses that the player has forwarded to this computer by
            hand.
        outside: Whether the table is also meant for people outside the local network. Then this
            peer finds out how they can reach it, and tells the player.
        maps: Whether the router is asked to forward a port.
        shares_machine: Whether some of the seats are on this computer.
        hidden: Whether this peer dials through a proxy. Then it tells nobody an address of this
            computer, and accepts connections from this computer only.
        page: The server of the page in which this program runs. None if it runs in none.
        relay_only: Whether this peer is reached by its relays alone. Then it tells nobody an
            address, does not listen, and dials only its relays. Use `only_by_relays` to set this.
    """

    listen: str = ":0"
    relays: tuple[str, ...] = ()
    lan: Lan = Lan.OFF
    network: Network | None = None
    or_any: bool = False
    returning: bool = False
    anew: bool = False
    relays_anew: bool = False
    advertised: tuple[str, ...] = ()
    outside: bool = False
    maps: bool = False
    shares_machine: bool = False
    hidden: bool = False
    relay_only: bool = False
    page: str | None = None

    @property
    def wanted(self) -> Wanted:
        """The facts that decide which addresses of this peer are given to other seats."""
        is_lan = self.announced is not Lan.OFF or not self.outside or self.returning
        return Wanted(is_lan, self.shares_machine, self.hidden, self.relay_only)

    @property
    def announced(self) -> Lan:
        """How the table is announced on the LAN. OFF if this peer hides ([L-55], [L-58])."""
        return Lan.OFF if self.hidden or self.relay_only else self.lan

    @property
    def dials(self) -> Network:
        """The network with which this peer dials."""
        network = self.network or TcpNetwork()
        # That of a page is limited to relays by itself.
        is_limited = isinstance(network, PageNetwork) or not self.relay_only
        return network if is_limited else RelayedNetwork(network, self.relays)


def only_by_relays(reach: Reach) -> Reach:
    """Return the settings of a peer whose address is known to its relays alone ([L-58])."""
    return replace(reach, relay_only=True, lan=Lan.OFF, maps=False, advertised=())


# Connections through a proxy need more time, since Tor may have to build a new circuit.
DIAL_BY_PROXY = 20.0
"""Seconds within which an address must answer, if connections go through a proxy."""
WAITING_BY_PROXY = 40.0
"""Seconds for which a relay that refuses is asked again, if connections go through a proxy."""


@asynccontextmanager
async def open_hub(
    who: Identity, reach: Reach, screen: Screen = lambda update: None
) -> AsyncIterator[tuple[Hub, Reachability]]:
    """Run a hub, and find out how others can reach this peer, by the key `who` of a table.

    The screen is told when a relay is lost, and when it works again.

    Raises:
        PeerError: If the hub cannot listen.
        NetError: If this peer needs a relay, and no relay lets it wait for calls.
    """
    limits = Limits(longest=longest)
    if reach.hidden:
        limits = replace(limits, dial=DIAL_BY_PROXY, waiting=WAITING_BY_PROXY)
    speech = Speech(feature_of=feature_of, page=reach.page)
    hub = Hub(who, network=reach.dials, limits=limits, speech=speech)
    async with open_nursery() as nursery:
        await nursery.start(hub.run)
        try:
            own = () if reach.relay_only else await _own(hub, reach)
            relays = await _wait_at(hub, reach, screen)
            links = by_text(own_addresses()) if own else {}
            found = Found(own, links=links, advertised=reach.advertised, relays=relays)
            ways = Reachability(found, reach.wanted, waits_at=hub.relays)
            if reach.maps:
                ways.explore(nursery, reach.dials)
            yield hub, ways
        finally:
            # The hub runs until it is cancelled, so the nursery would never end by itself.
            nursery.cancel_scope.cancel()


async def _own(hub: Hub, reach: Reach) -> tuple[str, ...]:
    """Listen, and return the addresses at which this peer can be dialled, or raise PeerError."""
    host, _, port = reach.listen.rpartition(":")
    number = parse_port(port)
    if number is None:
        raise PeerError(SeatingCode.BAD_LISTEN, text=reach.listen)
    # Behind a proxy nobody may find this computer by connecting to it ([L-55]).
    host = host.strip("[]") or (LOOPBACK if reach.hidden else "")
    return tuple(reachable(await _listen(hub, host, number, reach.or_any)))


async def _wait_at(hub: Hub, reach: Reach, screen: Screen) -> tuple[str, ...]:
    """Begin to wait for calls at all relays, and return the relays as 'relay+host:port'.

    A relay that refuses is asked again until it agrees. For a host or guest this returns once one
    relay lets the peer wait there ([L-69]). For a resumed seat this returns at once, because the
    other seats may be reached directly.
    """

    def tell(relay: str, why: Reason | None) -> None:
        screen(updates.RelayState(relay.removeprefix(RELAY_PREFIX), why))

    found = [await hub.listen_via(relay, tell, waits=False) for relay in reach.relays]
    if found and not reach.returning:
        await _first(hub, found)
    return tuple(found)


async def _first(hub: Hub, relays: Sequence[str]) -> None:
    """Wait until the first of several relays agrees, or raise NetError if none does."""
    failures: list[NetError] = []
    async with open_nursery() as nursery:

        async def attempt(relay: str) -> None:
            try:
                await hub.listen_via(relay)
                nursery.cancel_scope.cancel()
            except NetError as error:
                failures.append(error)

        for relay in relays:
            nursery.start_soon(attempt, relay)
    if len(failures) < len(relays):
        return
    for error in failures:
        # The player must know first of another process with this key: no other relay would help.
        if isinstance(error, RefusedError) and error.elsewhere:
            raise error
    raise NetError(SeatingCode.NO_RELAY, why=failures[0].reason) from failures[0]


async def _listen(hub: Hub, host: str, port: int, or_any: bool) -> list[str]:
    """Listen at a port. If it is taken and `or_any` is set, listen at any free port instead."""
    failures = []
    for one in (port, 0) if or_any else (port,):
        try:
            return await hub.listen(host, one)
        except NetError as error:
            failures.append(error)
    # The first failure is that of the port that the player asked for.
    raise PeerError(SeatingCode.CANNOT_LISTEN, **failures[0].fields) from failures[0]


def reachable(listening: list[str]) -> list[str]:
    """Return the 'host:port' addresses at which others can dial, none of them twice.

    A hub that listens at all addresses can be dialled at each address of this computer.
    """
    found: list[str] = []
    for address in listening:
        host, _, port = address.rpartition(":")
        found += local_addresses(int(port)) if host in EVERYWHERE else [address]
    return list(dict.fromkeys(found))
