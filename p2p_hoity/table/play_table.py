"""Play at a table: what hosts, guests and resuming seats share, and further games at it."""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Final

from protocol import Header, Identity, SeatMachine, Table, table_header

from ..coded_errors import NETWORK, Code, CodedError, Reason
from ..game_adapter import bind, table_name
from ..net.addresses import RELAY_PREFIX, local_addresses
from ..net.hub import Event, Frame, Hub
from ..net.link_limits import Limits
from ..net.network_errors import NetError, RefusedError
from ..net.secure_channel import Speech
from ..net.transport import Network, RelayedNetwork, TcpNetwork
from ..presentation import screen_updates as updates
from ..presentation.screen_updates import Screen
from ..reachability.advertised_addresses import Found, Wanted
from ..reachability.port_mapping import Reachability
from ..storage import journal as journals
from ..storage.home import Home
from ..storage.journal_format import SeatRecord
from ..storage.player_key import NamedIdentity as Me
from .frame_kinds import feature_of, longest
from .reconnect_moved_seat import take_tickets
from .rematch import Agreed
from .session import Attendee, Outcome, compose
from .table_keys import TableKeys
from .task_groups import beside, open_nursery


class Backlog:
    """Frames of a table already begun, kept while one still sits down; the rest is asked for."""

    FRAMES = 1024
    BYTES = 4 << 20

    def __init__(self) -> None:
        """Nothing has come yet."""
        self.frames: list[Event] = []
        self._size = 0

    def keep(self, event: Event) -> None:
        """Keep an event while there is room."""
        size = len(event.data) if isinstance(event, Frame) else 0
        if len(self.frames) < self.FRAMES and self._size + size <= self.BYTES:
            self.frames.append(event)
            self._size += size


EVERYWHERE = frozenset({"0.0.0.0", "[::]"})
LOOPBACK: Final = "127.0.0.1"


class SeatingCode(Code):
    """Why this node cannot be reached at a table."""

    BAD_LISTEN = "bad-listen", "Write --listen as HOST:PORT, for example 0.0.0.0:4646, not {text}."
    CANNOT_LISTEN = (
        "cannot-listen-there",
        (
            "cannot listen on {address}: {why}; choose another address with --listen, or port 0 "
            "for a free port"
        ),
        NETWORK,
    )
    NO_RELAY = (
        "relay-unreached",
        "{why}. Continue without a relay with --relay none, or use another one with --relay "
        "HOST:PORT. The other players may have to do the same",
        NETWORK,
    )


class PeerError(CodedError):
    """A table could not be opened, joined or resumed."""


@dataclass(frozen=True)
class Seat(Attendee):
    """The player of a seat, and where its files are.

    Attributes:
        home: The folder of journals, transcripts and settings.
        me: The player's long-lived key and nickname.
        passphrase: Encrypts the journal, if given.
        unknown: Whether the player shows no vouch, so that nobody learns its long-lived key.
    """

    home: Home = field(kw_only=True)
    me: Me = field(kw_only=True)
    passphrase: str | None = field(default=None, kw_only=True, repr=False)
    unknown: bool = field(default=False, kw_only=True)

    @property
    def long_lived_key(self) -> Identity | None:
        """The long-lived key with which the player vouches. None if it stays unknown."""
        return None if self.unknown else self.me.identity


class Lan(StrEnum):
    """What a host tells the local network of its table."""

    OPEN = "open"
    """That it is there, and whoever comes may sit down."""
    CLOSED = "closed"
    """That it is there; a seat takes the ticket."""
    OFF = "off"
    """Nothing."""


@dataclass(frozen=True)
class Reach:
    """How this node can be reached: where it listens, its relays, what the LAN is told, and by
    which network (None: the machine's own). `or_any`: another port does if that one is taken.
    `returning`: a seat that comes back does not wait for its relays. One may be gone, or say that
    this seat waits there already: the other seats will say whether it does. `anew`: it listens
    where this says, not where it did; `relays_anew`: it waits at these relays, not where it did.

    `advertised`: 'host:port' that the player has forwarded. `outside`: the table is meant for
    people elsewhere too, so it is found out how they reach it, and told. `maps`: the router is
    asked for a way in. `near`: some of the seats are on this machine. `hidden`: no address of this
    machine is named, and it listens for itself alone; `network` dials by a proxy. `relay_only`: no
    address of it is named either, nothing is listened for, and nothing but its relays is dialled;
    `only_by_relays` makes it so."""

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
    near: bool = False
    hidden: bool = False
    relay_only: bool = False

    @property
    def wanted(self) -> Wanted:
        """Whom the table is for, as far as it decides which addresses are named."""
        is_lan = self.lan is not Lan.OFF or not self.outside or self.returning
        return Wanted(is_lan, self.near, self.hidden, self.relay_only)

    @property
    def dials(self) -> Network:
        """By what this node dials."""
        network = self.network or TcpNetwork()
        return RelayedNetwork(network, self.relays) if self.relay_only else network


def only_by_relays(reach: Reach) -> Reach:
    """The same for a node whose address nobody may learn but its relays ([L-58])."""
    return replace(reach, relay_only=True, lan=Lan.OFF, maps=False, advertised=())


DIAL_BY_PROXY, WAITING_BY_PROXY = 20.0, 40.0
"""Seconds for one way to answer, and for a relay to be asked again, when a proxy dials: a new
circuit of Tor takes long."""


@asynccontextmanager
async def open_hub(
    who: Identity, reach: Reach, screen: Screen = lambda update: None
) -> AsyncIterator[tuple[Hub, Reachability]]:
    """A running hub, and the ways to it as they are found; PeerError or NetError if it cannot
    listen. `screen` is told of relays that are lost, and found again."""
    limits = Limits(longest=longest)
    if reach.hidden:
        limits = replace(limits, dial=DIAL_BY_PROXY, waiting=WAITING_BY_PROXY)
    hub = Hub(who, network=reach.dials, limits=limits, speech=Speech(feature_of=feature_of))
    async with open_nursery() as nursery:
        await nursery.start(hub.run)
        try:
            own = () if reach.relay_only else await _own(hub, reach)
            relays = await _wait_at(hub, reach, screen)
            found = Found(own, reach.advertised, relays=relays)
            ways = Reachability(found, reach.wanted, waits_at=hub.relays)
            if reach.maps:
                ways.explore(nursery, reach.dials)
            yield hub, ways
        finally:
            nursery.cancel_scope.cancel()


async def _own(hub: Hub, reach: Reach) -> tuple[str, ...]:
    """The addresses of this machine, listened on from now on; PeerError if they cannot be."""
    host, _, port = reach.listen.rpartition(":")
    if not port.isdigit() or int(port) > 65535:
        raise PeerError(SeatingCode.BAD_LISTEN, text=reach.listen)
    host = host.strip("[]") or (LOOPBACK if reach.hidden else "")
    return tuple(reachable(await _listen(hub, host, int(port), reach.or_any)))


async def _wait_at(hub: Hub, reach: Reach, screen: Screen) -> tuple[str, ...]:
    """Wait at all relays, each again and again until it lets us.

    A seat that returns is not kept out by its relays: the others may be reached directly. Whoever
    opens a table or comes to one needs one relay of those named; NetError if none lets us wait
    ([L-69]).
    """

    def tell(relay: str, why: Reason | None) -> None:
        screen(updates.RelayState(relay.removeprefix(RELAY_PREFIX), why))

    found = [await hub.listen_via(relay, tell, waits=False) for relay in reach.relays]
    if found and not reach.returning:
        await _first(hub, found)
    return tuple(found)


async def _first(hub: Hub, relays: Sequence[str]) -> None:
    """Return when the first relay lets us wait there; NetError when none does."""
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
    if any(isinstance(error, RefusedError) and error.elsewhere for error in failures):
        raise failures[0]
    raise NetError(SeatingCode.NO_RELAY, why=failures[0].reason) from failures[0]


async def _listen(hub: Hub, host: str, port: int, or_any: bool) -> list[str]:
    try:
        return await hub.listen(host, port)
    except NetError as error:
        if not or_any:
            raise PeerError(SeatingCode.CANNOT_LISTEN, **error.fields) from error
    return await hub.listen(host, 0)


def reachable(listening: list[str]) -> list[str]:
    """Where others can dial: listening on every address becomes this machine's own addresses."""
    found: list[str] = []
    for address in listening:
        host, _, port = address.rpartition(":")
        found += local_addresses(int(port)) if host in EVERYWHERE else [address]
    return list(dict.fromkeys(found))


def bind_raw(raw: bytes) -> Table:
    """The table of a roster's header."""
    complete: Header = table_header.parse_header(raw)
    return bind(complete)


def journal_path(home: Home, table: Table) -> Path:
    """Where the journal of a table is kept."""
    return home.journals / f"{table_name(table)}.journal"


async def play(
    hub: Hub, seat: Seat, keys: TableKeys, reach: Reach, agreed: Agreed, early: Sequence[Event]
) -> Outcome:
    """Play at a table that begins now, and at those that follow it.

    A record is written with which the seat can be resumed. The transcripts of later games go to the
    usual place. The file that was asked for holds the first game.

    Args:
        hub: The links of this node, made with the key of the seat.
        seat: The player.
        keys: Its keys at this table, and at those that follow.
        reach: How this node is reached.
        agreed: The table.
        early: Events that came before the table was known.
    """
    while True:
        roster = agreed.roster
        table = bind_raw(roster.header)
        record = SeatRecord(
            header=roster.header,
            seat=table.ids.index(keys.seat.public),
            seed=os.urandom(32),
            key=keys.seat.seed,
            addresses=tuple(map(tuple, roster.addresses)),
            listen=reach.listen,
            relays=reach.relays,
            started=int(time.time()),
            signature=roster.signature,
            secret=agreed.capability.secret,
            is_open=agreed.capability.is_open,
            hidden=reach.hidden,
            relay_only=reach.relay_only,
            vouches=roster.vouches,
        )
        path, files = journal_path(seat.home, table), seat.home.files
        book = journals.create(path, record, seat.passphrase, files)
        machine = SeatMachine(table, os.urandom, record.seat, keys.seat, record.seed)
        outcome = await run_session(hub, seat, keys, agreed, machine, book, early)
        if outcome.again is None:
            return outcome
        agreed, early, seat = outcome.again, outcome.early, replace(seat, output=None)


async def run_session(
    hub: Hub,
    seat: Seat,
    keys: TableKeys,
    agreed: Agreed,
    machine: SeatMachine,
    book: journals.Journal,
    backlog: Sequence[Event],
) -> Outcome:
    """Play with a machine whose journal is open."""
    roster, capability = agreed.roster, agreed.capability
    usual = seat.home.transcripts / f"{table_name(machine.table)}.hoity"
    session = compose(hub, machine, seat, roster, capability, keys, book, usual)
    taking = partial(take_tickets, hub, machine.table, agreed, seat.screen, book)
    return await beside(taking, session.run(roster.addresses, backlog))
