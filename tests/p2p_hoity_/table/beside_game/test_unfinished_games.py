"""Tests of the unfinished games of a home: which are listed, and which one is meant."""

from pathlib import Path

from support.cases import fails

from p2p_hoity.storage.home import Home
from p2p_hoity.table.beside_game.unfinished_games import find_game
from p2p_hoity.table.peer_error import PeerError


def test_no_game_to_resume_is_told(tmp_path: Path) -> None:
    caught = fails(PeerError, "no-game", find_game, Home(tmp_path), None)
    assert caught.code.exit_code == 2
    fails(PeerError, "no-such-game", find_game, Home(tmp_path), "abcd")
