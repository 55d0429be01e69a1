"""A table of players in one process: whole games over a network in memory, on a virtual clock."""

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
import trio
from vectors.making.tables import edition_of

from p2p_hoity import game_adapter, rules
from p2p_hoity.editions.load_edition import load
from p2p_hoity.net.hub import Frame, Hub
from p2p_hoity.net.lan_discovery import Announcement
from p2p_hoity.net.ticket import Ticket, decode_ticket
from p2p_hoity.net.transport import Network
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.storage import player_key
from p2p_hoity.storage.file_store import FileStore
from p2p_hoity.storage.home import Home
from p2p_hoity.table.beside_game.watch_table import ALONE, Onlooker, watch_table
from p2p_hoity.table.gathering.host_table import host_table
from p2p_hoity.table.gathering.join_table import join_table
from p2p_hoity.table.gathering.lobby import (
    LobbyFrame,
    Refusal,
    Seating,
    Sit,
    encode_lobby,
    parse_lobby,
)
from p2p_hoity.table.gathering.table_keys import TableKeys, draw_keys
from p2p_hoity.table.gathering.ticket_proof import Capability
from p2p_hoity.table.open_links import Lan, Reach
from p2p_hoity.table.playing import session
from p2p_hoity.table.playing.frame_kinds import is_of_game
from p2p_hoity.table.playing.play_table import Seat
from p2p_hoity.table.playing.player_interface import BotPlayer
from p2p_hoity.table.playing.player_requests import LeaveForNow, PlayerRequest
from p2p_hoity.table.playing.resume_table import resume_table
from p2p_hoity.table.playing.session import Outcome
from protocol.crypto.identities import Identity
from protocol.transcript import verification_report as verifier_report
from protocol.transcript import verifier
from protocol.wire import table_header
from protocol.wire.table_header import Terms, Timeouts, default_quorum
from support.cheap_group import cheap_cards
from support.partitioned_network import PartitionedNetwork
from support.sim.cheap import forget, parsed_once, shared_nodes

SHORT = Timeouts(choice=4000, step=4000, back_off=1000, cap=8000)
TICK = 1.0
CALM = Timeouts(60_000, 60_000, 5_000, 60_000)
"""Times in which a seat that crashed is back before it is declared absent."""
USUAL = Timeouts()


@pytest.fixture(autouse=True)
def cheap_table(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the seats of a table share its nodes and messages, and compute with integers.

    A test marked `real_cards` computes with points. Who verifies a transcript shares no node. No
    power fails here, so files need not reach the disk. Sessions look at their clocks once a second.
    """
    real = request.node.get_closest_marker("real_cards")
    cards = nullcontext() if real else cheap_cards()
    # A test may patch the same attributes later. Sharing `monkeypatch` undoes all in reverse order.
    monkeypatch.setattr(os, "fsync", lambda file: None)
    monkeypatch.setattr(session, "TICK", TICK)
    with cards, shared_nodes(), parsed_once():
        yield


Condition = Callable[[updates.Update], bool]


async def yes(*_: Any) -> str:
    """Accept the terms of a table."""
    return ""


LONGER = replace(edition_of("small-4"), castles=load().castles[:6])
"""An edition of 24 Collectibles, four of each letter, on a track that takes some ten rounds."""


def short_track() -> rules.Edition:
    """Return the edition as shipped, on a track a third as long."""
    full = load()
    castles = tuple(replace(castle, fields=1) for castle in full.castles)
    return replace(full, name="short", castles=castles, banquet_fields=1)


def past_round(number: int) -> Condition:
    """Return a condition that holds once a screen is shown this round or a later one."""

    def wanted(update: updates.Update) -> bool:
        happened = isinstance(update, updates.Happened)
        return happened and update.view.state.round >= number

    return wanted


class Thinker(BotPlayer):
    """A bot that thinks for some seconds, leaves when told to, and wants so many games more.

    Attributes:
        seconds: How long it thinks before each choice.
        leaves: When this is set, the player leaves the table for now.
        more: How many more games it wants.
        after: How many seconds it takes to say whether it wants another one.
    """

    def __init__(self, seconds: float = 1.0, more: int = 0, after: float = 0.0) -> None:
        super().__init__("easy")
        self.seconds, self.more, self.after = seconds, more, after
        self.leaves = trio.Event()

    async def choose(self, view: rules.View, kind: rules.Kind, again: bool) -> rules.Choice:
        """Return the bot's choice, in its own time."""
        await trio.sleep(self.seconds)
        return await super().choose(view, kind, again)

    async def next_request(self) -> PlayerRequest:
        """Return the wish to leave, when told so."""
        await self.leaves.wait()
        return LeaveForNow()

    async def again(self) -> bool:
        """Return whether another game is wanted."""
        await trio.sleep(self.after)
        self.more -= 1
        return self.more >= 0


@dataclass
class Guest:
    """One player of a test: its files, what its screen was told, how its table ended.

    Attributes:
        options: More fields of its `tables.Seat`.
        listener: What is told each update after the screen.
        store: What holds its files, if that is not the disk.
    """

    path: Path
    name: str
    told: list[updates.Update] = field(default_factory=list)
    outcome: Outcome | None = None
    player: Any = field(default_factory=lambda: BotPlayer("easy"))
    options: dict[str, Any] = field(default_factory=dict)
    listener: Callable[[updates.Update], object] = lambda update: None
    store: FileStore | None = None
    me: player_key.NamedIdentity = field(init=False)
    keys: TableKeys = field(init=False)

    def __post_init__(self) -> None:
        self.home = Home(self.path / self.name, self.store)
        self.me = player_key.new_identity(self.home, self.name)
        self.keys = draw_keys(self.me.identity)

    @property
    def key(self) -> Identity:
        """The key with which it signs at the table."""
        return self.keys.seat

    @property
    def end(self) -> Outcome:
        """How its table ended."""
        assert self.outcome is not None
        return self.outcome

    @property
    def transcript(self) -> bytes:
        """The bytes of the transcript that it has written."""
        assert self.end.transcript is not None
        return self.home.unchecked.get(self.end.transcript)

    def hear(self, update: updates.Update) -> None:
        """Show an update on the screen."""
        self.told.append(update)
        self.listener(update)

    @property
    def seat(self) -> Seat:
        """Who sits here."""
        return Seat(self.hear, player=self.player, home=self.home, me=self.me, **self.options)

    def heard(self, kind: type[Any]) -> list[Any]:
        """Return what the screen was told of one kind."""
        return [update for update in self.told if isinstance(update, kind)]

    @property
    def place(self) -> int:
        """The number of its seat. Guests sit in the order in which they come."""
        return int(self.heard(updates.Started)[0].seat)

    @property
    def round(self) -> int:
        """The last round that the screen was shown."""
        shown = self.heard(updates.Happened)
        return max((update.view.state.round for update in shown), default=0)

    @property
    def absences(self) -> tuple[int, int]:
        """How often the screen was told that its seat is absent, and that it is back."""
        return len(self.heard(updates.Away)), len(self.heard(updates.Rejoined))

    def games(self) -> list[tuple[bytes, Path]]:
        """Return the table's id and the transcript of each game that this guest has finished."""
        return [(one.table.id, one.transcript) for one in self.heard(updates.GameOver)]

    def leave_when(self, wanted: Condition) -> None:
        """Let the player leave for now once its screen is told what is wanted."""
        player = self.player = Thinker()
        self.listener = lambda update: player.leaves.set() if wanted(update) else None


class PlayerTable:
    """A host and its guests on one network in memory.

    Attributes:
        network: The network that all of them share.
        partition: The same network, whose nodes can be parted and joined again.
        node: Gives the network as the node of a seat sees it.
        guests: All players; the first hosts.
        how: More fields of `tables.Reach`, by number.
    """

    def __init__(
        self,
        path: Path,
        seats: int,
        timeouts: Timeouts = SHORT,
        edition: rules.Edition | None = None,
        thinking: float | None = None,
        parted: bool = False,
        store: FileStore | None = None,
    ) -> None:
        """Prepare a table.

        Args:
            path: Where the homes of its players are.
            seats: How many play.
            timeouts: The timeouts of the table.
            edition: What is played. By default a game of few rounds with 24 Collectibles, or of
                more rounds if players think: then something happens to some of them.
            thinking: How many seconds each player thinks before a choice; none by default.
            parted: Whether nodes can be parted.
            store: What holds their files, if that is not the disk.
        """
        self.partition = PartitionedNetwork()
        self.network = self.partition.network
        self.node: Callable[[int], Network] = lambda number: self.network
        if parted:
            self.node = self.partition.node
        self.guests = [Guest(path, f"P{i}", store=store) for i in range(seats)]
        if thinking is not None:
            for guest in self.guests:
                guest.player = Thinker(thinking)
        variant: rules.Variant = "surprise" if seats == 2 else None
        by_default = edition_of("small-4") if thinking is None else LONGER
        game = game_adapter.game_value(edition or by_default, variant)
        host = self.guests[0].key.public
        self.terms = Terms(host, b"n" * 32, game, seats, default_quorum(seats), timeouts)
        self._ticket: Ticket | None = None
        self.opened = trio.Event()
        self.lan = Lan.OFF
        self.admit: Any = None
        self.relays: tuple[str, ...] = ()
        self.how: Callable[[int], dict[str, Any]] = lambda number: {}

    @property
    def ticket(self) -> Ticket:
        """The ticket that the host gave out."""
        assert self._ticket is not None
        return self._ticket

    @ticket.setter
    def ticket(self, ticket: Ticket) -> None:
        self._ticket = ticket
        self.opened.set()

    def think(self, seconds: float) -> None:
        """Let all think for so long from their next choice on."""
        for guest in self.guests:
            guest.player.seconds = seconds

    def reach(self, number: int) -> Reach:
        """Return how this guest can be reached: at an address of its own."""
        reach = Reach(f"node{number}:0", self.relays, lan=self.lan, network=self.node(number))
        return replace(reach, **self.how(number))

    async def host(self) -> None:
        """Host the table and play."""
        guest, reach = self.guests[0], self.reach(0)
        guest.outcome = await host_table(
            guest.seat, guest.keys, self.terms, reach, self._open, self.admit
        )

    def keep_onlookers_out(self) -> None:
        """Offer terms by which nobody may look on."""
        self.terms = replace(self.terms, options=((table_header.ONLOOKERS, False),))

    def _open(self, word: str) -> None:
        self.ticket = decode_ticket(word)

    async def join(self, number: int, accept: Callable[..., Awaitable[str | None]] = yes) -> None:
        """Join the table and play."""
        await self.opened.wait()
        guest = self.guests[number]
        reach = self.reach(number)
        guest.outcome = await join_table(guest.seat, guest.keys, self.ticket, accept, reach)

    async def join_anew(self, number: int) -> None:
        """Join the table with keys that were drawn once more, as a new process does."""
        guest = self.guests[number]
        guest.keys = draw_keys(guest.me.identity)
        await self.join(number)

    async def resume(self, number: int, how: Reach | None = None, **more: Any) -> None:
        """Take the seat again from its journal."""
        guest = self.guests[number]
        how = how or Reach(network=self.node(number))
        guest.outcome = await resume_table(guest.seat, None, how, **more)

    async def sit(self, number: int) -> None:
        """Play from the beginning."""
        await (self.join(number) if number else self.host())

    async def sit_until(self, number: int, wanted: Condition) -> bool:
        """Play until the screen is told what is wanted, then end as a process does that dies.

        Returns:
            Whether it came to that.
        """
        guest, scope = self.guests[number], trio.CancelScope()
        guest.listener = lambda update: scope.cancel() if wanted(update) else None
        with scope:
            await self.sit(number)
        guest.listener = lambda update: None
        return scope.cancelled_caught

    async def crash_and_resume(self, number: int, wanted: Condition, away: float = 0.0) -> None:
        """Play until the screen is told what is wanted, die, and resume after so many seconds."""
        assert await self.sit_until(number, wanted)
        await trio.sleep(away)
        await self.resume(number)

    async def look_on(self, onlooker: Onlooker, network: Network | None = None) -> Outcome:
        """Look on with the ticket of the host, from when the table is open."""
        await self.opened.wait()
        alone = replace(ALONE, network=network or self.network)
        return await watch_table(self.ticket, onlooker, alone)

    async def play(
        self, instead: dict[int, Callable[[], Awaitable[Any]]] | None = None, *beside: Any
    ) -> None:
        """Let all play to the end.

        Args:
            instead: What some of them do instead of playing from the beginning, by number.
            beside: What happens at the same time.
        """
        async with trio.open_nursery() as nursery:
            for task in beside:
                nursery.start_soon(task)
            for number in range(len(self.guests)):
                task = (instead or {}).get(number)
                nursery.start_soon(*((task,) if task else (self.sit, number)))

    async def play_until(self, condition: Callable[[], object]) -> None:
        """Let all play until a condition holds."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.play)
            await self.until(condition)
            nursery.cancel_scope.cancel()

    async def play_until_the_last_goes(self, wanted: Condition) -> bool:
        """Let all play; the last seat is gone for good once its screen is told what is wanted.

        Returns:
            Whether it came to that.
        """
        last, gone = len(self.guests) - 1, list[bool]()

        async def vanish() -> None:
            gone.append(await self.sit_until(last, wanted))

        await self.play({last: vanish})
        return gone[0]

    async def until(self, condition: Callable[[], object]) -> None:
        """Wait until a condition holds."""
        while not condition():
            await trio.sleep(0.1)

    async def until_heard(self, kind: type[Any], *numbers: int, times: int = 1) -> None:
        """Wait until the screens of these guests, or of all, were told something of this kind."""
        listening = [self.guests[n] for n in numbers] or self.guests
        await self.until(lambda: all(len(one.heard(kind)) >= times for one in listening))

    async def wait_for(self, number: int, wanted: Condition) -> None:
        """Wait until a seat's screen is told something from now on."""
        told = self.guests[number].told
        seen = len(told)
        while not any(wanted(update) for update in told[seen:]):
            seen = len(told)
            await trio.sleep(0.1)

    def heard(self, kind: type[Any]) -> list[Any]:
        """Return what the screens of all guests together were told of one kind."""
        return [update for guest in self.guests for update in guest.heard(kind)]

    def transcripts(self) -> list[bytes]:
        """Return what all have written. Who verifies it shares nothing with the seats."""
        forget()
        return [guest.transcript for guest in self.guests]

    def ended_alike(self) -> bool:
        """Return whether all have written the same transcript, and accused nobody."""
        return len(set(self.transcripts())) == 1 and not self.heard(updates.Accused)

    def judge(self) -> list[verifier_report.Report]:
        """Verify that all ended alike: one content, `ok`, nobody accused or at fault.

        Returns:
            One report for each different transcript.
        """
        reports = [
            verifier.verify(data, game_adapter.read_game) for data in set(self.transcripts())
        ]
        assert {report.verdict for report in reports} == {"ok"}
        assert len({report.digest for report in reports}) == 1
        assert all(report.faults == () for report in reports)
        assert not self.heard(updates.Accused)
        return reports


@pytest.fixture
def pair(tmp_path: Path) -> PlayerTable:
    """Return a table of two who play a short game at once."""
    return PlayerTable(tmp_path, 2)


@pytest.fixture
def three(tmp_path: Path) -> PlayerTable:
    """Return a table of three who do the same."""
    return PlayerTable(tmp_path, 3)


def willing_table(
    path: Path,
    seats: int,
    player: Callable[[int], Thinker],
    edition: rules.Edition | None = None,
) -> PlayerTable:
    """Return a table whose players are asked for another game."""
    table = PlayerTable(path, seats, edition=edition)
    for number, guest in enumerate(table.guests):
        guest.options["again"] = True
        guest.player = player(number)
    return table


def willing(more: int = 1, after: float = 0.0) -> Thinker:
    """Return a player who wants so many games more, and says so after a while."""
    return Thinker(0.0, more, after)


@dataclass
class Caller:
    """A hub that speaks the lobby by hand.

    Attributes:
        heard: Each frame of the lobby, read, and each other event.
    """

    hub: Hub
    host: bytes
    heard: list[Any] = field(default_factory=list)

    def say(self, frame: LobbyFrame) -> None:
        """Send a frame to the host."""
        self.hub.post(self.host, encode_lobby(frame))

    def proof(self, ticket: Ticket, **changed: bytes) -> bytes:
        """Return the proof that this guest holds the ticket."""
        capability = Capability(ticket.terms, ticket.secret)
        binding = self.hub.binding(self.host)
        assert binding is not None
        place = {"binding": binding, "host": self.host, "guest": self.hub.me, **changed}
        return capability.guest_proof(**place)

    def sit(self, table: PlayerTable, name: str, *addresses: str) -> None:
        """Ask for a seat."""
        entry = table_header.sit(table.terms, self.hub._identity, name, os.urandom(32))
        self.say(Sit(entry.value(), addresses))

    async def listen(self) -> None:
        """Keep what comes."""
        async for event in self.hub.events:
            frame = isinstance(event, Frame) and not is_of_game(event.data)
            self.heard.append(parse_lobby(event.data) if frame else event)  # type: ignore[union-attr]

    async def next(self, kind: type[Any]) -> Any:
        """Wait for what is heard of this kind."""
        while not (found := [one for one in self.heard if isinstance(one, kind)]):
            await trio.sleep(0.1)
        self.heard.remove(found[0])
        return found[0]


async def call(
    table: PlayerTable, nursery: trio.Nursery, identity: Identity | None = None
) -> Caller:
    """Return a caller that is linked to the host."""
    hub = Hub(identity or Identity(os.urandom(32)), network=table.network)
    await nursery.start(hub.run)
    caller = Caller(hub, table.ticket.host_id)
    nursery.start_soon(caller.listen)
    await hub.connect(table.ticket.addresses, table.ticket.host_id, 5)
    return caller


def seated(seating: Seating, peer: bytes, request: Sit) -> Refusal | None:
    """Seat a guest; why not, if it cannot be."""
    found = seating.may_sit(peer, request)
    if isinstance(found, Refusal):
        return found
    seating.sit(found, request.addresses)
    return None


class SilentAir:
    """In place of the LAN: what is announced there, and nobody hears it.

    Attributes:
        problem: Why the LAN carries nothing just now.
        updates: How many were told to be seated, each time.
    """

    def __init__(self) -> None:
        self.announced: list[Announcement] = []
        self.problem: Any = None
        self.updates: list[int] = []

    @asynccontextmanager
    async def announce(self, what: Announcement) -> AsyncIterator[Any]:
        """Keep what is announced."""
        self.announced.append(what)
        yield self

    async def update(self, joined: int) -> None:
        """Keep how many joined."""
        self.updates.append(joined)


@asynccontextmanager
async def hosted(
    table: PlayerTable, lan: Lan = Lan.OFF, joining: Iterable[int] = ()
) -> AsyncIterator[Callable[..., Awaitable[Caller]]]:
    """Run a host in its lobby and those who join, and give a way to make callers linked to it."""
    table.lan = lan
    async with trio.open_nursery() as nursery:
        nursery.start_soon(table.host)
        await table.opened.wait()
        for number in joining:
            nursery.start_soon(table.join, number)
        yield lambda identity=None: call(table, nursery, identity)
        nursery.cancel_scope.cancel()
