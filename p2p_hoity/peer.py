"""Opening a table, sitting down at one, taking a seat again, and looking on."""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import trio

from protocol import header
from protocol.errors import Invalid
from protocol.header import Header, Terms
from protocol.identity import Identity
from protocol.machine import Machine
from protocol.node import Table

from . import journal as journals
from . import updates
from .driver import Driver, Outcome, Screen
from .home import Home
from .keys import Player as Me
from .lobby import (
    MAX_ADDRESSES,
    Names,
    Offer,
    Refuse,
    Roster,
    Seating,
    Sit,
    encode_lobby,
    is_lobby,
    parse_lobby,
)
from .net.discovery import Announcement, announce
from .net.errors import NetError
from .net.events import Event, Frame, LinkDown, LinkUp
from .net.hub import Hub
from .net.network import Network
from .net.ticket import Ticket, encode_ticket
from .nursery import open_nursery
from .player import Player
from .table import HoityToity, bind, read_game

CONNECT = 15.0
ANSWER = 15.0
BACKLOG = 1024

Accept = Callable[[Terms, HoityToity, tuple[str, ...]], Awaitable[bool]]


class PeerError(Exception):
    """A table could not be opened, joined or resumed; the text says why and what to do."""

    def __init__(self, words: str, exit_code: int = 3) -> None:
        """`exit_code`: 1 the game is not ok, 2 usage, 3 the network failed."""
        super().__init__(words)
        self.exit_code = exit_code


@dataclass(frozen=True)
class Seat:
    """Who sits here, with what files, deciding how, and telling whom."""

    home: Home
    me: Me
    player: Player
    screen: Screen
    output: Path | None = None
    passphrase: str | None = None


@dataclass(frozen=True)
class Reach:
    """How this node can be reached: where it listens, its relays, whether the LAN is told, and by
    which network (None: the machine's own)."""

    listen: str = ":0"
    relays: tuple[str, ...] = ()
    lan: bool = False
    network: Network | None = None


@dataclass(frozen=True)
class OpenGame:
    """A journal on this machine: a game that can be taken up again."""

    name: str
    path: Path
    nicknames: tuple[str, ...]
    started: int


# Hubs.


@asynccontextmanager
async def open_hub(who: Identity, reach: Reach) -> AsyncIterator[tuple[Hub, tuple[str, ...]]]:
    """A running hub and the addresses at which it can be dialled; PeerError if it cannot listen."""
    hub = Hub(who, network=reach.network)
    async with open_nursery() as nursery:
        await nursery.start(hub.run)
        try:
            yield hub, await _addresses(hub, reach)
        finally:
            nursery.cancel_scope.cancel()


async def _addresses(hub: Hub, reach: Reach) -> tuple[str, ...]:
    host, _, port = reach.listen.rpartition(":")
    if not port.isdigit() or int(port) > 65535:
        raise PeerError(f"--listen is HOST:PORT, not {reach.listen!r}", 2)
    try:
        found = await hub.listen(host.strip("[]"), int(port))
        for relay in reach.relays:
            found.append(await hub.listen_via(relay))
    except NetError as error:
        raise PeerError(str(error), 3) from error
    return tuple(found[:MAX_ADDRESSES])


# Opening a table.


async def host_table(
    seat: Seat, terms: Terms, reach: Reach, on_ticket: Callable[[str], None]
) -> Outcome:
    """Open a table, wait until it is full, and play; `on_ticket` gets the ticket's word."""
    who = seat.me.identity
    async with open_hub(who, reach) as (hub, addresses):
        direct = tuple(a for a in addresses if not a.startswith("relay+"))[:8]
        ticket = encode_ticket(Ticket(who.public, direct, terms.digest(), reach.relays))
        on_ticket(ticket)
        own = header.sit(terms, who, seat.me.nickname, os.urandom(32))
        seating = Seating(terms, own, addresses)
        seat.screen(updates.Joined(seating.names, terms.seats))
        announced = Announcement(seat.me.nickname, terms.seats, 1, ticket) if reach.lan else None
        backlog = await _fill(hub, seating, seat.screen, announced)
        roster = seating.roster()
        for peer in hub.links():
            hub.post(peer, encode_lobby(roster))
        return await _play(hub, seat, roster, reach, backlog)


async def _fill(
    hub: Hub, seating: Seating, screen: Screen, announced: Announcement | None
) -> list[Event]:
    async with open_nursery() as nursery:
        sent, received = trio.open_memory_channel[int](64)
        if announced is not None:
            nursery.start_soon(_announce, announced, received)
        backlog: list[Event] = []
        async for event in hub.events:
            if _host_event(hub, seating, event, backlog):
                screen(updates.Joined(seating.names, seating.terms.seats))
                _try_send(sent, len(seating.names))
            if seating.full:
                break
        nursery.cancel_scope.cancel()
    return backlog


def _try_send(channel: trio.MemorySendChannel[int], number: int) -> None:
    try:
        channel.send_nowait(number)
    except trio.WouldBlock:
        return


async def _announce(what: Announcement, counts: trio.MemoryReceiveChannel[int]) -> None:
    async with announce(what) as announcing:
        async for joined in counts:
            await announcing.update(joined)


def _host_event(hub: Hub, seating: Seating, event: Event, backlog: list[Event]) -> bool:
    """Answer one event of the lobby; whether the list of the seated changed."""
    if isinstance(event, LinkUp):
        hub.post(event.peer, encode_lobby(Offer(seating.terms, seating.names)))
        return False
    if isinstance(event, LinkDown):
        changed = seating.leave(event.peer)
    else:
        changed = _host_frame(hub, seating, event, backlog)
    if changed:
        for peer in hub.links():
            hub.post(peer, encode_lobby(Names(seating.names)))
    return changed


def _host_frame(hub: Hub, seating: Seating, event: Frame, backlog: list[Event]) -> bool:
    if not is_lobby(event.data):
        if len(backlog) < BACKLOG:
            backlog.append(event)
        return False
    try:
        frame = parse_lobby(event.data)
        if not isinstance(frame, Sit):
            return False
        refused = seating.sit(event.peer, frame)
    except Invalid as error:
        hub.drop(event.peer, f"it sent what is no consent to these terms ({error.reason})")
        return False
    if refused is not None:
        hub.post(event.peer, encode_lobby(Refuse(refused)))
    return refused is None


# Sitting down.


async def join_table(seat: Seat, ticket: Ticket, accept: Accept, reach: Reach) -> Outcome:
    """Sit down at the table of a ticket and play; PeerError if it cannot be."""
    who = seat.me.identity
    if who.public == ticket.host_id:
        raise PeerError("this is your own ticket: give it to the others", 2)
    async with open_hub(who, reach) as (hub, addresses):
        await _connect(hub, ticket)
        guest = _Guest(hub, seat, ticket, addresses)
        roster = await guest.sit(accept)
        return await _play(hub, seat, roster, reach, guest.backlog)


async def _connect(hub: Hub, ticket: Ticket) -> None:
    try:
        await hub.connect(ticket.dial_addresses(), ticket.host_id, CONNECT)
    except NetError as error:
        raise PeerError(f"the host cannot be reached: {error}", 3) from error


class _Guest:
    """A guest's side of the lobby."""

    def __init__(self, hub: Hub, seat: Seat, ticket: Ticket, addresses: Sequence[str]) -> None:
        self.hub, self.seat, self.ticket = hub, seat, ticket
        self.addresses = tuple(addresses)[:MAX_ADDRESSES]
        self.backlog: list[Event] = []
        self.names: tuple[str, ...] = ()

    async def sit(self, accept: Accept) -> Roster:
        """Read the terms, ask, consent, and wait for the roster."""
        with trio.move_on_after(ANSWER):
            offer = await self._offer()
        if offer is None:
            raise PeerError("the host did not say its terms: ask for a new ticket", 3)
        self.names = offer.names
        game = _game_of(offer.terms)
        return await self._consent(offer, game, accept)

    async def _offer(self) -> Offer | None:
        while True:
            frame = await self._next()
            if isinstance(frame, Offer):
                if frame.terms.digest() != self.ticket.terms:
                    raise PeerError("the host offers other terms than its ticket names", 1)
                return frame
            if isinstance(frame, Roster):
                raise PeerError("the table is full: its game has begun", 1)

    async def _consent(self, offer: Offer, game: HoityToity, accept: Accept) -> Roster:
        found: list[Roster] = []
        async with open_nursery() as nursery:
            nursery.start_soon(self._ask, offer, game, accept)
            found.append(await self._roster(offer))
            nursery.cancel_scope.cancel()
        return found[0]

    async def _ask(self, offer: Offer, game: HoityToity, accept: Accept) -> None:
        if not await accept(offer.terms, game, self.names):
            raise PeerError("you did not take the seat", 1)
        me = self.seat.me
        entry = header.sit(offer.terms, me.identity, me.nickname, os.urandom(32))
        self.hub.post(self.ticket.host_id, encode_lobby(Sit(entry.value(), self.addresses)))

    async def _roster(self, offer: Offer) -> Roster:
        while True:
            frame = await self._next()
            if isinstance(frame, Names):
                self.names = frame.names
                self.seat.screen(updates.Joined(frame.names, offer.terms.seats))
            elif isinstance(frame, Refuse):
                raise PeerError(f"the host refused the seat: {frame.reason}", 1)
            elif isinstance(frame, Roster):
                self._check_roster(frame, offer)
                return frame

    def _check_roster(self, roster: Roster, offer: Offer) -> None:
        try:
            complete = header.parse_header(roster.header)
        except Invalid as error:
            raise PeerError(f"the host's roster is not valid: {error.reason}", 1) from error
        if complete.terms.digest() != offer.terms.digest():
            raise PeerError("the host's roster is of another table", 1)
        if self.seat.me.identity.public not in {e.id for e in complete.roster}:
            raise PeerError("the table is full: its game has begun without you", 1)

    async def _next(self) -> object:
        """The host's next lobby frame; frames of a table already begun are kept for later."""
        async for event in self.hub.events:
            if isinstance(event, LinkDown) and event.peer == self.ticket.host_id:
                raise PeerError(f"the host is gone ({event.reason})", 3)
            if not isinstance(event, Frame):
                continue
            if not is_lobby(event.data):
                if len(self.backlog) < BACKLOG:
                    self.backlog.append(event)
            elif event.peer == self.ticket.host_id:
                try:
                    return parse_lobby(event.data)
                except Invalid as error:
                    raise PeerError(f"the host speaks otherwise: {error.reason}", 1) from error
        raise PeerError("the links are closed", 3)


def _game_of(terms: Terms) -> HoityToity:
    try:
        return read_game(terms)
    except Invalid as error:
        raise PeerError(f"these terms cannot be played: {error.reason}", 1) from error


# Playing.


def _bind(raw: bytes) -> Table:
    complete: Header = header.parse_header(raw)
    return bind(complete)


def journal_path(home: Home, table: Table) -> Path:
    """Where the journal of a table is kept."""
    return home.journals / f"{table.id.hex()[:16]}.journal"


def transcript_path(home: Home, table: Table) -> Path:
    """Where the transcript goes unless told otherwise."""
    return home.transcripts / f"{table.id.hex()[:16]}.hoity"


async def _play(
    hub: Hub, seat: Seat, roster: Roster, reach: Reach, backlog: list[Event]
) -> Outcome:
    table, seed = _bind(roster.header), os.urandom(32)
    number = table.ids.index(seat.me.identity.public)
    addresses = tuple(tuple(a) for a in roster.addresses)
    first = (roster.header, number, seed, addresses, reach.listen, reach.relays, int(time.time()))
    book = journals.create(journal_path(seat.home, table), first, seat.passphrase)
    machine = Machine(table, os.urandom, number, seat.me.identity, seed)
    return await _drive(hub, seat, roster, machine, book, backlog)


async def _drive(
    hub: Hub,
    seat: Seat,
    roster: Roster,
    machine: Machine,
    book: journals.Journal,
    backlog: list[Event],
) -> Outcome:
    output = seat.output or transcript_path(seat.home, machine.table)
    driver = Driver(hub, machine, seat.screen, roster, seat.player, book, output)
    return await driver.run(backlog)


# Taking a seat again.


def open_games(home: Home, passphrase: str | None = None) -> list[OpenGame]:
    """The games that can be taken up again, newest first; unreadable journals are left out."""
    found = []
    for path in sorted(home.journals.glob("*.journal")):
        try:
            first = journals.read_first(path, passphrase)
            names = tuple(e.nickname for e in header.parse_header(first[0]).roster)
            found.append(OpenGame(path.stem, path, names, int(first[6])))
        except (journals.JournalError, ValueError, IndexError):
            continue
    return sorted(found, key=lambda game: -game.started)


def find_game(home: Home, name: str | None, passphrase: str | None = None) -> OpenGame:
    """The game of this name or the only one; PeerError says which there are."""
    games = open_games(home, passphrase)
    fitting = [game for game in games if name is None or game.name.startswith(name)]
    if not fitting:
        raise PeerError("there is no such game to resume on this machine", 2)
    if len(fitting) > 1:
        names = ", ".join(game.name for game in fitting)
        raise PeerError(f"several games can be resumed: {names}; name one", 2)
    return fitting[0]


async def resume_table(seat: Seat, name: str | None, network: Network | None = None) -> Outcome:
    """Take one's seat again after a crash or Ctrl-C."""
    game = find_game(seat.home, name, seat.passphrase)
    book, first, records = journals.reopen(game.path, seat.passphrase)
    raw, number, seed, addresses, listen, relays, _ = first
    table = _bind(raw)
    if table.ids[number] != seat.me.identity.public:
        raise PeerError("the journal is of another key than yours", 2)
    roster = Roster(raw, addresses)
    machine = Machine(table, os.urandom, number, seat.me.identity, seed)
    machine.restore(records)
    if not book.current:
        machine.be_cautious({peer for peer in table.ids if peer != table.ids[number]})
    reach = Reach(_same_port(listen, addresses[number]), tuple(relays), network=network)
    async with open_hub(seat.me.identity, reach) as (hub, _):
        return await _drive(hub, seat, roster, machine, book, [])


def _same_port(listen: str, addresses: Sequence[str]) -> str:
    """Listen where the others will dial."""
    host, _, port = listen.rpartition(":")
    if port != "0":
        return listen
    ports = [a.rpartition(":")[2] for a in addresses if not a.startswith("relay+")]
    return f"{host}:{ports[0]}" if ports else listen


# Looking on.


async def watch_table(
    ticket: Ticket, screen: Screen, output: Path | None = None, network: Network | None = None
) -> Outcome:
    """Follow a table without a seat."""
    stranger = Identity(os.urandom(32))
    async with open_hub(stranger, Reach("127.0.0.1:0", network=network)) as (hub, _):
        await _connect(hub, ticket)
        roster, backlog = await _wait_for_roster(hub, ticket)
        machine = Machine(_bind(roster.header), os.urandom)
        return await Driver(hub, machine, screen, roster, output=output).run(backlog)


async def _wait_for_roster(hub: Hub, ticket: Ticket) -> tuple[Roster, list[Event]]:
    backlog: list[Event] = []
    async for event in hub.events:
        if isinstance(event, LinkDown) and event.peer == ticket.host_id:
            raise PeerError(f"the host is gone ({event.reason})", 3)
        if isinstance(event, Frame) and not is_lobby(event.data) and len(backlog) < BACKLOG:
            backlog.append(event)
        if isinstance(event, Frame) and is_lobby(event.data) and event.peer == ticket.host_id:
            frame = parse_lobby(event.data)
            if isinstance(frame, Roster):
                return frame, backlog
    raise PeerError("the links are closed", 3)
