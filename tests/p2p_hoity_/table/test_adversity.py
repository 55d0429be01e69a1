"""Whole tables in memory where a peer is silent, talks nonsense, or goes at a bad moment."""

import os
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio
from support.cases import ends_in, fails
from support.paths import ROOT
from support.player_table import CALM, LONGER, Guest, PlayerTable, past_round

from p2p_hoity import game_adapter
from p2p_hoity.net.hub import Frame, Hub
from p2p_hoity.net.ticket import Ticket
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.table.beside_game import unfinished_games
from p2p_hoity.table.beside_game.finish_game import finish_from
from p2p_hoity.table.gathering import lobby
from p2p_hoity.table.gathering.lobby import Sit
from p2p_hoity.table.peer_error import PeerError
from p2p_hoity.table.playing import resume_table
from p2p_hoity.table.playing.play_table import Backlog
from protocol.chain.chain_state import Kind
from protocol.transcript import verifier
from protocol.wire.table_header import Timeouts

pytestmark = pytest.mark.sampled(3)


async def test_a_host_that_says_nothing_is_told(pair: PlayerTable) -> None:
    host = Hub(pair.guests[0].key, network=pair.network)
    async with trio.open_nursery() as nursery:
        await nursery.start(host.run)
        (address,) = await host.listen("node0", 0)
        nursery.start_soon(_read, host)
        pair.ticket = Ticket(host._identity.public, (address,), b"t" * 32)
        caught = await ends_in(PeerError, "host-without-terms", pair.join(1))
        nursery.cancel_scope.cancel()
    assert caught.code.exit_code == 3


async def _read(hub: Hub) -> None:
    async for _ in hub.events:
        pass


LONG = "127.0.0.1:000001" + "0" * 200


async def test_odd_addresses_harm_none(three: PlayerTable, monkeypatch: pytest.MonkeyPatch) -> None:

    def odd(entry: Any, addresses: Any, vouch: Any) -> Sit:
        return Sit(entry, ("nowhere", ":::", "relay+", "[x]:1", "a:99999", LONG, *addresses), vouch)

    monkeypatch.setattr(lobby, "Sit", odd)
    await three.play()
    assert three.ended_alike()


async def test_a_guest_that_leaves_before_the_table_is_full_frees_its_seat(tmp_path: Path) -> None:
    table = PlayerTable(tmp_path, 3)
    table.guests.append(Guest(tmp_path, "leaving_seat"))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(table.host)
        assert await table.sit_until(3, lambda update: isinstance(update, updates.Joined))
        nursery.start_soon(table.join, 1)
        nursery.start_soon(table.join, 2)
    table.guests.pop()
    joined = [update.names for update in table.guests[0].heard(updates.Joined)]
    assert ("P0", "leaving_seat") in joined
    assert table.ended_alike()


async def test_a_host_that_leaves_before_the_table_is_full_is_told(three: PlayerTable) -> None:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(three.sit_until, 0, lambda told: len(getattr(told, "names", ())) == 2)
        await ends_in(PeerError, "host-gone", three.join(1))


async def test_strangers_cannot_fill_what_waits_for_a_table() -> None:
    large, small = (bytes(1 << 20), 50, Backlog.BYTES >> 20), (b"x", 5000, Backlog.FRAMES)
    for frame, times, most in (large, small):
        waiting = Backlog()
        for _ in range(times):
            waiting.keep(Frame(b"p" * 32, frame))
        assert len(waiting.frames) == most


QUICK = (Kind.KEY_OK, Kind.REVEAL)
LEFT_OUT = (*QUICK, Kind.ENDED, Kind.KEY_COMMIT)
REST = [pytest.param(k, marks=pytest.mark.nightly) for k in Kind if k not in LEFT_OUT]


@pytest.mark.parametrize("kind", [*QUICK, *REST])
async def test_a_seat_that_goes_for_good_as_a_step_begins(three: PlayerTable, kind: Kind) -> None:
    """Three seats; the last is gone as the first step of a kind begins: the two others end."""

    def begins(update: updates.Update) -> bool:
        return isinstance(update, updates.ChainGrew) and update.after.want.kind is kind

    gone = await three.play_until_the_last_goes(begins)
    stayed = [guest for guest in three.guests[:2] if guest.outcome]
    assert len(stayed) == 2
    assert not three.heard(updates.Accused)
    if not gone:
        assert kind in (Kind.SHOW, Kind.CHOOSE, Kind.OPEN)  # no game need have such a step
        return
    before = kind in (Kind.KEY_REVEAL, Kind.KEY_OK, Kind.SHUFFLE, Kind.DECK_OK)
    for guest in stayed:
        assert (guest.end.transcript is None) == before
        if before:
            (ended,) = guest.heard(updates.Ended)
            # What the last seat said last, such as the last shuffle, may be lost with it.
            reached = any(map(begins, guest.told))
            is_dealt = kind is Kind.DECK_OK and reached
            assert ended.code == ("deck-unconfirmed" if is_dealt else "silent-seat")


async def test_a_seat_cut_down_at_the_very_end_still_gets_the_end(tmp_path: Path) -> None:
    table = PlayerTable(tmp_path, 3, CALM)
    crashed = table.guests[2]

    def at_the_end(update: updates.Update) -> bool:
        stepped = isinstance(update, updates.ChainGrew)
        return stepped and update.after.want.kind is Kind.RESULT

    await table.play({2: partial(table.crash_and_resume, 2, at_the_end, 20.0)})
    assert table.ended_alike()
    (again,) = crashed.heard(updates.Resumed)
    before = crashed.told[: crashed.told.index(again)]
    told = [item for one in before if isinstance(one, updates.Happened) for item in one.items]
    assert again.items == tuple(told) != ()


async def test_nobody_waits_at_the_end_when_all_are_there(tmp_path: Path) -> None:
    table = PlayerTable(tmp_path, 3, Timeouts(600_000, 600_000, 5_000, 60_000))
    began = trio.current_time()
    await table.play()
    assert trio.current_time() - began < 120
    assert table.ended_alike()


async def test_who_was_not_there_at_the_end_finishes_by_the_file_of_another(
    tmp_path: Path,
) -> None:
    table = PlayerTable(tmp_path, 3, CALM, LONGER)
    table.guests[2].leave_when(past_round(1))
    await table.play()
    seat, file = table.guests[2].seat, table.guests[0].games()[0][1]
    (game,) = unfinished_games.open_games(seat.home)
    whole = file.read_bytes()
    wrong = tmp_path / "wrong.hoity"
    other = (ROOT / "tests" / "vectors" / "example.hoity").read_bytes()
    for data, code in (
        (whole[:-40] + b"x" + whole[-39:], "file-of-game-not-ok"),
        (whole[:-1], "file-of-game-not-ok"),
        (other, "file-of-another-game"),
    ):
        wrong.write_bytes(data)
        fails(PeerError, code, finish_from, seat, game.name, wrong)
        assert game.path.exists()
    missing = tmp_path / "missing.hoity"
    fails(PeerError, "file-of-game-unreadable", finish_from, seat, None, missing)
    os.mkfifo(pipe := tmp_path / "pipe")  # nobody writes to it
    fails(PeerError, "file-of-game-not-ok", finish_from, seat, None, pipe)
    kept, report = finish_from(seat, None, file)
    assert report.ok
    assert kept.read_bytes() == whole
    assert unfinished_games.open_games(seat.home) == []


async def test_who_stays_at_a_table_for_two_can_claim_the_game(tmp_path: Path) -> None:
    table = PlayerTable(tmp_path, 2, edition=LONGER)
    fails(PeerError, "no-game", resume_table.claim_game, table.guests[0].seat, None)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(table.sit_until, 1, past_round(2))
        assert await table.sit_until(0, lambda update: isinstance(update, updates.Paused))
    path = resume_table.claim_game(table.guests[0].seat, None)
    report = verifier.verify(path.read_bytes(), game_adapter.read_game)
    assert not report.ok
    assert report.unfinished
    assert report.faults == ()
    home = table.guests[0].home
    (game,) = unfinished_games.open_games(home)
    fails(PeerError, f"only-claimed-games .*{game.name}", unfinished_games.find_game, home, None)
    assert unfinished_games.find_game(home, game.name[:4]) == game
