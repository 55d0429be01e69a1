"""Tests of another game with the same people: whole tables in memory, one after the other."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import trio
from support.player_table import LONGER, past_round, willing, willing_table

from p2p_hoity import game_adapter
from p2p_hoity.net.hub import Hub
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.table.beside_game.rematch import ANSWER, MAX_GATHER
from p2p_hoity.table.beside_game.rematch_frames import next_terms, refuse
from p2p_hoity.table.beside_game.watch_table import Onlooker
from p2p_hoity.table.gathering.lobby import Roster, encode_lobby, parse_lobby
from p2p_hoity.table.playing.end_codes import TWO_ROSTERS
from protocol.seat import effects
from protocol.transcript import verifier
from protocol.wire import table_header
from protocol.wire.table_header import Header

pytestmark = pytest.mark.sampled(3)


async def test_two_rosters_are_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A host with an accomplice, who has signed two entries: each seat's own one is in both."""
    table = willing_table(tmp_path, 4, lambda number: willing(5))
    host, victim, _, accomplice = table.guests
    post = Hub.post

    def two_faced(hub: Hub, to: bytes, data: bytes, once: bool = False) -> bool:
        is_second = data[1:].startswith(b"\xa6roster") and host.heard(updates.Again)
        ends = (host.key.public, victim.key.public)
        if is_second and (hub.me, to) == ends:
            frame = parse_lobby(data)
            assert isinstance(frame, Roster)
            whole = table_header.parse_header(frame.header)
            lied = tuple(
                table_header.sit(whole.terms, accomplice.key, one.nickname, b"2" * 32)
                if one.id == accomplice.key.public
                else one
                for one in whole.roster
            )
            other = Header(whole.terms, lied)
            signature = table_header.sign_roster(other, host.key)
            shown = tuple(
                None if one.id == accomplice.key.public else vouch
                for one, vouch in zip(whole.roster, frame.vouches, strict=True)
            )
            data = encode_lobby(Roster(other.encode(), frame.addresses, signature, shown))
        return post(hub, to, data, once)

    monkeypatch.setattr(Hub, "post", two_faced)
    await table.play()
    for guest in table.guests[1:3]:
        assert (guest.end.code, guest.end.seat) == (TWO_ROSTERS, 0)
        assert guest.end.evidence is not None
        assert len(guest.games()) == 1


async def test_who_consents_and_refuses_is_named_and_not_the_seat_that_believed_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The refusal reaches one seat in the place of the roster, which the others have."""
    table = willing_table(tmp_path, 4, lambda number: willing(5))
    victim, liar = table.guests[1], table.guests[3]
    post = Hub.post

    def instead(hub: Hub, to: bytes, data: bytes, once: bool = False) -> bool:
        is_second = data[1:].startswith(b"\xa6roster") and victim.heard(updates.Again)
        if is_second and to == victim.key.public:
            former = victim.heard(updates.Started)[0].table.id
            data = refuse(former, liar.key).encode()
        return post(hub, to, data, once)

    monkeypatch.setattr(Hub, "post", instead)
    await table.play()
    for guest in (table.guests[0], table.guests[2]):
        assert (guest.end.code, guest.end.seat) == (effects.SEAT_LEFT, liar.place)
    assert victim.end.code is None
    assert len(victim.heard(updates.Started)) == 1


@pytest.mark.parametrize("seats", [2, 3, pytest.param(6, marks=pytest.mark.nightly)])
async def test_the_same_people_play_twice_over_their_links(tmp_path: Path, seats: int) -> None:
    table = willing_table(tmp_path, seats, lambda number: willing(1, number * 3.0))
    left: list[Path] = []
    host = table.guests[0]

    def noted(update: updates.Update) -> None:
        """Who goes while it is asked has no game to come back to."""
        if isinstance(update, updates.Again):
            left.extend(host.home.journals.glob("*.journal"))

    host.listener = noted
    await table.play()
    assert left == []
    played = [guest.games() for guest in table.guests]
    assert all([game for game, _ in each] == [game for game, _ in played[0]] for each in played)
    first, second = (one.table for one in table.guests[0].heard(updates.Started))
    assert second.header.terms == next_terms(first)
    assert replace(second.header.terms, nonce=first.header.terms.nonce) == first.header.terms
    assert second.ids == first.ids
    for number in range(2):
        files = {each[number][1].read_bytes() for each in played}
        assert len(files) == 1
        assert verifier.verify(files.pop(), game_adapter.read_game).ok
    for guest in table.guests:
        everybody = frozenset(range(seats))
        assert updates.Again(everybody, frozenset()) in guest.heard(updates.Again)
        assert guest.heard(updates.Again)[-1].unwilling
        assert not guest.heard(updates.Accused)
        assert not list(guest.home.journals.glob("*.journal"))
        assert not guest.heard(updates.Ended)


async def test_who_says_no_is_named_to_all_at_once(tmp_path: Path) -> None:
    table = willing_table(tmp_path, 3, lambda number: willing(0 if number == 1 else 5))
    await table.play()
    for guest in table.guests:
        assert guest.heard(updates.Again)[-1].unwilling == {table.guests[1].place}
        assert len(guest.heard(updates.Started)) == 1
        assert guest.end.code is None


async def test_a_seat_that_takes_no_part_keeps_nobody_waiting(tmp_path: Path) -> None:
    table = willing_table(tmp_path, 3, lambda number: willing(5))
    table.guests[2].options["again"] = False
    await table.play()
    for guest in table.guests:
        assert len(guest.heard(updates.Started)) == 1
    assert not table.guests[2].heard(updates.Again)
    assert all(guest.heard(updates.Again)[-1].unwilling for guest in table.guests[:2])


async def test_who_does_not_answer_counts_as_unwilling(tmp_path: Path) -> None:
    table = willing_table(tmp_path, 3, lambda number: willing(5, 1e9 if number == 2 else 0))
    began = list[float]()

    async def note() -> None:
        await table.until_heard(updates.GameOver, 0)
        began.append(trio.current_time())

    await table.play({}, note)
    assert ANSWER - 5 < trio.current_time() - began[0] < MAX_GATHER
    for guest in table.guests:
        assert len(guest.heard(updates.Started)) == 1
        assert guest.heard(updates.Again)[-1].unwilling


@pytest.mark.parametrize("late", [0, 2])
async def test_no_time_runs_among_ones_own_bots(tmp_path: Path, late: int) -> None:
    """[A-3] 4, for a host that answers late, and for another seat."""
    after = 10 * MAX_GATHER
    table = willing_table(tmp_path, 3, lambda number: willing(1, after if number == late else 0))
    for guest in table.guests:
        guest.options["is_unhurried"] = lambda: True
    await table.play()
    assert [len(guest.heard(updates.Started)) for guest in table.guests] == [2, 2, 2]


async def test_a_seat_that_is_gone_is_not_waited_for(tmp_path: Path) -> None:
    table = willing_table(tmp_path, 4, lambda number: willing(5), LONGER)
    await table.play_until_the_last_goes(past_round(2))
    table.guests.pop()
    for guest in table.guests:
        (word,) = guest.heard(updates.Again)
        assert len(word.unwilling) == 1
        assert not word.willing


async def test_an_onlooker_follows_to_the_next_table(tmp_path: Path) -> None:
    table = willing_table(tmp_path, 3, lambda number: willing(1))
    seen: list[updates.Update] = []

    async def look_on() -> None:
        outcome = await table.look_on(Onlooker(seen.append, again=True))
        assert outcome.code is None

    await table.play({}, look_on)
    ended = [one.table.id for one in seen if isinstance(one, updates.GameOver)]
    assert ended == [game for game, _ in table.guests[0].games()]
    assert len(ended) == 2


async def test_a_seat_that_consents_and_does_not_come_is_named(tmp_path: Path) -> None:
    table = willing_table(tmp_path, 3, lambda number: willing(5))
    gone = table.guests[2]
    await table.play_until_the_last_goes(lambda update: len(gone.heard(updates.Started)) == 2)
    for guest in table.guests[:2]:
        ids = guest.heard(updates.Started)[1].table.ids
        assert guest.end.code
        assert guest.end.seat == ids.index(gone.key.public)
        assert len(guest.games()) == 1


async def test_a_seat_resumed_at_the_second_table_plays_it_to_the_end(tmp_path: Path) -> None:
    table = willing_table(tmp_path, 3, lambda number: willing(1), LONGER)
    crashed = table.guests[1]

    def at_the_second(update: updates.Update) -> bool:
        return len(crashed.heard(updates.Started)) == 2 and past_round(2)(update)

    await table.play({1: partial(table.crash_and_resume, 1, at_the_second)})
    seconds = {guest.games()[-1][0] for guest in table.guests}
    assert len(seconds) == 1
    assert len({guest.games()[-1][1].read_bytes() for guest in table.guests}) == 1


async def test_a_lost_roster_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The host's roster for the next table never goes out to one seat, whose links then break."""
    table = willing_table(tmp_path, 3, lambda number: willing(1))
    post, host, victim = Hub.post, table.guests[0], table.guests[2].key.public
    started: list[int] = []

    def lose(hub: Hub, to: bytes, data: bytes, once: bool = False) -> bool:
        is_second = data[1:].startswith(b"\xa6roster") and host.heard(updates.Again)
        if is_second and to == victim and len(started) < 2:
            started.append(1)
            return True  # as a link does that is about to break
        return post(hub, to, data, once)

    monkeypatch.setattr(Hub, "post", lose)
    await table.play()
    assert len(started) == 2
    assert len({guest.games()[-1][0] for guest in table.guests}) == 1
    assert all(len(guest.games()) == 2 for guest in table.guests)
