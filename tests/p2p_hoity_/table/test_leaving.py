"""A player leaves a running table, the others go on at once, and it comes back."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import trio
from support.player_table import PlayerTable, Thinker, past_round

from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.screen_updates import Attendance, Attending, Clock
from p2p_hoity.table.beside_game.unfinished_games import open_games
from p2p_hoity.table.playing.end_codes import LEFT
from p2p_hoity.table.playing.player_interface import BotPlayer
from protocol import Kind, effects
from protocol.seat.effects import SeatLeft
from protocol.wire.table_header import Timeouts

pytestmark = pytest.mark.sampled(2)

LONG = Timeouts(choice=300_000, step=120_000, back_off=1000, cap=8000)


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
