"""Tests of a table that nobody may watch: at every door, after a crash, and at the next table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trio
from p2p_hoity_.tables.test_again import Willing, club_of, games
from p2p_hoity_.tables.test_tables import Club, Thinker, past_round

from p2p_hoity import tables
from p2p_hoity.net.hub import Hub
from p2p_hoity.session import updates
from p2p_hoity.session.access import TWO_ROSTERS
from p2p_hoity.session.capability import Capability
from p2p_hoity.session.lobby import (
    LobbyFrame,
    Offer,
    Roster,
    encode_lobby,
    is_lobby,
    parse_lobby,
)
from p2p_hoity.storage import journal
from p2p_hoity.tables.resuming import WATCHED
from protocol.wire import header


def unwatched(path: Path, seats: int = 3) -> Club:
    """A table that nobody may watch; its second seat takes its time."""
    club = Club(path, seats)
    club.watched = False
    club.guests[1].player = Thinker()
    return club


async def turned_away(club: Club, door: int = 0) -> None:
    """Who holds the ticket and knocks at this seat is told that nobody may look on, and no more."""
    told: list[updates.Update] = []
    assert club.ticket is not None
    key = club.guests[door].me.identity.public
    listening = [place for place in club.network._listeners if place[0] == f"node{door}"]
    addresses = tuple(f"{host}:{port}" for host, port in listening)
    ticket = replace(club.ticket, host_id=key, addresses=addresses)
    with pytest.raises(tables.PeerError, match="table-unwatched"):
        await tables.watch_table(ticket, tables.Onlooker(told.append), club.network)
    assert told == []


async def begun(club: Club, games: int = 1) -> None:
    """Wait until all play."""
    while not all(len(one.heard(updates.Started)) == games for one in club.guests):
        await trio.sleep(0.01)


async def test_onlookers_are_turned_away_before_the_game_and_in_it_at_every_seat(
    tmp_path: Path, autojump_clock: Any
) -> None:
    club, shown = unwatched(tmp_path), list[bool]()

    async def consents(*given: Any) -> bool:
        shown.append(given[-1])
        return True

    async with trio.open_nursery() as nursery:
        nursery.start_soon(club.host)
        await club.opened.wait()
        await turned_away(club)
        nursery.start_soon(club.join, 1, consents)
        nursery.start_soon(club.join, 2, consents)
        await begun(club)
        for door in range(3):
            await turned_away(club, door)
        assert not any(one.heard(updates.Finished) for one in club.guests)
    assert shown == [False, False]
    assert len(set(club.transcripts())) == 1


async def test_a_seat_that_comes_back_still_lets_nobody_look_on(
    tmp_path: Path, autojump_clock: Any
) -> None:
    club, scope = unwatched(tmp_path), trio.CancelScope()
    club.guests[2].cut = past_round(2), scope

    async def crash_and_resume() -> None:
        with scope:
            await club.join(2)
        club.guests[2].cut = None
        nursery.start_soon(club.resume, 2)
        await begun(club, 1)
        while len(club.guests[2].heard(updates.Started)) < 2:
            await trio.sleep(0.01)
        await turned_away(club, 2)
        assert not any(one.heard(updates.Finished) for one in club.guests)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(club.host)
        nursery.start_soon(club.join, 1)
        nursery.start_soon(crash_and_resume)
    assert scope.cancelled_caught
    assert not any(guest.heard(updates.Accused) for guest in club.guests)


async def test_a_game_of_an_earlier_version_is_not_played_on(
    tmp_path: Path, autojump_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its host has not signed whether it may be watched; what was played can still be saved."""
    club, scope = unwatched(tmp_path), trio.CancelScope()
    club.guests[2].cut = past_round(2), scope
    create = journal.create

    def shorter(path: Path, first: tuple[Any, ...], passphrase: str | None) -> journal.Journal:
        return create(path, first[:WATCHED], passphrase)

    monkeypatch.setattr(journal, "create", shorter)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(club.host)
        nursery.start_soon(club.join, 1)
        with scope:
            await club.join(2)
        club.guests[2].cut = None
        with pytest.raises(tables.PeerError, match="game-of-earlier-version"):
            await club.resume(2)
        assert tables.claim_game(club.guests[2].seat, None).exists()
        nursery.cancel_scope.cancel()


async def test_the_next_table_of_the_same_people_is_not_watched_either(
    tmp_path: Path, autojump_clock: Any
) -> None:
    club = club_of(tmp_path, 3, lambda number: Willing(1))
    club.watched = False

    async def look_on() -> None:
        await begun(club, 2)
        for door in range(3):
            first = club.guests[0].heard(updates.Started)[0].table
            second = club.guests[0].heard(updates.Started)[1].table
            assert first.id != second.id
            await turned_away_from_the_second(club, door)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(look_on)
        nursery.start_soon(club.play)
    assert all(len(games(guest)) == 2 for guest in club.guests)


async def turned_away_from_the_second(club: Club, door: int) -> None:
    """The ticket of the next table follows from the first one's ([A-7])."""
    assert club.ticket is not None
    terms = club.guests[0].heard(updates.Started)[1].table.header.terms.digest()
    later = Capability(club.ticket.terms, club.ticket.secret).next(terms)
    kept, club.ticket = club.ticket, replace(club.ticket, terms=terms, secret=later.secret)
    await turned_away(club, door)
    club.ticket = kept


def lying(club: Club, to: int, monkeypatch: pytest.MonkeyPatch, kinds: tuple[type, ...]) -> None:
    """The host says to one guest, in frames of these kinds, that onlookers are let in."""
    post, host = Hub.post, club.guests[0].me.identity
    victim = club.guests[to].me.identity.public

    def told(frame: LobbyFrame) -> LobbyFrame:
        if isinstance(frame, Roster):
            whole = header.parse_header(frame.header)
            return replace(frame, watched=True, signature=header.sign_roster(whole, host))
        assert isinstance(frame, Offer)
        return replace(frame, watched=True)

    def two_faced(hub: Hub, peer: bytes, data: bytes, once: bool = False) -> bool:
        if hub.me == host.public and peer == victim and is_lobby(data):
            frame = parse_lobby(data)
            if isinstance(frame, kinds):
                data = encode_lobby(told(frame))
        return post(hub, peer, data, once)

    monkeypatch.setattr(Hub, "post", two_faced)


async def test_a_host_who_signs_both_is_named_by_all(
    tmp_path: Path, autojump_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """[L-21]"""
    club = unwatched(tmp_path, 4)
    lying(club, 2, monkeypatch, (Offer, Roster))
    await club.play()
    for guest in club.guests:
        assert guest.outcome is not None
        assert (guest.outcome.code, guest.outcome.seat) == (TWO_ROSTERS, 0)
        evidence = guest.outcome.evidence
        assert evidence is not None
        assert {shown.watched for shown in evidence.both} == {True, False}
        terms = guest.heard(updates.Started)[0].table.header.terms
        for shown in evidence.both:
            header.check_roster(terms, shown.table, shown.signature, shown.watched)


@pytest.mark.parametrize("kind", [Offer, Roster])
async def test_a_guest_leaves_when_the_roster_says_otherwise_than_the_terms_did(
    tmp_path: Path, autojump_clock: Any, monkeypatch: pytest.MonkeyPatch, kind: type
) -> None:
    """[L-63]"""
    club = unwatched(tmp_path, 2)
    lying(club, 1, monkeypatch, (kind,))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(club.host)
        with pytest.raises(tables.PeerError, match="host-changed-its-mind"):
            await club.join(1)
        nursery.cancel_scope.cancel()
    assert not club.guests[1].heard(updates.Started)
    assert not list(club.guests[1].home.journals.glob("*.journal"))
