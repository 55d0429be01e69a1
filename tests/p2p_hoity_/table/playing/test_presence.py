"""Tests of notices of waiting: they come seldom, never of oneself, and with what comes next."""

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import trio
from support.inspection import alter
from support.machine_table import MachineTable, make_table, toy_choice
from support.player_table import LONGER, PlayerTable, past_round
from support.sim.cheap import cheap_blocks
from support.toy_game import ToyGame

from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.screen_updates import Attending, Awaited, Halfway, Paused, SeatsTimedOut
from p2p_hoity.table.playing.player_interface import BotPlayer
from p2p_hoity.table.playing.player_requests import PlayerRequest, WaitLonger
from p2p_hoity.table.playing.presence import PresenceTeller, attendance, muster
from protocol.chain.chain_state import Kind
from protocol.seat.seat_machine import SeatMachine
from protocol.seat.stay_after_end import LastWait
from protocol.wire.table_header import Timeouts

NO_PAGES = SimpleNamespace(tell=lambda nicknames: None)


@pytest.fixture(autouse=True)
def _cheap(request: pytest.FixtureRequest) -> Iterator[None]:
    """Cheap blocks for the toy game; a whole table of peers needs the real ones."""
    with nullcontext() if "tmp_path" in request.fixturenames else cheap_blocks():
        yield


class Watched(MachineTable):
    """Seats before the first bid, watched by seat 0; those in `mute` do not bid."""

    def __init__(self, mute: set[int], choice: float, seats: int = 4, quorum: int = 3) -> None:
        timeouts = Timeouts(round(choice * 1000), 10_000, 3_000, 60_000)
        table, who = make_table(ToyGame(seats, 1), seats, quorum, timeouts)
        self.mute = mute
        super().__init__(table, who, lambda m, a: None if m.seat in self.mute else toy_choice(m, a))
        self.start()
        while self.deliver():
            pass
        assert self.machine.tip.want.kind is Kind.SEAL
        self.told: list[Any] = []
        self.links: frozenset[int] = frozenset({1, 2, 3})
        self.notes = self.teller()

    def teller(self) -> PresenceTeller:
        """What tells of seat 0 as it is now."""
        ids = self.machine.table.ids
        hub = SimpleNamespace(linked=lambda peer: ids.index(peer) in self.links)
        return PresenceTeller(self.machine, self.told.append, hub, NO_PAGES)  # type: ignore[arg-type]

    def last(self) -> Any:
        """What was told last, if anything was."""
        return self.told.pop() if self.told else None

    def time_out(self, now: float, linked: frozenset[int] = frozenset({1, 2, 3})) -> Any:
        """What is told when the open step times out."""
        self.links = linked
        self.notes.timed_out(now)
        return self.last()

    def extend(self, given: bool) -> Any:
        """What is told of the wish to wait longer."""
        self.notes.extended(given, self.now)
        return self.last()

    @property
    def machine(self) -> SeatMachine:
        return self.places[0].machine

    def watch(self, until: float, linked: frozenset[int] = frozenset({1, 2, 3})) -> list[Any]:
        """Each notice with its second; nothing but time passes."""
        found, self.links = [], linked
        while self.now < until:
            self.now += 0.5
            alter(self.machine, now=self.now)
            self.notes.notify(self.now)
            notice = self.last()
            if notice is not None:
                found.append((self.now, notice))
        return found

    def bid(self, seat: int) -> None:
        """A mute seat bids after all."""
        self.mute.discard(seat)
        self.places[seat].machine.choose(0, self.now)
        self.collect(seat)
        while self.deliver():
            pass


def test_who_is_awaited_is_said_at_growing_intervals_of_each_step() -> None:
    found = Watched({3}, 1000).watch(330)
    assert [at for at, _ in found] == [10, 20, 40, 80, 140, 200, 260, 320]
    assert all(notice == Awaited(frozenset({3}), at, 1000 - at) for at, notice in found)
    seats = Watched({3}, 1000)
    assert len(seats.watch(45)) == 3
    step = seats.machine.tip.step
    seats.mute = {1, 2, 3}
    seats.choose = lambda m, a: None if m.seat else toy_choice(m, a)
    seats.bid(3)
    assert seats.machine.tip.step > step
    assert seats.machine.awaited()
    ((at, notice),) = seats.watch(60)
    assert (at, notice.seconds) == (55, 10)


def test_half_the_patience_is_said_and_then_whether_enough_are_left() -> None:
    seats = Watched({3}, 16)
    ((at, notice),) = seats.watch(15)
    assert at == 8
    assert notice == Halfway(frozenset({3}), 8, 8, updates.Muster(4, 3, 3, thinking=frozenset({3})))
    assert seats.machine.wait_longer(seats.now)
    assert seats.extend(True) == updates.Extended(frozenset({3}), 16)
    notices = [(at, notice) for at, notice in seats.watch(30) if isinstance(notice, Halfway)]
    assert [(at, notice.left) for at, notice in notices] == [(23, 8)]
    seats = Watched({2, 3}, 1000)
    notice = seats.time_out(5)
    assert notice == Paused(
        frozenset({2, 3}), 5, updates.Muster(4, 3, 2, thinking=frozenset({2, 3}))
    )
    assert [type(notice) for _, notice in seats.watch(9)] == []
    seats.bid(2)
    (late,) = [notice for _, notice in seats.watch(12) if not isinstance(notice, Awaited)]
    assert late == SeatsTimedOut(
        frozenset({3}), 9.5, updates.Muster(4, 3, 3, thinking=frozenset({3}))
    )
    ((at, notice),) = Watched({0}, 60).watch(59)
    assert at == 30
    assert notice == Halfway(frozenset({0}), 30, 30, updates.Muster(4, 3, 4))
    assert Watched({0}, 60, quorum=4).watch(59) == []
    ((at, notice),) = Watched({0, 3}, 100).watch(99)
    assert at == 50
    assert isinstance(notice, Halfway)
    assert notice.seats == {0, 3}


def test_while_one_thinks_and_one_has_left_too_few_are_left_only_without_a_link() -> None:
    seats = Watched({2, 3}, 1000)
    gone = frozenset({3})
    seats.machine.away = lambda: gone  # type: ignore[method-assign]
    notice = seats.time_out(5, frozenset({1, 2}))
    assert isinstance(notice, Paused)
    assert notice.muster == updates.Muster(4, 3, 2, gone=gone, thinking=frozenset({2}))
    assert not notice.muster.is_short
    assert not [
        notice for _, notice in seats.watch(4, frozenset({1, 2})) if isinstance(notice, Paused)
    ]
    (notice,) = [
        notice for _, notice in seats.watch(9, frozenset({1})) if isinstance(notice, Paused)
    ]
    assert notice.muster.is_short
    assert updates.Muster(4, 4, 4, strict=True).is_short


def test_who_has_no_link_nor_spoken_or_is_below_its_floor_does_not_count() -> None:
    seats = Watched({0, 1, 2, 3}, 1000)
    seats.machine.awaited = lambda: frozenset({3})  # type: ignore[method-assign]
    want = seats.machine.tip.want
    object.__setattr__(want, "speakers", frozenset({3}))
    assert muster(seats.machine, {1, 2, 3}).there == 3
    assert muster(seats.machine, {1}).there == 2
    alter(seats.machine, seat=None)
    assert muster(seats.machine, frozenset()).there == 3
    seats = Watched({3}, 20)
    linked = frozenset({1, 2})
    assert muster(seats.machine, linked).there == 3
    alter(seats.machine, floor=2)
    assert muster(seats.machine, linked).there == 2
    notice = seats.time_out(seats.now, linked)
    assert isinstance(notice, Paused)


def test_a_strict_table_waits_in_any_case_and_who_may_not_speak_is_not_told_of_it() -> None:
    seats = Watched({3}, 16, quorum=4)
    assert isinstance(seats.time_out(16), Paused)
    given = seats.machine.wait_longer(seats.now)
    assert not given
    assert seats.extend(given) == updates.Extended(frozenset({3}), 0)
    seats = Watched({0}, 16)
    given = seats.machine.wait_longer(seats.now)
    assert seats.extend(given) == updates.Extended(frozenset(), 0)
    seats = Watched({0}, 20, 4, 4)
    place = seats.places[0]
    place.machine = seats.build(0)
    place.machine.restore(place.journal)
    place.machine.be_cautious(certain=True)
    place.machine.start(seats.now)
    seats.notes = seats.teller()
    assert seats.machine.awaited() == {0}
    assert seats.watch(60) == []
    assert seats.time_out(seats.now) is None
    assert muster(seats.machine, {1, 2, 3}).is_mute
    alone = seats.watch(100, frozenset())
    assert {(type(notice), notice.seats) for _, notice in alone} == {
        (Awaited, frozenset({1, 2, 3}))
    }


def test_seats_that_do_not_agree_are_told_of_once_a_minute_later() -> None:
    """As with a cautious seat beside a silent one at four seats: nobody has a quorum of votes."""
    seats = Watched({3}, 16)
    seats.now = 16.0
    notice = seats.time_out(16, frozenset({1, 2}))
    assert isinstance(notice, SeatsTimedOut)
    assert not notice.undecided
    assert not notice.muster.is_mute
    found = [
        (at, notice)
        for at, notice in seats.watch(200, frozenset({1, 2}))
        if isinstance(notice, SeatsTimedOut)
    ]
    assert [(at, notice.undecided, notice.seats) for at, notice in found] == [
        (76, True, frozenset({3}))
    ]


class Patient(BotPlayer):
    """A bot in whose seat somebody waits longer, once."""

    def __init__(self) -> None:
        super().__init__()
        self.wished = trio.Event()
        self.has_wished = False

    async def next_request(self) -> PlayerRequest:
        if self.has_wished:
            await trio.sleep_forever()
        await self.wished.wait()
        self.has_wished = True
        return WaitLonger()


async def test_a_player_waits_longer_and_then_the_game_goes_on(tmp_path: Path) -> None:
    table = PlayerTable(tmp_path, 4, edition=LONGER)
    host = table.guests[0]
    host.player = Patient()
    heard: list[tuple[float, updates.Update]] = []

    def hear(update: updates.Update) -> None:
        heard.append((trio.current_time(), update))
        if isinstance(update, Halfway):
            host.player.wished.set()

    host.listener = hear
    await table.play_until_the_last_goes(past_round(2))
    table.guests.pop()
    assert table.ended_alike()
    ((extended, notice),) = [(at, u) for at, u in heard if isinstance(u, updates.Extended)]
    late = table.guests[1].heard(SeatsTimedOut)[0]
    assert (notice.seats, notice.left) == (late.seats, 4.0)
    assert late.muster == updates.Muster(4, 3, 3, unlinked=late.seats)
    ran_out = next(at for at, u in heard if isinstance(u, SeatsTimedOut))
    assert ran_out - extended >= 4.0


class StayingMachine:
    """A seat with a final end that waits for others as a test says."""

    def __init__(self) -> None:
        self.tip = SimpleNamespace(step=9, digest=b"")
        self.seats, self.until = frozenset({1}), 301.0
        self.now = 0.0

    def last_wait(self) -> Any:
        """For whom and how long it stays."""
        left = self.until - self.now
        return LastWait(self.seats, left) if left > 0 else None


class Staying:
    """What such a seat is told, second by second."""

    def __init__(self) -> None:
        self.machine, self.told = StayingMachine(), list[Any]()
        self.notes = PresenceTeller(self.machine, self.told.append, SimpleNamespace(), NO_PAGES)  # type: ignore[arg-type]

    def watch(self, until: int, *seats: int) -> list[tuple[int, list[int], float]]:
        """Let time pass, and return what was told meanwhile with its second."""
        found = []
        while self.machine.now < until:
            self.machine.seats = frozenset(seats)
            self.notes.stays(self.machine.now)
            found += [(int(self.machine.now), sorted(one.seats), one.left) for one in self.told]
            self.told.clear()
            self.machine.now += 1
        return found


def test_for_whom_a_seat_stays_is_told_soon_and_then_whenever_half_the_time_is_over() -> None:
    assert Staying().watch(301, 1) == [
        (1, [1], 300.0),
        (151, [1], 150.0),
        (226, [1], 75.0),
        (264, [1], 37.0),
        (283, [1], 18.0),
    ]


def test_whoever_confirms_within_a_second_is_told_of_to_nobody() -> None:
    soon = Staying()
    soon.machine.until = 0.9
    assert soon.watch(10, 1) == []


def test_that_others_are_waited_for_is_told_and_a_link_that_flaps_is_told_of_once() -> None:
    notes = Staying()
    found = notes.watch(5, 1, 2)
    for second in range(5, 100):
        found += notes.watch(second + 1, *((1, 3) if second % 2 else (1,)))
    assert [seats for _, seats, _ in found] == [[1, 2], [1, 3], [1]]
    notes.machine.until += 200.0  # a first link: the time begins anew
    (more,) = notes.watch(102, 1)
    assert more == (100, [1], 401.0)


def test_a_seat_is_banned_absent_gone_linked_or_not_in_this_order() -> None:
    tip = SimpleNamespace(banned={4}, present={0, 1, 2, 3})
    machine: Any = SimpleNamespace(
        table=SimpleNamespace(seats=6), tip=tip, seat=0, away=lambda: frozenset({2, 4, 5})
    )
    assert attendance(machine, frozenset({1, 2, 4, 5})).seats == (
        Attending.LINKED,
        Attending.LINKED,
        Attending.LEFT,
        Attending.UNLINKED,
        Attending.BANNED,
        Attending.ABSENT,
    )
