"""Tests of how far a game came, by its journal or its transcript."""

from support.cli_stage import played_file
from support.kept_home import keep_journal, keep_transcript, only, room_of

from p2p_hoity.storage.home import Home
from p2p_hoity.table.beside_game import saved_games as games
from p2p_hoity.table.beside_game.unfinished_games import open_games


def test_an_unfinished_game_says_its_round_and_fields(home: Home) -> None:
    here = room_of(3, 3)
    keep_journal(home, here).close()
    game, progress = only(home)
    assert game.nicknames == ("seat 0", "seat 1", "seat 2")
    assert (game.is_over, game.is_running, game.seat) == (False, False, 0)
    state = here.places[0].machine.tip.state.state
    assert (progress.round, progress.fields, progress.ranks) == (3, state.figures, ())
    assert games.progress_of(open_games(home)[0], None) == progress


def test_a_finished_game_says_who_won_and_a_file_that_does_not_hold_that(home: Home) -> None:
    path = keep_transcript(home, played_file(), "won.hoity")
    game, progress = only(home)
    assert game.is_over
    assert sorted(progress.ranks) == [1, 2]
    assert max(progress.fields) > 40
    assert progress.whole
    path.unlink()
    data = bytearray(played_file())
    data[-30] ^= 1
    keep_transcript(home, bytes(data), "bad.hoity")
    keep_transcript(home, b"no transcript", "other.hoity")
    assert not only(home)[1].whole
