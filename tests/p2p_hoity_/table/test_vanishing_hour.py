"""Seats that come back after an hour, in memory on a virtual clock, with the usual timeouts."""

from functools import partial
from pathlib import Path

import pytest
import trio
from support.player_table import USUAL, PlayerTable, past_round
from support.sampling import AWAY, times

from p2p_hoity import game_adapter
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.table.open_links import Reach
from p2p_hoity.table.playing import session
from p2p_hoity.table.playing.resume_table import claim_game, resume_table
from protocol.transcript import verifier

pytestmark = AWAY

AWAY = float(times(1800, 3600))
"""Seconds for which seats are gone: an hour at night, half an hour in the quick suite."""
GONE = 3


class Hour:
    """A table of four whose last seat is away for an hour from the second round on."""

    def __init__(self, path: Path) -> None:
        self.table = PlayerTable(path, 4, USUAL, thinking=1.0, parted=True)
        self.rounds: list[int] = []

    async def pass_by(self) -> None:
        """An hour in which people think for minutes; keep which round the three others are in."""
        self.rounds.append(self.table.guests[0].round)
        self.table.think(AWAY / 15)
        await trio.sleep(AWAY)
        self.table.think(1.0)
        self.rounds.append(self.table.guests[0].round)

    async def killed(self) -> None:
        """Its process dies; after an hour it is restored from its journal."""
        await self.table.sit_until(GONE, past_round(2))
        await self.pass_by()
        await self.table.resume(GONE)

    async def cut_off(self) -> None:
        """Its process lives; its links are dead for an hour."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.table.join, GONE)
            await self.table.wait_for(GONE, past_round(2))
            self.table.partition.part((0, 1, 2), (GONE,))
            await self.pass_by()
            self.table.partition.heal()


@pytest.fixture
def seldom(monkeypatch: pytest.MonkeyPatch) -> None:
    """Machines look at their clocks once in five seconds: an hour has many."""
    monkeypatch.setattr(session, "TICK", 5.0)


@pytest.mark.nightly
@pytest.mark.parametrize("way", ["killed", "cut_off"])
async def test_a_seat_comes_back_after_an_hour(tmp_path: Path, seldom: None, way: str) -> None:
    hour = Hour(tmp_path)
    await hour.table.play({GONE: getattr(hour, way)})
    hour.table.judge()
    assert hour.rounds[0] < hour.rounds[1]
    assert [guest.absences for guest in hour.table.guests] == [(0, 0)] * 3 + [(1, 1)]


async def test_all_are_gone_for_an_hour_and_come_back(tmp_path: Path, seldom: None) -> None:
    """All seats die in one moment, whichever is told of the next round first."""
    table = PlayerTable(tmp_path, 3, USUAL, thinking=1.0, parted=True)
    scopes = [trio.CancelScope() for _ in range(3)]

    def power_cut(update: updates.Update) -> None:
        for scope in scopes if past_round(2)(update) else ():
            scope.cancel()

    async def leave_and_come_back(number: int) -> None:
        table.guests[number].listener = power_cut
        with scopes[number]:
            await table.sit(number)
        assert scopes[number].cancelled_caught
        table.guests[number].listener = lambda update: None
        await trio.sleep(AWAY)
        if number == 2:  # the last one is later still, within the timeout of any step
            await trio.sleep(15)
        await table.resume(number)

    await table.play({number: partial(leave_and_come_back, number) for number in range(3)})
    assert len(table.judge()) == 1
    assert [guest.absences for guest in table.guests] == [(0, 0)] * 3


async def test_who_comes_back_when_the_others_are_done_saves_what_it_has(tmp_path: Path) -> None:
    table = PlayerTable(tmp_path, 3, thinking=1.0, parted=True)
    assert await table.play_until_the_last_goes(past_round(2))
    gone = table.guests.pop()
    with trio.move_on_after(600) as waiting:
        await resume_table(gone.seat, None, Reach(network=table.node(2)))
    assert waiting.cancelled_caught
    assert not gone.heard(updates.GameOver)
    report = verifier.verify(claim_game(gone.seat, None).read_bytes(), game_adapter.read_game)
    assert report.unfinished
    assert report.faults == ()
    table.judge()
