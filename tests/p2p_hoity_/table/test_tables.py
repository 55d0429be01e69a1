"""Tests of peers: whole tables over a network in memory, on a virtual clock."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trio
from support.boxes import with_colours
from support.cases import ends_in, fails
from support.player_table import (
    CALM,
    LONGER,
    Guest,
    PlayerTable,
    hosted,
    past_round,
    short_track,
)
from support.sampling import is_nightly

from p2p_hoity.net.ticket import Ticket
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.storage.home import Home
from p2p_hoity.table.beside_game.unfinished_games import find_game, open_games
from p2p_hoity.table.beside_game.watch_table import Onlooker
from p2p_hoity.table.gathering.lobby import Roster, Seated, Seating
from p2p_hoity.table.peer_error import PeerError
from protocol.crypto.identities import Identity
from protocol.wire import table_header

SOME = pytest.mark.sampled(1)


@SOME
@pytest.mark.real_cards
@pytest.mark.parametrize("seats", [2, 4])
async def test_all_seats_end_with_the_same_transcript(tmp_path: Path, seats: int) -> None:
    """The whole deck at two seats, at night at four too."""
    edition = short_track() if seats == 2 or is_nightly() else None
    table = PlayerTable(tmp_path, seats, edition=edition)
    await table.play()
    table.judge()
    assert len(set(table.transcripts())) == 1
    assert len({guest.outcome.standings for guest in table.guests if guest.outcome}) == 1
    for guest in table.guests:
        assert not list(guest.home.journals.iterdir())
        assert guest.heard(updates.GameOver)
        finals = [step.final for step in guest.heard(updates.ChainGrew)]
        told = sum(len(update.items) for update in guest.heard(updates.Happened))
        assert finals == sorted(finals)
        assert 0 < finals[-1] < told


async def test_a_guest_too_many_is_told_and_the_others_play(tmp_path: Path) -> None:
    table = PlayerTable(tmp_path, 3)
    table.guests.append(Guest(tmp_path, "late"))
    codes: list[int] = []

    async def too_late() -> None:
        await table.until_heard(updates.Started, 0)
        caught = await ends_in(PeerError, r"table-full|game-begun", table.join(3))
        codes.append(caught.code.exit_code)

    await table.play({3: too_late})
    table.guests.pop()
    assert codes == [1]
    assert table.ended_alike()


async def test_a_guest_may_refuse_the_terms(pair: PlayerTable) -> None:
    asked: list[Any] = []

    async def no(terms: Any, game: Any, names: Any, host: bytes | None) -> bool:
        asked.append((terms, game.edition.name, names, host))
        return False

    async with hosted(pair):
        await ends_in(PeerError, "seat-not-taken", pair.join(1, no))
    assert asked == [(pair.terms, "small-4", ("P0",), pair.guests[0].me.identity.public)]


async def test_a_ticket_of_an_earlier_table_is_told_so(pair: PlayerTable) -> None:
    async with hosted(pair):
        pair.ticket = replace(pair.ticket, terms=b"t" * 32)
        await ends_in(PeerError, "ticket-unknown", pair.join(1))
        await ends_in(PeerError, "ticket-unknown", pair.look_on(Onlooker([].append)))


async def test_who_lost_its_journal_hears_that_the_game_has_begun(pair: PlayerTable) -> None:
    guest = pair.guests[1]
    async with hosted(pair, joining=[1]):
        await pair.until_heard(updates.Started, 1)
    (left,) = guest.home.journals.glob("*.journal")
    left.unlink()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(pair.resume, 0)
        await ends_in(PeerError, "game-begun", pair.join_anew(1))
        nursery.cancel_scope.cancel()


async def test_old_consent_is_refused(pair: PlayerTable, monkeypatch: pytest.MonkeyPatch) -> None:
    guest = pair.guests[1]
    old = table_header.sit(pair.terms, guest.key, guest.name, b"o" * 32)
    honest = Seating.roster

    def replayed(seating: Seating, host: Any) -> Roster:
        seating._seats[guest.key.public] = Seated(old, None, ("node1:1",))
        return honest(seating, host)

    monkeypatch.setattr(Seating, "roster", replayed)
    async with hosted(pair):
        await ends_in(PeerError, "old-consent", pair.join(1))


@pytest.mark.parametrize(
    ("name", "code"), [("p1", "names-alike"), ("Bo\u0301\u0301\u0301b", "name-stacked")]
)
async def test_guests_leave_twins_and_towers_of_marks(
    three: PlayerTable, monkeypatch: pytest.MonkeyPatch, name: str, code: str
) -> None:
    other = table_header.sit(three.terms, Identity(b"o" * 32), name, b"o" * 32)
    honest = Seating.roster

    def doubled(seating: Seating, host: Any) -> Roster:
        seating._seats[other.id] = Seated(other, None, ("node2:1",))
        return honest(seating, host)

    monkeypatch.setattr(Seating, "is_complete", property(lambda self: len(self._seats) == 2))
    monkeypatch.setattr(Seating, "roster", doubled)
    async with hosted(three):
        await ends_in(PeerError, code, three.join(1))


@pytest.mark.parametrize(
    ("names", "code"),
    [
        (("red", "Red", "blue"), "colours-alike"),
        (("red", "rеd", "blue"), "colours-alike"),
        (("red", "\u0301blue", "white"), "colour-of-marks"),
        (("red", "blue"), "unplayable-terms why=.bad-game"),
    ],
)
async def test_a_guest_refuses_colours_that_look_alike_or_are_too_few(
    tmp_path: Path, names: tuple[str, ...], code: str
) -> None:
    table = PlayerTable(tmp_path, 3, edition=with_colours(short_track(), *names))
    async with hosted(table):
        await ends_in(PeerError, code, table.join(1))


async def test_a_useless_ticket_is_told(tmp_path: Path) -> None:
    table, began = PlayerTable(tmp_path, 2), trio.current_time()
    table.ticket = Ticket(table.guests[0].key.public, ("node0:1",), b"t" * 32)
    words = r"host-unreached .*nobody-listens"
    assert (await ends_in(PeerError, words, table.join(1))).code.exit_code == 3
    assert trio.current_time() - began < 1


@SOME
@pytest.mark.parametrize("number", [0, 2])
async def test_a_seat_cut_down_and_resumed_ends_with_others(tmp_path: Path, number: int) -> None:
    table = PlayerTable(tmp_path, 3, CALM, LONGER)
    crashed = table.guests[number]

    async def crash_and_resume() -> None:
        assert await table.sit_until(number, past_round(3))
        (game,) = open_games(crashed.home)
        assert set(game.nicknames) == {"P0", "P1", "P2"}
        await table.resume(number)

    await table.play({number: crash_and_resume})
    assert table.ended_alike()
    assert [len(guest.heard(updates.Resumed)) == 1 for guest in table.guests] == [
        guest is crashed for guest in table.guests
    ]


@SOME
async def test_a_seat_that_vanishes_is_absent_and_the_others_end(tmp_path: Path) -> None:
    table = PlayerTable(tmp_path, 4, edition=LONGER)
    await table.play_until_the_last_goes(past_round(2))
    table.guests.pop()
    table.judge()
    assert table.heard(updates.SeatsTimedOut)


@SOME
async def test_a_seat_declared_absent_comes_back_and_ends_with_the_others(tmp_path: Path) -> None:
    table = PlayerTable(tmp_path, 3, thinking=1.0)

    async def leave_and_come_back() -> None:
        await table.sit_until(2, past_round(2))
        await table.until(lambda: table.heard(updates.SeatsTimedOut))
        await table.resume(2)

    await table.play({2: leave_and_come_back})
    table.judge()


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


def test_no_game_to_resume_is_told(tmp_path: Path) -> None:
    caught = fails(PeerError, "no-game", find_game, Home(tmp_path), None)
    assert caught.code.exit_code == 2
    fails(PeerError, "no-such-game", find_game, Home(tmp_path), "abcd")


async def test_a_table_is_played_off_the_loop(tmp_path: Path) -> None:
    """What takes long is handed out, and done after a while of the virtual clock."""
    table, jobs = PlayerTable(tmp_path, 3), list[Callable[[], Any]]()

    async def work(run: Callable[[], Any]) -> Any:
        jobs.append(run)
        await trio.sleep(0.05)
        return run()

    for guest in table.guests:
        guest.options["off_loop"] = work
    with trio.fail_after(4000):
        await table.play()
    assert len(jobs) > 10
    assert all(guest.outcome and guest.outcome.code is None for guest in table.guests)
    table.judge()
