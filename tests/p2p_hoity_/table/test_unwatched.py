"""Tests of a table that nobody may watch: at every door, after a crash, and at the next table."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio
from support.player_table import (
    LONGER,
    PlayerTable,
    Thinker,
    past_round,
    willing,
    willing_table,
)
from support.sampling import LOOKED_ON

from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.table.beside_game.watch_table import Onlooker, watch_table
from p2p_hoity.table.gathering.ticket_proof import Capability
from p2p_hoity.table.peer_error import PeerError

pytestmark = LOOKED_ON


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
    with pytest.raises(PeerError, match="table-unwatched"):
        await watch_table(ticket, Onlooker(told.append), table.network)
    assert told == []


async def begun(table: PlayerTable, games: int = 1) -> None:
    """Wait until all play."""
    await table.until_heard(updates.Started, times=games)


async def test_onlookers_are_turned_away_at_every_seat(tmp_path: Path) -> None:
    table, shown = unwatched(tmp_path), list[bool]()

    async def consents(*given: Any) -> bool:
        shown.append(given[0].watched)
        return True

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


async def test_a_seat_that_comes_back_still_lets_nobody_look_on(tmp_path: Path) -> None:
    table = unwatched(tmp_path)

    async def ask_to_watch() -> None:
        await table.until_heard(updates.Started, 2, times=2)
        await turned_away(table, 2)
        assert not table.heard(updates.GameOver)

    await table.play({2: partial(table.crash_and_resume, 2, past_round(2))}, ask_to_watch)
    assert not table.heard(updates.Accused)


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
