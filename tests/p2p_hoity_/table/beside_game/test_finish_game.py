"""Tests of finishing a game with the file of another seat: only a valid one of this game does."""

import os
from pathlib import Path

from support.cases import fails
from support.kept_home import keep_journal, seat_in, table_of
from support.paths import ROOT
from support.player_table import CALM, LONGER, PlayerTable, past_round
from support.sampling import BAD_MOMENTS

from p2p_hoity.storage.home import Home
from p2p_hoity.table.beside_game import unfinished_games
from p2p_hoity.table.beside_game.finish_game import finish_from
from p2p_hoity.table.peer_error import PeerError


@BAD_MOMENTS
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


def test_a_file_of_an_unfinished_game_is_refused_and_the_journal_kept(
    home: Home, tmp_path: Path
) -> None:
    here = table_of(3, 2)
    book = keep_journal(home, here)
    book.close()
    file = tmp_path / "claim.hoity"
    file.write_bytes(here.places[0].machine.transcript())
    told = fails(PeerError, "file-of-game-not-finished", finish_from, seat_in(home), None, file)
    assert told.fields == {"path": str(file)}
    assert book.path.exists()
    assert not list(home.transcripts.glob("*"))
    fails(PeerError, "no-such-game", finish_from, seat_in(home), "0000", file)
