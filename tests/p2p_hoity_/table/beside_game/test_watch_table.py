"""Tests of onlookers: they see the same end, from now on or not, and none where nobody may."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio
from support.player_table import LONGER, PlayerTable, Thinker, past_round, willing, willing_table
from support.running import running
from support.sampling import LOOKED_ON

from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.table.beside_game.watch_table import (
    ALONE,
    FIRST,
    MAX_CATCH_UP,
    QUIET,
    Onlooker,
    PastFilter,
    watch_table,
)
from p2p_hoity.table.gathering.ticket_proof import Capability
from p2p_hoity.table.peer_error import PeerError

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


@LOOKED_ON
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


@LOOKED_ON
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


@LOOKED_ON
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


def unwatched(path: Path, seats: int = 3) -> PlayerTable:
    """A table that nobody may watch; its second seat takes its time."""
    table = PlayerTable(path, seats, edition=LONGER)
    table.keep_onlookers_out()
    table.guests[1].player = Thinker()
    return table


async def turned_away(table: PlayerTable, door: int = 0) -> None:
    """Who holds the ticket and knocks at this seat is told that nobody may look on, and no more."""
    told: list[updates.Update] = []
    key = table.guests[door].key.public
    listening = [place for place in table.network._listeners if place[0] == f"node{door}"]
    addresses = tuple(f"{host}:{port}" for host, port in listening)
    ticket = replace(table.ticket, host_id=key, addresses=addresses)
    alone = replace(ALONE, network=table.network)
    with pytest.raises(PeerError, match="table-unwatched"):
        await watch_table(ticket, Onlooker(told.append), alone)
    assert told == []


async def begun(table: PlayerTable, games: int = 1) -> None:
    """Wait until all play."""
    await table.until_heard(updates.Started, times=games)


@LOOKED_ON
async def test_onlookers_are_turned_away_at_every_seat(tmp_path: Path) -> None:
    table, shown = unwatched(tmp_path), list[bool]()

    async def consents(*given: Any) -> str:
        shown.append(given[0].watched)
        return ""

    async with trio.open_nursery() as nursery:
        nursery.start_soon(table.host)
        await table.opened.wait()
        await turned_away(table)
        nursery.start_soon(table.join, 1, consents)
        nursery.start_soon(table.join, 2, consents)
        await begun(table)
        for door in range(3):
            await turned_away(table, door)
        assert not table.heard(updates.GameOver)
    assert shown == [False, False]
    assert table.ended_alike()


@LOOKED_ON
async def test_a_seat_that_comes_back_still_lets_nobody_look_on(tmp_path: Path) -> None:
    table = unwatched(tmp_path)

    async def ask_to_watch() -> None:
        await table.until_heard(updates.Started, 2, times=2)
        await turned_away(table, 2)
        assert not table.heard(updates.GameOver)

    await table.play({2: partial(table.crash_and_resume, 2, past_round(2))}, ask_to_watch)
    assert not table.heard(updates.Accused)


@LOOKED_ON
async def test_the_next_table_of_the_same_people_is_not_watched_either(tmp_path: Path) -> None:
    table = willing_table(tmp_path, 3, lambda number: willing(1))
    table.keep_onlookers_out()

    async def look_on() -> None:
        await begun(table, 2)
        first, second = table.guests[0].heard(updates.Started)
        assert first.table.id != second.table.id
        # The ticket of the next table follows from the first one's ([A-7]).
        terms = second.table.header.terms.digest()
        later = Capability(table.ticket.terms, table.ticket.secret).next(terms)
        table.ticket = replace(table.ticket, terms=terms, secret=later.secret)
        for door in range(3):
            await turned_away(table, door)

    await table.play({}, look_on)
    assert all(len(guest.games()) == 2 for guest in table.guests)


async def test_an_onlooker_sees_the_same_end(tmp_path: Path) -> None:
    table = PlayerTable(tmp_path, 3)
    seen: list[updates.Update] = []
    path = tmp_path / "seen.hoity"

    async def look_on() -> None:
        outcome = await table.look_on(Onlooker(seen.append, path))
        assert outcome.transcript == path

    await table.play({}, look_on)
    assert path.read_bytes() == table.transcripts()[0]
    views = [update.view for update in seen if isinstance(update, updates.Happened)]
    assert views
    assert not any(view.private for view in views)
