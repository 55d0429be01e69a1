"""A seat that cheats, among players: every screen is told who it is, and the others play on."""

from pathlib import Path
from typing import Any

import pytest
from support.forgeries.catalogue import FORGERIES
from support.forgeries.cheater import CheatingMachine, forging
from support.player_table import PlayerTable

from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.table import play_table
from protocol.seat.seat_machine import SeatMachine


def cheating_table(path: Path, patch: pytest.MonkeyPatch, forgery: str, seats: int) -> PlayerTable:
    """Return a table at which the machine of the last guest forges a body."""
    table = PlayerTable(path, seats)
    cheat = table.guests[-1].key.public

    def machine(*given: Any) -> SeatMachine:
        _, _, number, identity, _ = given
        if identity.public != cheat:
            return SeatMachine(*given)
        made = CheatingMachine(*given)
        made.lie = forging(FORGERIES[forgery], number)
        return made

    patch.setattr(play_table, "SeatMachine", machine)
    return table


def accused(table: PlayerTable) -> list[set[tuple[int, str]]]:
    """Return whom each honest player was told to be at fault, and of what."""
    return [{(one.seat, one.code) for one in g.heard(updates.Accused)} for g in table.guests[:-1]]


async def test_a_fault_in_setup_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = cheating_table(tmp_path, monkeypatch, "key-not-proven", 3)
    await table.play()
    liar = table.guests[-1].place
    assert accused(table) == [{(liar, "bad-key-proof")}] * 2
    for guest in table.guests[:-1]:
        (ended,) = guest.heard(updates.Ended)
        assert (ended.code, ended.seat) == ("bad-key-proof", liar)


async def test_a_fault_in_play_bans_a_seat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = cheating_table(tmp_path, monkeypatch, "choice-opened-with-another-nonce", 4)
    honest = table.guests[:-1]
    await table.play_until(lambda: all(guest.heard(updates.GameOver) for guest in honest))
    assert accused(table) == [{(table.guests[-1].place, "bad-opening")}] * 3
