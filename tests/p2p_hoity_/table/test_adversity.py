"""Whole tables in memory where a peer is silent, talks nonsense, or goes at a bad moment."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio
from support.player_table import CALM, PlayerTable
from support.sampling import BAD_MOMENTS

from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.table.gathering import lobby
from p2p_hoity.table.gathering.lobby import Sit
from protocol.chain.chain_state import Kind
from protocol.wire.table_header import Timeouts

LONG = "127.0.0.1:000001" + "0" * 200


@BAD_MOMENTS
async def test_odd_addresses_harm_none(three: PlayerTable, monkeypatch: pytest.MonkeyPatch) -> None:

    def odd(entry: Any, addresses: Any, vouch: Any) -> Sit:
        return Sit(entry, ("nowhere", ":::", "relay+", "[x]:1", "a:99999", LONG, *addresses), vouch)

    monkeypatch.setattr(lobby, "Sit", odd)
    await three.play()
    assert three.ended_alike()


QUICK = (Kind.KEY_OK, Kind.REVEAL)
LEFT_OUT = (*QUICK, Kind.ENDED, Kind.KEY_COMMIT)
REST = [pytest.param(k, marks=pytest.mark.nightly) for k in Kind if k not in LEFT_OUT]


@BAD_MOMENTS
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
        # No game need have such a step: all cards may be open at its end.
        assert kind in (Kind.SHOW, Kind.CHOOSE, Kind.OPEN, Kind.FINAL)
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


@BAD_MOMENTS
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


@BAD_MOMENTS
async def test_nobody_waits_at_the_end_when_all_are_there(tmp_path: Path) -> None:
    table = PlayerTable(tmp_path, 3, Timeouts(600_000, 600_000, 5_000, 60_000))
    began = trio.current_time()
    await table.play()
    assert trio.current_time() - began < 120
    assert table.ended_alike()
