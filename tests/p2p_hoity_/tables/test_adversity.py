"""Whole tables in memory where a peer is silent, talks nonsense, or goes at a bad moment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio
from p2p_hoity_.tables.test_tables import Club, Guest, past_round

from cli.trouble import exit_code_of
from p2p_hoity import game_port, tables
from p2p_hoity.net.events import Frame
from p2p_hoity.net.hub import Hub
from p2p_hoity.net.ticket import Ticket
from p2p_hoity.session import updates
from p2p_hoity.session.lobby import Sit
from p2p_hoity.tables import joining, resuming
from p2p_hoity.tables.seating import Backlog
from protocol.chain.state import Kind
from protocol.transcript import verifier
from protocol.wire.header import Patience


async def test_a_host_that_says_nothing_is_told(tmp_path: Path, autojump_clock: Any) -> None:
    club = Club(tmp_path, 2)
    host = Hub(club.guests[0].me.identity, network=club.network)
    async with trio.open_nursery() as nursery:
        await nursery.start(host.run)
        (address,) = await host.listen("node0", 0)
        nursery.start_soon(_read, host)
        club.ticket = Ticket(host._identity.public, (address,), b"t" * 32)
        club.opened.set()
        with pytest.raises(tables.PeerError, match="host-without-terms") as caught:
            await club.join(1)
        nursery.cancel_scope.cancel()
    assert exit_code_of(caught.value) == 3


async def _read(hub: Hub) -> None:
    async for _ in hub.events:
        pass


async def test_a_guest_whose_addresses_are_nonsense_harms_nobody(
    tmp_path: Path, autojump_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    club = Club(tmp_path, 3)

    def odd(entry: Any, addresses: Any) -> Sit:
        return Sit(entry, ("nowhere", ":::", "relay+", "[x]:1", "a:99999", *addresses))

    monkeypatch.setattr(joining, "Sit", odd)
    await club.play()
    assert len(set(club.transcripts())) == 1


async def test_a_guest_that_leaves_before_the_table_is_full_frees_its_seat(
    tmp_path: Path, autojump_clock: Any
) -> None:
    club = Club(tmp_path, 3)
    leaver = Guest(tmp_path, "leaver")
    club.guests.append(leaver)
    scope = trio.CancelScope()

    async def come_and_go() -> None:
        leaver.cut = lambda update: isinstance(update, updates.Joined), scope
        with scope:
            await club.join(3)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(club.host)
        await come_and_go()
        nursery.start_soon(club.join, 1)
        nursery.start_soon(club.join, 2)
    club.guests.pop()
    assert scope.cancelled_caught
    joined = [update.names for update in club.guests[0].heard(updates.Joined)]
    assert ("P0", "leaver") in joined
    assert len(set(club.transcripts())) == 1


async def test_a_host_that_leaves_before_the_table_is_full_is_told(
    tmp_path: Path, autojump_clock: Any
) -> None:
    club = Club(tmp_path, 3)
    scope = trio.CancelScope()
    club.guests[0].cut = lambda update: len(getattr(update, "names", ())) == 2, scope

    async def host() -> None:
        with scope:
            await club.host()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(host)
        with pytest.raises(tables.PeerError, match="host-gone"):
            await club.join(1)


async def test_strangers_cannot_fill_what_waits_for_a_table() -> None:
    waiting = Backlog()
    for _ in range(50):
        waiting.keep(Frame(b"p" * 32, bytes(1 << 20)))
    assert len(waiting.frames) == Backlog.BYTES >> 20
    waiting = Backlog()
    for _ in range(5000):
        waiting.keep(Frame(b"p" * 32, b"x"))
    assert len(waiting.frames) == Backlog.FRAMES


@pytest.mark.parametrize("kind", [Kind.KEY_OK, Kind.REVEAL])
async def test_a_seat_that_goes_for_good_as_a_step_begins(
    tmp_path: Path, autojump_clock: Any, kind: Kind
) -> None:
    await _vanish(tmp_path, kind)


@pytest.mark.nightly
@pytest.mark.parametrize("kind", [k for k in Kind if k not in (Kind.ENDED, Kind.KEY_COMMIT)])
async def test_a_seat_that_goes_for_good_in_every_kind_of_step(
    tmp_path: Path, autojump_clock: Any, kind: Kind
) -> None:
    await _vanish(tmp_path, kind)


async def _vanish(path: Path, kind: Kind) -> None:
    """Three seats; the last is gone as the first step of a kind begins: the two others end."""
    club = Club(path, 3)

    def begins(update: updates.Update) -> bool:
        return isinstance(update, updates.Stepped) and update.after.want.kind is kind

    gone = await club.play_until_the_last_goes(begins)
    stayed = [guest for guest in club.guests[:2] if guest.outcome]
    assert len(stayed) == 2
    assert not any(guest.heard(updates.Accused) for guest in stayed)
    if not gone:
        assert kind in (Kind.SHOW, Kind.CHOOSE)  # no game need have such a step
        return
    before = kind in (Kind.KEY_REVEAL, Kind.KEY_OK, Kind.SHUFFLE, Kind.DECK_OK)
    for guest in stayed:
        assert guest.outcome is not None
        assert (guest.outcome.transcript is None) == before
        if before:
            (ended,) = guest.heard(updates.Ended)
            assert ended.code == "silent-seat"


async def test_a_seat_cut_down_at_the_very_end_still_gets_the_end(
    tmp_path: Path, autojump_clock: Any
) -> None:
    club = Club(tmp_path, 3, Patience(60_000, 60_000, 5_000, 60_000))
    scope = trio.CancelScope()
    crashed = club.guests[2]

    def at_the_end(update: updates.Update) -> bool:
        stepped = isinstance(update, updates.Stepped)
        return stepped and update.after.want.kind is Kind.RESULT

    crashed.cut = at_the_end, scope

    async def crash_and_resume() -> None:
        with scope:
            await club.join(2)
        assert scope.cancelled_caught
        crashed.cut = None
        await trio.sleep(20)
        await club.resume(2)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(crash_and_resume)
        nursery.start_soon(club.host)
        nursery.start_soon(club.join, 1)
    assert len(set(club.transcripts())) == 1
    (again,) = crashed.heard(updates.Resumed)
    before = crashed.told[: crashed.told.index(again)]
    told = [item for one in before if isinstance(one, updates.Happened) for item in one.items]
    assert again.items == tuple(told) != ()


async def test_nobody_waits_at_the_end_when_all_are_there(
    tmp_path: Path, autojump_clock: Any
) -> None:
    club = Club(tmp_path, 3, Patience(600_000, 600_000, 5_000, 60_000))
    began = trio.current_time()
    await club.play()
    assert trio.current_time() - began < 120
    assert len(set(club.transcripts())) == 1


async def test_who_stays_at_a_table_for_two_can_claim_the_game(
    tmp_path: Path, autojump_clock: Any
) -> None:
    club = Club(tmp_path, 2)
    scopes = [trio.CancelScope(), trio.CancelScope()]
    club.guests[1].cut = past_round(2), scopes[1]
    club.guests[0].cut = lambda update: isinstance(update, updates.Paused), scopes[0]

    async def stay() -> None:
        with scopes[0]:
            await club.host()

    async def go() -> None:
        with scopes[1]:
            await club.join(1)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(stay)
        nursery.start_soon(go)
    assert scopes[0].cancelled_caught
    path = resuming.claim_game(club.guests[0].seat, None)
    report = verifier.verify(path.read_bytes(), game_port.read_game)
    assert not report.ok
    assert report.unfinished
    assert report.faults == ()
    home = club.guests[0].home
    (game,) = resuming.open_games(home)
    with pytest.raises(tables.PeerError, match=f"only-claimed-games .*{game.name}"):
        resuming.find_game(home, None)
    assert resuming.find_game(home, game.name[:4]) == game


def test_there_is_nothing_to_claim_without_a_game(tmp_path: Path) -> None:
    guest = Guest(tmp_path, "alone")
    with pytest.raises(tables.PeerError, match="no-game"):
        resuming.claim_game(guest.seat, None)
