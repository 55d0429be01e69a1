"""Tests of another game with the same people: whole tables in memory, one after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trio
from p2p_hoity_.tables.test_tables import Club, Guest, past_round

from p2p_hoity import game_port, tables
from p2p_hoity.net.hub import Hub
from p2p_hoity.session import updates
from p2p_hoity.session.access import TWO_ROSTERS
from p2p_hoity.session.driver import Outcome
from p2p_hoity.session.lobby import Roster, encode_lobby, parse_lobby
from p2p_hoity.session.next_table import next_terms
from p2p_hoity.session.player import BotPlayer
from p2p_hoity.session.settling import ANSWER, LONGEST
from protocol.transcript import verifier
from protocol.wire import header
from protocol.wire.header import Header


class Willing(BotPlayer):
    """A player who wants so many games more, and says so after a while."""

    def __init__(self, more: int = 1, after: float = 0.0) -> None:
        super().__init__()
        self.more, self.after = more, after

    async def again(self) -> bool:
        await trio.sleep(self.after)
        self.more -= 1
        return self.more >= 0


class Asked(Guest):
    """A guest who is asked for another game."""

    @property
    def seat(self) -> tables.Seat:
        return replace(super().seat, again=True)


def club_of(path: Path, seats: int, player: Callable[[int], Any]) -> Club:
    """A table whose players are asked for another game."""
    club = Club(path, seats)
    for number, guest in enumerate(club.guests):
        guest.__class__ = Asked
        guest.player = player(number)
    return club


def games(guest: Guest) -> list[tuple[bytes, Path]]:
    """Each game this guest has finished: the table's id and its transcript."""
    return [(one.table.id, one.transcript) for one in guest.heard(updates.Finished)]


async def test_two_rosters_for_the_next_table_are_found_out(
    tmp_path: Path, autojump_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A host with an accomplice, who has signed two entries: each seat's own one is in both."""
    club = club_of(tmp_path, 4, lambda number: Willing(5))
    host, accomplice = club.guests[0].me.identity, club.guests[3].me.identity
    post = Hub.post

    def two_faced(hub: Hub, to: bytes, data: bytes, once: bool = False) -> bool:
        is_second = data[1:].startswith(b"\xa6roster") and bool(club.guests[0].heard(updates.Again))
        if is_second and hub.me == host.public and to == club.guests[1].me.identity.public:
            frame = parse_lobby(data)
            assert isinstance(frame, Roster)
            whole = header.parse_header(frame.header)
            lied = tuple(
                header.sit(whole.terms, accomplice, one.nickname, b"2" * 32)
                if one.id == accomplice.public
                else one
                for one in whole.roster
            )
            other = Header(whole.terms, lied)
            signature = header.sign_roster(other, host)
            data = encode_lobby(Roster(other.encode(), frame.addresses, signature))
        return post(hub, to, data, once)

    monkeypatch.setattr(Hub, "post", two_faced)
    await club.play()
    for guest in club.guests[1:3]:
        assert guest.outcome is not None
        assert (guest.outcome.code, guest.outcome.seat) == (TWO_ROSTERS, 0)
        assert guest.outcome.evidence is not None
        assert len(games(guest)) == 1


@pytest.mark.parametrize("seats", [2, 3, pytest.param(6, marks=pytest.mark.nightly)])
async def test_the_same_people_play_twice_over_the_links_that_stand(
    tmp_path: Path, autojump_clock: Any, seats: int
) -> None:
    club = club_of(tmp_path, seats, lambda number: Willing(1, number * 3.0))
    left: list[Path] = []
    host = club.guests[0]
    hear = host.hear

    def noted(update: updates.Update) -> None:
        """Who goes while it is asked has no game to come back to."""
        if isinstance(update, updates.Again):
            left.extend(host.home.journals.glob("*.journal"))
        hear(update)

    host.hear = noted  # type: ignore[method-assign]
    await club.play()
    assert left == []
    played = [games(guest) for guest in club.guests]
    assert all([table for table, _ in each] == [t for t, _ in played[0]] for each in played)
    first, second = (one.table for one in club.guests[0].heard(updates.Started))
    assert second.header.terms == next_terms(first)
    assert replace(second.header.terms, nonce=first.header.terms.nonce) == first.header.terms
    assert second.ids == first.ids
    for number in range(2):
        files = {each[number][1].read_bytes() for each in played}
        assert len(files) == 1
        assert verifier.verify(files.pop(), game_port.read_game).ok
    for guest in club.guests:
        everybody = frozenset(range(seats))
        assert updates.Again(everybody, frozenset()) in guest.heard(updates.Again)
        assert guest.heard(updates.Again)[-1].unwilling
        assert not guest.heard(updates.Accused)
        assert not list(guest.home.journals.glob("*.journal"))
        assert not guest.heard(updates.Ended)


async def test_who_says_no_is_named_to_all_at_once(tmp_path: Path, autojump_clock: Any) -> None:
    club = club_of(tmp_path, 3, lambda number: Willing(0 if number == 1 else 5))
    await club.play()
    unwilling = (
        club.guests[0].heard(updates.Started)[0].table.ids.index(club.guests[1].me.identity.public)
    )
    for guest in club.guests:
        assert guest.heard(updates.Again)[-1].unwilling == {unwilling}
        assert len(guest.heard(updates.Started)) == 1
        assert guest.outcome is not None
        assert guest.outcome.code is None


async def test_a_seat_that_takes_no_part_ends_as_ever_and_keeps_nobody_waiting(
    tmp_path: Path, autojump_clock: Any
) -> None:
    club = club_of(tmp_path, 3, lambda number: Willing(5))
    club.guests[2].__class__ = Guest
    await club.play()
    for guest in club.guests:
        assert len(guest.heard(updates.Started)) == 1
    assert not club.guests[2].heard(updates.Again)
    assert all(guest.heard(updates.Again)[-1].unwilling for guest in club.guests[:2])


async def test_who_does_not_answer_counts_as_unwilling(tmp_path: Path, autojump_clock: Any) -> None:
    club = club_of(tmp_path, 3, lambda number: Willing(5, 1e9 if number == 2 else 0))
    began = list[float]()
    hear = club.guests[0].hear

    def noted(update: updates.Update) -> None:
        if isinstance(update, updates.Finished):
            began.append(trio.current_time())
        hear(update)

    club.guests[0].hear = noted  # type: ignore[method-assign]
    await club.play()
    assert ANSWER - 5 < trio.current_time() - began[0] < LONGEST
    for guest in club.guests:
        assert len(guest.heard(updates.Started)) == 1
        assert guest.heard(updates.Again)[-1].unwilling


async def test_a_seat_that_is_gone_is_not_waited_for(tmp_path: Path, autojump_clock: Any) -> None:
    club = club_of(tmp_path, 4, lambda number: Willing(5))
    await club.play_until_the_last_goes(past_round(2))
    club.guests.pop()
    for guest in club.guests:
        (word,) = guest.heard(updates.Again)
        assert len(word.unwilling) == 1
        assert not word.willing


async def test_an_onlooker_follows_to_the_next_table(tmp_path: Path, autojump_clock: Any) -> None:
    club = club_of(tmp_path, 3, lambda number: Willing(1))
    seen: list[updates.Update] = []
    outcomes: list[Outcome] = []

    async def look_on() -> None:
        await club.opened.wait()
        assert club.ticket is not None
        onlooker = tables.Onlooker(seen.append, again=True)
        outcomes.append(await tables.watch_table(club.ticket, onlooker, club.network))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(look_on)
        nursery.start_soon(club.play)
    ended = [one.table.id for one in seen if isinstance(one, updates.Finished)]
    assert ended == [table for table, _ in games(club.guests[0])]
    assert len(ended) == 2
    assert outcomes[0].code is None


async def test_a_seat_that_consents_and_does_not_come_is_named_by_the_next_table(
    tmp_path: Path, autojump_clock: Any
) -> None:
    club = club_of(tmp_path, 3, lambda number: Willing(5))
    scope, gone = trio.CancelScope(), club.guests[2]
    gone.cut = (lambda update: len(gone.heard(updates.Started)) == 2), scope

    async def vanish() -> None:
        with scope:
            await club.join(2)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(vanish)
        nursery.start_soon(club.host)
        nursery.start_soon(club.join, 1)
    for guest in club.guests[:2]:
        table = guest.heard(updates.Started)[1].table
        assert guest.outcome is not None
        assert guest.outcome.code is not None
        assert guest.outcome.seat == table.ids.index(gone.me.identity.public)
        assert len(games(guest)) == 1


async def test_a_seat_resumed_at_the_second_table_plays_it_to_the_end(
    tmp_path: Path, autojump_clock: Any
) -> None:
    club = club_of(tmp_path, 3, lambda number: Willing(1))
    scope, crashed = trio.CancelScope(), club.guests[1]
    crashed.cut = (
        (lambda update: len(crashed.heard(updates.Started)) == 2 and past_round(2)(update)),
        scope,
    )

    async def crash_and_resume() -> None:
        with scope:
            await club.join(1)
        assert scope.cancelled_caught
        crashed.cut = None
        await club.resume(1)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(crash_and_resume)
        nursery.start_soon(club.host)
        nursery.start_soon(club.join, 2)
    seconds = {games(guest)[-1][0] for guest in club.guests}
    assert len(seconds) == 1
    assert len({games(guest)[-1][1].read_bytes() for guest in club.guests}) == 1


async def test_a_lost_roster_is_asked_for_anew(
    tmp_path: Path, autojump_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The host's roster for the next table never goes out to one seat, whose links then break."""
    club = club_of(tmp_path, 3, lambda number: Willing(1))
    post, victim = Hub.post, club.guests[2].me.identity.public
    started: list[int] = []

    def lose(hub: Hub, to: bytes, data: bytes, once: bool = False) -> bool:
        is_second = data[1:].startswith(b"\xa6roster") and bool(club.guests[0].heard(updates.Again))
        if is_second and to == victim and len(started) < 2:
            started.append(1)
            return True  # as a link does that is about to break
        return post(hub, to, data, once)

    monkeypatch.setattr(Hub, "post", lose)
    await club.play()
    assert len(started) == 2
    assert len({games(guest)[-1][0] for guest in club.guests}) == 1
    assert all(len(games(guest)) == 2 for guest in club.guests)
