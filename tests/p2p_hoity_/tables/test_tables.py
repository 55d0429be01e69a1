"""Tests of peers: whole tables over a network in memory, on a virtual clock."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
import trio
from support.memory_network import MemoryNetwork
from support.sim.cheap import forget

from cli.trouble import exit_code_of
from p2p_hoity import editions, game_port, rules, tables
from p2p_hoity.net.ticket import Ticket, decode_ticket
from p2p_hoity.session import updates
from p2p_hoity.session.driver import Outcome
from p2p_hoity.session.lobby import Roster, Seating
from p2p_hoity.session.player import BotPlayer
from p2p_hoity.storage import keys
from p2p_hoity.storage.home import Home
from protocol.crypto.signing import Identity
from protocol.transcript import verifier
from protocol.wire import header
from protocol.wire.header import Patience, Terms, default_quorum

SHORT = Patience(choice=4000, step=4000, grace=1000, cap=8000)


async def yes(*_: Any) -> bool:
    return True


@dataclass
class Guest:
    """One player of a test: its files, what its screen was told, how its table ended."""

    path: Path
    name: str
    told: list[updates.Update] = field(default_factory=list)
    outcome: Outcome | None = None
    player: Any = field(default_factory=lambda: BotPlayer())
    me: keys.Player = field(init=False)
    cut: tuple[Callable[[updates.Update], bool], trio.CancelScope] | None = None

    def hear(self, update: updates.Update) -> None:
        """The screen; it pulls the plug at the moment a test asked for."""
        self.told.append(update)
        if self.cut is not None and self.cut[0](update):
            self.cut[1].cancel()

    def __post_init__(self) -> None:
        self.home = Home(self.path / self.name)
        self.me = keys.new_identity(self.home, self.name)

    @property
    def seat(self) -> tables.Seat:
        return tables.Seat(self.home, self.me, self.player, self.hear)

    def heard(self, kind: type[Any]) -> list[Any]:
        return [update for update in self.told if isinstance(update, kind)]


def short_edition() -> rules.Edition:
    """The edition as shipped, on a track a third as long: games of a third of the rounds."""
    full = editions.load()
    castles = tuple(replace(castle, fields=1) for castle in full.castles)
    return replace(full, name="short", castles=castles, banquet_fields=1)


class Thinker(BotPlayer):
    """A player who takes a while for each choice, so that a game lasts longer than an absence."""

    async def choose(self, view: Any, kind: Any, again: bool) -> Any:
        await trio.sleep(1.0)
        return await super().choose(view, kind, again)


class Club:
    """A host and its guests on one network in memory."""

    def __init__(
        self,
        path: Path,
        seats: int,
        patience: Patience = SHORT,
        edition: rules.Edition | None = None,
    ) -> None:
        self.network = MemoryNetwork()
        self.guests = [Guest(path, f"P{i}") for i in range(seats)]
        variant: rules.Variant = "surprise" if seats == 2 else None
        game = game_port.game_value(edition or short_edition(), variant)
        host = self.guests[0].me.identity.public
        self.terms = Terms(host, b"n" * 32, game, seats, default_quorum(seats), patience)
        self.ticket: Ticket | None = None
        self.opened = trio.Event()
        self.lan = tables.Lan.OFF
        self.watched = True

    def reach(self, number: int) -> tables.Reach:
        return tables.Reach(f"node{number}:0", lan=self.lan, network=self.network)

    async def host(self) -> None:
        guest, reach, watched = self.guests[0], self.reach(0), self.watched
        guest.outcome = await tables.host_table(
            guest.seat, self.terms, reach, self._open, watched=watched
        )

    def _open(self, word: str) -> None:
        self.ticket = decode_ticket(word)
        self.opened.set()

    async def join(self, number: int, accept: Callable[..., Awaitable[bool]] = yes) -> None:
        await self.opened.wait()
        guest = self.guests[number]
        assert self.ticket is not None
        guest.outcome = await tables.join_table(guest.seat, self.ticket, accept, self.reach(number))

    async def resume(self, number: int) -> None:
        guest = self.guests[number]
        guest.outcome = await tables.resume_table(guest.seat, None, self.network)

    async def play(self) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.host)
            for number in range(1, len(self.guests)):
                nursery.start_soon(self.join, number)

    async def play_until_the_last_goes(self, wanted: Callable[[updates.Update], bool]) -> bool:
        """All play; the last seat is gone for good once its screen is told what is `wanted`.

        Whether it came to that.
        """
        last, scope = len(self.guests) - 1, trio.CancelScope()
        self.guests[last].cut = wanted, scope

        async def vanish() -> None:
            with scope:
                await self.join(last)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(vanish)
            nursery.start_soon(self.host)
            for number in range(1, last):
                nursery.start_soon(self.join, number)
        return scope.cancelled_caught

    def transcripts(self) -> list[bytes]:
        """What all have written; who verifies it shares nothing with the seats."""
        forget()
        outcomes = [guest.outcome for guest in self.guests]
        assert all(o is not None and o.transcript is not None for o in outcomes)
        return [o.transcript.read_bytes() for o in outcomes if o and o.transcript]


def past_round(number: int) -> Callable[[updates.Update], bool]:
    def wanted(update: updates.Update) -> bool:
        happened = isinstance(update, updates.Happened)
        return happened and update.view.state.round >= number

    return wanted


@pytest.mark.parametrize("seats", [2, 4])
async def test_all_seats_end_with_the_same_transcript(
    tmp_path: Path, autojump_clock: Any, seats: int
) -> None:
    club = Club(tmp_path, seats, edition=editions.load())
    await club.play()
    files = club.transcripts()
    assert len(set(files)) == 1
    assert len({guest.outcome.standings for guest in club.guests if guest.outcome}) == 1
    for guest in club.guests:
        assert not list(guest.home.journals.iterdir())
        assert guest.heard(updates.Finished)


async def test_a_guest_too_many_is_told_and_the_others_play(
    tmp_path: Path, autojump_clock: Any
) -> None:
    club = Club(tmp_path, 3)
    late = Guest(tmp_path, "late")
    club.guests.append(late)
    words: list[str] = []

    async def too_late() -> None:
        while not club.guests[0].heard(updates.Started):
            await trio.sleep(0.001)
        with pytest.raises(tables.PeerError, match=r"table-full|game-begun") as caught:
            await club.join(3)
        words.append(str(caught.value))
        assert exit_code_of(caught.value) == 1

    async with trio.open_nursery() as nursery:
        nursery.start_soon(too_late)
        nursery.start_soon(club.host)
        nursery.start_soon(club.join, 1)
        nursery.start_soon(club.join, 2)
    club.guests.pop()
    assert words
    assert len(set(club.transcripts())) == 1


async def test_a_guest_may_refuse_the_terms(tmp_path: Path, autojump_clock: Any) -> None:
    club = Club(tmp_path, 2)
    asked: list[Any] = []

    async def no(
        terms: Terms, game: game_port.HoityToity, names: tuple[str, ...], watched: bool
    ) -> bool:
        asked.append((terms, game.edition.name, names, watched))
        return False

    async with trio.open_nursery() as nursery:
        nursery.start_soon(club.host)
        with pytest.raises(tables.PeerError, match="seat-not-taken"):
            await club.join(1, no)
        nursery.cancel_scope.cancel()
    assert asked == [(club.terms, "short", ("P0",), True)]


async def test_a_ticket_of_an_earlier_table_is_told_so(tmp_path: Path, autojump_clock: Any) -> None:
    club = Club(tmp_path, 2)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(club.host)
        await club.opened.wait()
        assert club.ticket is not None
        club.ticket = replace(club.ticket, terms=b"t" * 32)
        with pytest.raises(tables.PeerError, match="ticket-unknown"):
            await club.join(1)
        with pytest.raises(tables.PeerError, match="ticket-unknown"):
            await tables.watch_table(club.ticket, tables.Onlooker([].append), club.network)
        nursery.cancel_scope.cancel()


async def test_who_left_before_the_table_began_is_not_told_that_its_host_cheats(
    tmp_path: Path, autojump_clock: Any
) -> None:
    club = Club(tmp_path, 2)
    guest = club.guests[1]
    async with trio.open_nursery() as nursery:
        nursery.start_soon(club.host)
        nursery.start_soon(club.join, 1)
        while not guest.heard(updates.Started):
            await trio.sleep(0.01)
        nursery.cancel_scope.cancel()
    (left,) = guest.home.journals.glob("*.journal")
    left.unlink()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(club.resume, 0)
        with pytest.raises(tables.PeerError, match="left-before-the-beginning"):
            await club.join(1)
        nursery.cancel_scope.cancel()


async def test_an_old_consent_in_the_roster_is_refused(
    tmp_path: Path, autojump_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    club = Club(tmp_path, 2)
    guest = club.guests[1].me
    old = header.sit(club.terms, guest.identity, guest.nickname, b"o" * 32)
    honest = Seating.roster

    def replayed(seating: Seating, host: Any) -> Roster:
        seating._seats[guest.identity.public] = (old, ("node1:1",))
        return honest(seating, host)

    monkeypatch.setattr(Seating, "roster", replayed)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(club.host)
        with pytest.raises(tables.PeerError, match="old-consent"):
            await club.join(1)
        nursery.cancel_scope.cancel()


async def test_a_guest_leaves_a_table_of_twins(
    tmp_path: Path, autojump_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    club = Club(tmp_path, 3)
    other = header.sit(club.terms, Identity(b"o" * 32), "p1", b"o" * 32)
    honest = Seating.roster

    def doubled(seating: Seating, host: Any) -> Roster:
        seating._seats[other.id] = (other, ("node2:1",))
        return honest(seating, host)

    monkeypatch.setattr(Seating, "complete", property(lambda self: len(self._seats) == 2))
    monkeypatch.setattr(Seating, "roster", doubled)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(club.host)
        with pytest.raises(tables.PeerError, match="names-alike"):
            await club.join(1)
        nursery.cancel_scope.cancel()


async def test_a_host_that_is_not_there_is_told(tmp_path: Path, autojump_clock: Any) -> None:
    club = Club(tmp_path, 2)
    club.ticket = Ticket(club.guests[0].me.identity.public, ("node0:1",), b"t" * 32)
    club.opened.set()
    with pytest.raises(tables.PeerError, match="host-unreached") as caught:
        await club.join(1)
    assert exit_code_of(caught.value) == 3


async def test_ones_own_ticket_is_refused(tmp_path: Path, autojump_clock: Any) -> None:
    club = Club(tmp_path, 2)
    club.ticket = Ticket(club.guests[1].me.identity.public, ("node0:1",), b"t" * 32)
    club.opened.set()
    with pytest.raises(tables.PeerError, match="own-ticket"):
        await club.join(1)


@pytest.mark.parametrize("number", [0, 2])
async def test_a_seat_cut_down_and_resumed_ends_with_the_others(
    tmp_path: Path, autojump_clock: Any, number: int
) -> None:
    club = Club(tmp_path, 3, Patience(60_000, 60_000, 5_000, 60_000))
    scope = trio.CancelScope()
    crashed = club.guests[number]
    crashed.cut = past_round(3), scope

    async def crash_and_resume() -> None:
        with scope:
            await (club.host() if number == 0 else club.join(number))
        assert scope.cancelled_caught
        crashed.cut = None
        (game,) = tables.open_games(crashed.home)
        assert set(game.nicknames) == {"P0", "P1", "P2"}
        await club.resume(number)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(crash_and_resume)
        for other in {0, 1, 2} - {number}:
            nursery.start_soon(club.join, other) if other else nursery.start_soon(club.host)
    assert len(set(club.transcripts())) == 1
    assert not any(guest.heard(updates.Accused) for guest in club.guests)
    assert [len(guest.heard(updates.Resumed)) == 1 for guest in club.guests] == [
        guest is crashed for guest in club.guests
    ]


async def test_a_seat_that_vanishes_is_absent_and_the_others_end(
    tmp_path: Path, autojump_clock: Any
) -> None:
    club = Club(tmp_path, 4)
    await club.play_until_the_last_goes(past_round(2))
    club.guests.pop()
    reports = [verifier.verify(data, game_port.read_game) for data in club.transcripts()]
    assert {report.verdict for report in reports} == {"ok"}
    assert len({report.content for report in reports}) == 1
    assert not any(guest.heard(updates.Accused) for guest in club.guests)
    assert any(guest.heard(updates.Late) for guest in club.guests)


async def test_a_seat_declared_absent_comes_back_and_ends_with_the_others(
    tmp_path: Path, autojump_clock: Any
) -> None:
    club = Club(tmp_path, 4)
    for guest in club.guests:
        guest.player = Thinker()
    scope = trio.CancelScope()
    gone = club.guests[3]
    gone.cut = past_round(2), scope

    async def leave_and_come_back() -> None:
        with scope:
            await club.join(3)
        gone.cut = None
        while not any(guest.heard(updates.Late) for guest in club.guests):
            await trio.sleep(0.1)
        await club.resume(3)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(leave_and_come_back)
        nursery.start_soon(club.host)
        nursery.start_soon(club.join, 1)
        nursery.start_soon(club.join, 2)
    reports = [verifier.verify(data, game_port.read_game) for data in club.transcripts()]
    assert {report.verdict for report in reports} == {"ok"}
    assert len({report.content for report in reports}) == 1
    assert not any(guest.heard(updates.Accused) for guest in club.guests)


async def test_an_onlooker_sees_the_same_end(tmp_path: Path, autojump_clock: Any) -> None:
    club = Club(tmp_path, 3)
    seen: list[updates.Update] = []
    outcomes: list[Outcome] = []

    async def look_on() -> None:
        await club.opened.wait()
        assert club.ticket is not None
        path = tmp_path / "seen.hoity"
        onlooker = tables.Onlooker(seen.append, path)
        outcomes.append(await tables.watch_table(club.ticket, onlooker, club.network))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(look_on)
        nursery.start_soon(club.play)
    assert outcomes[0].transcript is not None
    assert outcomes[0].transcript.read_bytes() == club.transcripts()[0]
    views = [update.view for update in seen if isinstance(update, updates.Happened)]
    assert views
    assert not any(view.private for view in views)


def test_no_game_to_resume_is_told(tmp_path: Path) -> None:
    with pytest.raises(tables.PeerError, match="no-game") as caught:
        tables.find_game(Home(tmp_path), None)
    assert exit_code_of(caught.value) == 2
    with pytest.raises(tables.PeerError, match="no-such-game"):
        tables.find_game(Home(tmp_path), "abcd")


class OffLoop(Guest):
    """A player whose machine hands out what takes long, for a while of the virtual clock."""

    jobs = 0

    @property
    def seat(self) -> tables.Seat:
        return replace(super().seat, off_loop=self.weigh)

    async def weigh(self, run: Callable[[], Any]) -> Any:
        OffLoop.jobs += 1
        await trio.sleep(0.05)
        return run()


async def test_a_table_is_played_off_the_loop(tmp_path: Path, autojump_clock: Any) -> None:
    club = Club(tmp_path, 3)
    club.guests = [OffLoop(tmp_path, f"Q{i}") for i in range(3)]
    club.terms = replace(club.terms, host=club.guests[0].me.identity.public)
    with trio.fail_after(4000):
        await club.play()
    assert OffLoop.jobs > 10
    for guest in club.guests:
        assert guest.outcome is not None
        assert guest.outcome.code is None
        assert guest.outcome.transcript is not None
        verifier.verify(guest.outcome.transcript.read_bytes(), game_port.read_game)
