"""Tests of an onlooker who sees a game from now on: the past is kept back, the end never is."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio
from support.player_table import PlayerTable
from support.running import running
from support.sampling import LOOKED_ON

from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.table.beside_game.watch_table import FIRST, MAX_CATCH_UP, QUIET, Onlooker, PastFilter

pytestmark = LOOKED_ON

STARTED = updates.Started(None, None)  # type: ignore[arg-type]
FINISHED = updates.GameOver(None, None, (), None)  # type: ignore[arg-type]


def happened(number: int, *items: str) -> updates.Happened:
    """Something that happened, on a view that is only a number here."""
    return updates.Happened(items, number)  # type: ignore[arg-type]


@asynccontextmanager
async def onlooker() -> AsyncIterator[tuple[PastFilter, list[Any]]]:
    """Someone who sees a game from now on, and what they are told."""
    told: list[Any] = []
    late = PastFilter(told.append)
    async with running(late.run):
        yield late, told


async def test_the_past_is_kept_back_until_it_rests_or_the_end_comes() -> None:
    async with onlooker() as (late, told):
        late.tell(STARTED)
        await trio.sleep(FIRST - 1)  # the first answer takes its time
        for number in range(10):
            late.tell(happened(number))
            await trio.sleep(QUIET / 2)
        assert told == [STARTED]
        await trio.sleep(2 * QUIET)
        late.tell(happened(10))
        late.tell(happened(11))
    assert told == [STARTED, updates.Resumed(9), happened(10), happened(11)]  # type: ignore[arg-type]
    async with onlooker() as (late, told):
        for update in (
            STARTED,
            happened(1, "a", "b"),
            updates.Rewound(1, 1, 2),  # type: ignore[arg-type]
            happened(3, "c"),
            FINISHED,
        ):
            late.tell(update)
    # What was taken back is not told.
    assert told == [STARTED, updates.Resumed(3, ("a", "c")), FINISHED]  # type: ignore[arg-type]


async def test_what_has_not_begun_has_no_past_and_what_never_rests_is_shown_in_the_end() -> None:
    async with onlooker() as (late, told):
        await trio.sleep(100)  # the table fills
        late.tell(STARTED)
        await trio.sleep(FIRST + 1)
        late.tell(happened(1))
    assert told == [STARTED, happened(1)]
    async with onlooker() as (late, told):
        late.tell(STARTED)
        for number in range(int(4 * MAX_CATCH_UP)):
            late.tell(happened(number))
            await trio.sleep(QUIET / 2)
    assert sum(isinstance(one, updates.Happened) for one in told) >= 2 * MAX_CATCH_UP - 4
    assert isinstance(told[1], updates.Resumed)


@pytest.mark.parametrize("from_now", [False, True])
async def test_a_late_onlooker_at_a_real_table(from_now: bool, tmp_path: Path) -> None:
    table, seen = PlayerTable(tmp_path, 2, thinking=1.0), list[Any]()
    path = tmp_path / "watched.hoity"

    async def watch() -> None:
        await table.until_heard(updates.Happened, 0, times=8)
        await table.look_on(Onlooker(seen.append, path, from_now=from_now))

    await table.play({}, watch)
    played = len(table.guests[0].heard(updates.Happened))
    shown = [one for one in seen if isinstance(one, updates.Happened)]
    assert (len(shown) < played - 6) is from_now
    assert any(isinstance(one, updates.Resumed) for one in seen) is from_now
    assert isinstance(seen[-1], updates.GameOver)
    assert path.read_bytes() == table.transcripts()[0]  # all of it was verified
