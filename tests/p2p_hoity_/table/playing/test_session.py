"""Tests of whole tables on a virtual clock: seats play to one end, leave, crash and come back."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import trio
from support.player_table import CALM, LONGER, PlayerTable, Thinker, past_round, short_track
from support.sampling import is_nightly
from support.toy_game import ToyGame
from support.toy_rematch import CONSENTS, NEXT, TABLE, WHO

from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.screen_updates import Attendance, Attending, Clock
from p2p_hoity.table.beside_game import rematch_frames
from p2p_hoity.table.beside_game.unfinished_games import open_games
from p2p_hoity.table.playing.end_codes import LEFT
from p2p_hoity.table.playing.player_interface import BotPlayer
from p2p_hoity.table.playing.rate_limit import RateLimit
from p2p_hoity.table.playing.session import Session
from protocol import Kind, effects
from protocol.chain.chain_state import Table
from protocol.seat.effects import SeatLeft
from protocol.wire.table_header import Header, Timeouts

LEAVING = pytest.mark.sampled(2)

LONG = Timeouts(choice=300_000, step=120_000, back_off=1000, cap=8000)

SOME = pytest.mark.sampled(1)


@LEAVING
async def test_the_others_go_on_at_once_and_who_left_is_back_later(tmp_path: Path) -> None:
    table = PlayerTable(tmp_path, 3, LONG, thinking=1.0)
    table.guests[2].leave_when(past_round(2))
    left: list[float] = []
    host = table.guests[0]

    async def leave_and_return() -> None:
        await table.join(2)
        left.append(trio.current_time())
        guest = table.guests[2]
        seat = table.guests[2].place
        assert (guest.end.code, guest.end.seat, guest.end.kept) == (LEFT, seat, True)
        assert not guest.heard(updates.Ended)
        guest.player = Thinker()
        await table.until(
            lambda: any(a.seats[seat] == Attending.ABSENT for a in host.heard(Attendance))
        )
        left.append(trio.current_time())
        await table.resume(2)

    await table.play({2: leave_and_return})
    assert left[1] - left[0] < 10
    seat = table.guests[2].place
    assert table.ended_alike()
    for guest in table.guests[:2]:
        assert guest.heard(SeatLeft) == [SeatLeft(seat)]
        there = [attendance.seats[seat] for attendance in guest.heard(Attendance)]
        while there[-1] == Attending.UNLINKED:  # behind the end, by whoever ends first
            there.pop()
        order = [Attending.LEFT, Attending.ABSENT, Attending.LINKED]
        last = [there.index(one) if one != Attending.LINKED else len(there) - 1 for one in order]
        assert last == sorted(last)
        assert there[-1] == Attending.LINKED
        assert all(late.muster.gone == {seat} for late in guest.heard(updates.SeatsTimedOut))
    assert table.guests[2].absences == (1, 1)


@LEAVING
async def test_attendance_is_told_as_it_changes_and_the_clock_every_second(tmp_path: Path) -> None:
    table = PlayerTable(tmp_path, 3, LONG, thinking=1.0)
    table.guests[1].player = Sleeper()
    await table.play()
    told = table.guests[0].heard(Attendance)
    assert all(one != other for one, other in pairwise(told))
    assert told[0].seats[0] == Attending.LINKED
    clocks = table.guests[0].heard(Clock)
    assert any(0 in clock.awaited for clock in clocks)
    assert Kind.SEAL in {clock.kind for clock in clocks}
    late = {table.guests[1].place}
    waits = [int(c.waited) for c in clocks if c.awaited == late and c.timeout == 300.0]
    last = waits.index(max(waits))
    assert waits[last] in (19, 20)
    run = waits[max(0, last - 15) : last + 1]
    assert len(run) > 10
    assert run == list(range(run[0], run[0] + len(run)))
    assert all(clock.left <= clock.timeout for clock in clocks)
    assert not table.guests[0].heard(SeatLeft)


class Sleeper(BotPlayer):
    """A player who takes twenty seconds for its first choice."""

    hurry = False

    async def choose(self, view: Any, kind: Any, again: bool) -> Any:
        if not self.hurry:
            await trio.sleep(20)
        self.hurry = True
        return await super().choose(view, kind, again)


@LEAVING
async def test_before_the_deal_it_ends_the_table_and_names_who_left(tmp_path: Path) -> None:
    table = PlayerTable(tmp_path, 3, LONG)
    table.guests[2].leave_when(lambda update: isinstance(update, updates.Started))
    await table.play()
    seat = table.guests[2].place
    for guest in table.guests[:2]:
        assert (guest.end.code, guest.end.seat) == (effects.SEAT_LEFT, seat)
        assert guest.heard(updates.Ended) == [updates.Ended(effects.SEAT_LEFT, seat)]
        assert not guest.heard(updates.Accused)
        assert not open_games(guest.home)
    gone = table.guests[2].outcome
    assert gone is not None
    assert (gone.code, gone.kept) == (LEFT, False)
    assert not open_games(table.guests[2].home)


@LEAVING
async def test_at_a_table_of_two_the_other_is_told_and_waits(tmp_path: Path) -> None:
    table = PlayerTable(tmp_path, 2, LONG, thinking=1.0)
    table.guests[1].leave_when(past_round(2))

    async def leave_and_return() -> None:
        await table.join(1)
        table.guests[1].player = Thinker()
        await trio.sleep(700)
        await table.resume(1)

    await table.play({1: leave_and_return})
    assert table.ended_alike()
    host = table.guests[0]
    assert host.heard(SeatLeft) == [SeatLeft(1)]
    assert host.heard(updates.Paused)[0].muster.gone == {1}
    assert host.heard(updates.Paused)[0].seconds < 300
    assert not host.heard(updates.SeatsTimedOut)
    assert not table.guests[1].heard(updates.Away)


@LEAVING
@pytest.mark.parametrize("number", [0, 1])
async def test_who_leaves_at_the_very_end_has_its_result(tmp_path: Path, number: int) -> None:
    table = PlayerTable(tmp_path, 3, LONG)

    def is_over(update: updates.Update) -> bool:
        over = isinstance(update, updates.ChainGrew) and str(update.after.want.kind) == "result"
        return over or isinstance(update, updates.GameOver)

    table.guests[number].leave_when(is_over)
    await table.play()
    outcome = table.guests[number].outcome
    assert outcome is not None
    assert outcome.transcript is not None or outcome.kept


@SOME
@pytest.mark.real_cards
@pytest.mark.parametrize("seats", [2, 4])
async def test_all_seats_end_with_the_same_transcript(tmp_path: Path, seats: int) -> None:
    """The whole deck at two seats, at night at four too."""
    edition = short_track() if seats == 2 or is_nightly() else None
    table = PlayerTable(tmp_path, seats, edition=edition)
    await table.play()
    table.judge()
    assert len(set(table.transcripts())) == 1
    assert len({guest.outcome.standings for guest in table.guests if guest.outcome}) == 1
    for guest in table.guests:
        assert not list(guest.home.journals.iterdir())
        assert guest.heard(updates.GameOver)
        finals = [step.final for step in guest.heard(updates.ChainGrew)]
        told = sum(len(update.items) for update in guest.heard(updates.Happened))
        assert finals == sorted(finals)
        assert 0 < finals[-1] < told


@SOME
@pytest.mark.parametrize("number", [0, 2])
async def test_a_seat_cut_down_and_resumed_ends_with_others(tmp_path: Path, number: int) -> None:
    table = PlayerTable(tmp_path, 3, CALM, LONGER)
    crashed = table.guests[number]

    async def crash_and_resume() -> None:
        assert await table.sit_until(number, past_round(3))
        (game,) = open_games(crashed.home)
        assert set(game.nicknames) == {"P0", "P1", "P2"}
        await table.resume(number)

    await table.play({number: crash_and_resume})
    assert table.ended_alike()
    assert [len(guest.heard(updates.Resumed)) == 1 for guest in table.guests] == [
        guest is crashed for guest in table.guests
    ]


@SOME
async def test_a_seat_that_vanishes_is_absent_and_the_others_end(tmp_path: Path) -> None:
    table = PlayerTable(tmp_path, 4, edition=LONGER)
    await table.play_until_the_last_goes(past_round(2))
    table.guests.pop()
    table.judge()
    assert table.heard(updates.SeatsTimedOut)


@SOME
async def test_a_seat_declared_absent_comes_back_and_ends_with_the_others(tmp_path: Path) -> None:
    table = PlayerTable(tmp_path, 3, thinking=1.0)

    async def leave_and_come_back() -> None:
        await table.sit_until(2, past_round(2))
        await table.until(lambda: table.heard(updates.SeatsTimedOut))
        await table.resume(2)

    await table.play({2: leave_and_come_back})
    table.judge()


async def test_a_table_is_played_off_the_loop(tmp_path: Path) -> None:
    """What takes long is handed out, and done after a while of the virtual clock."""
    table, jobs = PlayerTable(tmp_path, 3), list[Callable[[], Any]]()

    async def work(run: Callable[[], Any]) -> Any:
        jobs.append(run)
        await trio.sleep(0.05)
        return run()

    for guest in table.guests:
        guest.options["off_loop"] = work
    with trio.fail_after(4000):
        await table.play()
    assert len(jobs) > 10
    assert all(guest.outcome and guest.outcome.code is None for guest in table.guests)
    table.judge()


async def test_refusals_that_are_forged_cost_few_checks_and_hide_no_true_one(
    monkeypatch: pytest.MonkeyPatch, autojump_clock: Any
) -> None:
    """[A-8] A refusal counts from whoever brings it, also from a link that was not let in."""
    following, sound = (
        Table(Header(NEXT, CONSENTS), ToyGame(3, 1)),
        rematch_frames.refuse(TABLE.id, WHO[1]),
    )
    checked, refused = [], []
    check = rematch_frames.Decline.check

    def counted(word: rematch_frames.Decline) -> None:
        checked.append(word)
        check(word)

    monkeypatch.setattr(rematch_frames.Decline, "check", counted)
    session: Any = object.__new__(Session)
    session.machine = SimpleNamespace(
        table=following, has_begun=False, refuse=lambda seat, now: refused.append(seat)
    )
    session._clock = SimpleNamespace(now=lambda: 0.0)
    session._access = SimpleNamespace(may_send=lambda peer, sender: False)
    session._rate_limit = RateLimit(following.ids)
    for number in range(1000):
        forged = replace(sound, signature=number.to_bytes(64, "big"))
        session._on_frame(b"s" * 32, forged.encode())
    assert 0 < len(checked) <= 50
    assert refused == []
    session._on_frame(b"t" * 32, sound.encode())
    assert refused == [1]
