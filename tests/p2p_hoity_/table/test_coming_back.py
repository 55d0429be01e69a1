"""A player who walks away and comes back: asked anew for each absence, through changes of epoch."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trio
from support.player_table import CALM, PlayerTable, Thinker, past_round
from support.relays import serve_relay
from support.sampling import AWAY

from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.screen_updates import Attending
from protocol.wire.table_header import Timeouts

pytestmark = AWAY

TIMES = Timeouts(choice=90_000, step=60_000, back_off=1000, cap=8000)
"""A choice is awaited for longer than one who has just sat down counts as there."""


async def test_a_relay_that_is_gone_keeps_no_seat_out(tmp_path: Path) -> None:
    """The relay and a seat die; all others are reached directly."""
    table = PlayerTable(tmp_path, 3, CALM, thinking=1.0)
    table.relays, relaying = ("relay:1",), trio.CancelScope()

    async def serve() -> None:
        with relaying:
            await serve_relay("relay", 1, network=table.network)

    async def die_with_the_relay() -> None:
        assert await table.sit_until(2, past_round(2))
        relaying.cancel()
        await table.resume(2)

    with trio.fail_after(3000):
        await table.play({2: die_with_the_relay}, serve)
    table.judge()
    back = table.guests[2].heard(updates.RelayState)
    assert [(one.relay, one.why.code) for one in back] == [("relay:1", "unreached")]


class Walker(Thinker):
    """A player who gives no answer while away, and comes back when a key is struck."""

    def __init__(self) -> None:
        super().__init__()
        self.is_away, self.calls, self.key = False, 0, trio.Event()

    async def choose(self, view: Any, kind: Any, again: bool) -> Any:
        if self.is_away:
            await trio.sleep_forever()
        return await super().choose(view, kind, again)

    async def returning(self) -> None:
        self.calls += 1
        await self.key.wait()
        self.key, self.is_away = trio.Event(), False


@pytest.mark.nightly
async def test_who_walked_away_comes_back(tmp_path: Path) -> None:
    table = PlayerTable(tmp_path, 5, TIMES, thinking=2.0)
    one, walker = table.guests[3], Walker()
    one.player = walker
    left = trio.Event()
    table.guests[2].leave_when(lambda update: left.is_set())

    async def walk() -> None:
        await table.until_heard(updates.Happened, 3)
        walker.is_away = True
        await table.until_heard(updates.Away, 3)
        left.set()  # one more change of epoch while this seat is absent
        seat = table.guests[2].place
        await table.until(
            lambda: any(
                told.seats[seat] is Attending.ABSENT for told in one.heard(updates.Attendance)
            )
        )
        assert not one.heard(updates.Rejoined)
        walker.key.set()
        await table.until_heard(updates.Rejoined, 3)
        walker.is_away = True
        await table.until_heard(updates.Away, 3, times=2)
        await trio.sleep(200)  # nobody comes back for it
        assert len(one.heard(updates.Rejoined)) == 1
        walker.key.set()

    with trio.fail_after(3000):
        await table.play({}, walk)
    assert [told for told in one.told if isinstance(told, updates.Away | updates.Rejoined)] == [
        updates.Away(),
        updates.Rejoined(),
        updates.Away(),
        updates.Rejoined(),
    ]
    assert walker.calls == 2


async def test_whose_returns_are_used_up_is_asked_back_when_the_game_stands_still(
    tmp_path: Path,
) -> None:
    """[E-31]: at terms without any return."""
    table = PlayerTable(tmp_path, 4, TIMES, thinking=2.0)
    table.terms = replace(table.terms, rejoins=0)
    one, walker = table.guests[3], Walker()
    one.player = walker

    async def walk() -> None:
        await table.until_heard(updates.Happened, 3)
        walker.is_away = True
        await table.until_heard(updates.Away, 3)
        assert walker.calls == 0
        await table.until_heard(updates.Away, 3, times=2)
        walker.key.set()

    def sees_an_absence(update: Any) -> bool:
        return isinstance(update, updates.Attendance) and Attending.ABSENT in update.seats

    table.guests[2].leave_when(sees_an_absence)
    with trio.fail_after(3000):
        await table.play({}, walk)
    told = [update for update in one.told if isinstance(update, updates.Away | updates.Rejoined)]
    assert told == [
        updates.Away(may_rejoin=False),
        updates.Away(),
        updates.Rejoined(),
    ]
    ends = {outcome.standings for guest in table.guests if (outcome := guest.outcome)}
    assert len(ends - {()}) == 1
