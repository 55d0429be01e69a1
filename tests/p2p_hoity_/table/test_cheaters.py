"""A seat that cheats, among players: every screen is told who it is, and the others play on."""

from pathlib import Path
from typing import Any

import pytest
from support.forgeries.catalogue import FORGERIES
from support.forgeries.cheater import CheatingMachine, forging
from support.inspection import identity_of
from support.memory_store import MemoryStore
from support.no_disk import no_disk
from support.player_table import PlayerTable

from p2p_hoity.game_adapter import read_game
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.storage import transcript_archive
from p2p_hoity.storage.file_store import FileStore
from p2p_hoity.table.beside_game.unfinished_games import open_games
from p2p_hoity.table.playing import play_table
from p2p_hoity.table.playing.resume_table import claim_game
from protocol.seat import effects
from protocol.seat.seat_machine import SeatMachine
from protocol.transcript.verifier import verify
from protocol.wire import peer_frames
from protocol.wire.signed_notices import SILENT_SEAT, EndNotice, sign_notice


def cheating_table(
    path: Path,
    patch: pytest.MonkeyPatch,
    forgery: str,
    seats: int,
    store: FileStore | None = None,
) -> PlayerTable:
    """Return a table at which the machine of the last guest forges a body."""
    table = PlayerTable(path, seats, store=store)
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


async def test_a_fault_in_setup_leaves_a_file_that_proves_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The journal, which had the only proof, is removed."""
    table = cheating_table(tmp_path, monkeypatch, "key-not-proven", 3)
    await table.play()
    liar = table.guests[-1].place
    for guest in table.guests[:-1]:
        (saved,) = guest.heard(updates.ProofSaved)
        assert guest.end.transcript == saved.transcript
        report = verify(saved.transcript.read_bytes(), read_game)
        assert report.problem is not None
        assert (report.problem.seat, report.problem.code) == (liar, "bad-key-proof")
        assert not open_games(guest.home)


async def test_a_proof_is_written_to_the_store_of_the_table_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store = MemoryStore()
    with no_disk():
        table = cheating_table(Path("/nowhere"), monkeypatch, "key-not-proven", 3, store)
        await table.play()
    for guest in table.guests[:-1]:
        (saved,) = guest.heard(updates.ProofSaved)
        assert verify(store.get(saved.transcript), read_game).problem is not None


async def test_the_word_of_another_seat_alone_is_told_as_such_to_people_and_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The liar accuses an honest seat in setup. Nobody says that as its own."""
    table = PlayerTable(tmp_path, 3)
    liar = table.guests[-1].key.public

    class Accuser(SeatMachine):
        def take(self) -> list[effects.Effect]:
            found = super().take()
            if self.tip.step == 2 and self.broken is None:
                bare = EndNotice(table.guests[-1].place, SILENT_SEAT, table.guests[0].place)
                word = sign_notice(identity_of(self), self.table.id, bare)
                found.append(effects.Send(peer_frames.encode_frame(word)))
            return found

    def machine(*given: Any) -> SeatMachine:
        return (Accuser if given[3].public == liar else SeatMachine)(*given)

    monkeypatch.setattr(play_table, "SeatMachine", machine)
    await table.play()
    accuser, accused_seat = table.guests[-1].place, table.guests[0].place
    for guest in table.guests[:-1]:
        (ended,) = guest.heard(updates.Ended)
        assert (ended.code, ended.seat, ended.by) == (SILENT_SEAT, accused_seat, accuser)
        found = guest.end
        assert (found.code, found.seat, found.by) == (SILENT_SEAT, accused_seat, accuser)
        assert not guest.heard(updates.ProofSaved)
        assert not guest.heard(updates.Accused)


async def test_the_journal_stays_if_the_proof_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr(transcript_archive, "write_transcript", full)
        table = cheating_table(tmp_path, monkeypatch, "key-not-proven", 3)
        await table.play()
    for guest in table.guests[:-1]:
        assert not guest.heard(updates.ProofSaved)
        assert guest.end.kept
        path = claim_game(guest.seat, None)
        report = verify(path.read_bytes(), read_game)
        assert report.problem is not None
        assert report.problem.code == "bad-key-proof"
