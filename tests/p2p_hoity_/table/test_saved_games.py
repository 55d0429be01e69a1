"""Tests of the games of a home: listed with how far they came; none that is played is forgotten."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.cli_stage import played_file
from support.kept_home import keep_journal, keep_transcript, player, room_of

from p2p_hoity.storage import rollback_marks
from p2p_hoity.storage.home import Home
from p2p_hoity.table.beside_game import saved_games as games
from p2p_hoity.table.beside_game.known_progress import NOT_BEGUN, Progress
from p2p_hoity.table.beside_game.unfinished_games import open_games
from p2p_hoity.table.peer_error import PeerError

ALL = 1e9


def listed(home: Home, seconds: float = ALL, password: str | None = None) -> list[games.KeptGame]:
    ticks = iter(range(10_000))
    return games.kept_games(home, password, lambda: float(next(ticks)), seconds)


def only(home: Home, **given: Any) -> tuple[games.KeptGame, Progress]:
    """The one game that is listed, and how far it came."""
    (game,) = listed(home, **given)
    assert game.progress is not None
    return game, game.progress


@pytest.fixture
def home(tmp_path: Path) -> Home:
    found = Home(tmp_path / "home")
    player(found)
    return found


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


def test_a_file_without_a_result_hides_no_open_game(home: Home) -> None:
    """`tests/p2p_hoity_/table/test_final_result.py` has the game whose file has one."""
    here = room_of(3, 3)
    keep_journal(home, here).close()
    keep_transcript(home, here.places[0].machine.transcript(), "as-far-as-it-came.hoity")
    found = listed(home)
    assert len({game.name for game in found}) == 1
    assert [game.is_over for game in found].count(False) == 1


def test_what_was_read_once_is_not_read_again(home: Home) -> None:
    keep_journal(home, room_of(3, 2)).close()
    keep_transcript(home, played_file(), "won.hoity")
    assert [game.progress for game in listed(home, seconds=0)] == [None, None]
    first = listed(home)
    assert listed(home, seconds=0) == first
    assert None not in [game.progress for game in first]


def test_a_file_that_has_changed_is_read_again(home: Home) -> None:
    path = keep_transcript(home, played_file(), "won.hoity")
    (first,) = listed(home)
    path.write_bytes(b"something else")
    assert listed(home) == []
    keep_transcript(home, played_file(), "again.hoity")
    (second,) = listed(home)
    assert (second.name, second.nicknames) == (first.name, first.nicknames)


@pytest.mark.parametrize(
    "kept", [b"", b"[]", b"nonsense", b'{"x": {"round": []}}', b"\xff", b"[" * 5000]
)
def test_a_memory_that_is_none_is_read_anew(home: Home, kept: bytes) -> None:
    keep_journal(home, room_of(3, 2)).close()
    path = home.path / "games.json"
    path.write_bytes(kept)
    path.chmod(0o600)
    assert only(home)[1].round == 2


def test_nothing_of_a_sealed_journal_is_kept_and_before_the_deal_is_no_round(home: Home) -> None:
    keep_journal(home, room_of(3, 2), records=2).close()
    assert only(home)[1] == NOT_BEGUN
    (game,) = open_games(home)
    games.forget_game(game)
    (home.path / "games.json").unlink()
    keep_journal(home, room_of(3, 2), password="open sesame").close()
    assert only(home, password="open sesame")
    memory = home.path / "games.json"
    assert not memory.exists() or json.loads(memory.read_bytes()) == {}
    assert listed(home) == []


def test_a_game_that_is_played_is_not_forgotten_and_one_that_is_leaves_nothing(home: Home) -> None:
    book = keep_journal(home, room_of(3, 2))
    (game,) = open_games(home)
    assert games.is_running(game)
    assert [one.is_running for one in listed(home)] == [True]
    with pytest.raises(PeerError, match="game-running"):
        games.forget_game(game)
    assert game.path.exists()
    book.close()
    assert not games.is_running(game)
    game.path.with_suffix(".claimed").touch()
    games.forget_game(game)
    assert list(home.journals.iterdir()) == []
    assert not rollback_marks.path_of(game.path).exists()
    assert listed(home) == []


def test_a_claim_is_told_by_its_journal_as_long_as_that_is_there(home: Home) -> None:
    here = room_of(3, 2)
    keep_journal(home, here).close()
    (game,) = open_games(home)
    keep_transcript(home, here.places[0].machine.transcript(), f"{game.name}.claim.hoity")
    assert [(one.path.suffix, one.is_over) for one in listed(home)] == [(".journal", False)]
    games.forget_game(game)
    left, progress = only(home)
    assert (left.name, left.is_over, left.is_claimed) == (game.name, False, True)
    assert (progress.round, progress.whole) == (2, True)
