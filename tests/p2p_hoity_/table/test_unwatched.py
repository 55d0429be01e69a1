"""Tests of a table that nobody may watch: at every door, after a crash, and at the next table."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio
from support.cases import ends_in
from support.player_table import (
    LONGER,
    PlayerTable,
    Thinker,
    hosted,
    past_round,
    willing,
    willing_table,
)

from p2p_hoity.net.hub import Hub
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.table import lobby
from p2p_hoity.table.frame_access import TWO_ROSTERS
from p2p_hoity.table.frame_kinds import is_of_game
from p2p_hoity.table.play_table import PeerError
from p2p_hoity.table.ticket_proof import Capability
from p2p_hoity.table.watch_table import Onlooker, watch_table
from protocol.wire import table_header


def unwatched(path: Path, seats: int = 3) -> PlayerTable:
    """A table that nobody may watch; its second seat takes its time."""
    table = PlayerTable(path, seats, edition=LONGER)
    table.watched = False
    table.guests[1].player = Thinker()
    return table


async def turned_away(table: PlayerTable, door: int = 0) -> None:
    """Who holds the ticket and knocks at this seat is told that nobody may look on, and no more."""
    told: list[updates.Update] = []
    key = table.guests[door].me.identity.public
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
        shown.append(given[-1])
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

    async def knock() -> None:
        await table.until_heard(updates.Started, 2, times=2)
        await turned_away(table, 2)
        assert not table.heard(updates.GameOver)

    await table.play({2: partial(table.crash_and_resume, 2, past_round(2))}, knock)
    assert not table.heard(updates.Accused)


async def test_the_next_table_of_the_same_people_is_not_watched_either(tmp_path: Path) -> None:
    table = willing_table(tmp_path, 3, lambda number: willing(1))
    table.watched = False

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


def lying(table: PlayerTable, to: int, patch: pytest.MonkeyPatch, kinds: tuple[type, ...]) -> None:
    """The host says to one guest, in frames of these kinds, that onlookers are let in."""
    post, host = Hub.post, table.guests[0].me.identity
    victim = table.guests[to].me.identity.public

    def told(frame: lobby.LobbyFrame) -> lobby.LobbyFrame:
        if isinstance(frame, lobby.Roster):
            whole = table_header.parse_header(frame.header)
            return replace(frame, watched=True, signature=table_header.sign_roster(whole, host))
        assert isinstance(frame, lobby.Offer)
        return replace(frame, watched=True)

    def two_faced(hub: Hub, peer: bytes, data: bytes, once: bool = False) -> bool:
        if hub.me == host.public and peer == victim and not is_of_game(data):
            frame = lobby.parse_lobby(data)
            if isinstance(frame, kinds):
                data = lobby.encode_lobby(told(frame))
        return post(hub, peer, data, once)

    patch.setattr(Hub, "post", two_faced)


async def test_who_signs_both_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """[L-21]"""
    table = unwatched(tmp_path, 4)
    lying(table, 2, monkeypatch, (lobby.Offer, lobby.Roster))
    await table.play()
    for guest in table.guests:
        assert (guest.end.code, guest.end.seat) == (TWO_ROSTERS, 0)
        evidence = guest.end.evidence
        assert evidence is not None
        assert {shown.watched for shown in evidence.both} == {True, False}
        terms = guest.heard(updates.Started)[0].table.header.terms
        for shown in evidence.both:
            table_header.check_roster(terms, shown.table, shown.signature, shown.watched)


@pytest.mark.parametrize("kind", [lobby.Offer, lobby.Roster])
async def test_a_guest_leaves_when_the_roster_says_otherwise_than_the_terms_did(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: type
) -> None:
    """[L-63]"""
    table = unwatched(tmp_path, 2)
    lying(table, 1, monkeypatch, (kind,))
    async with hosted(table):
        await ends_in(PeerError, "host-changed-its-mind", table.join(1))
    assert not table.guests[1].heard(updates.Started)
    assert not list(table.guests[1].home.journals.glob("*.journal"))
