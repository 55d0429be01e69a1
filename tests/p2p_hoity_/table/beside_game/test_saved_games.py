"""Tests of the games of a home: all are listed, and none that is played is forgotten."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from support.cli_stage import played_file
from support.kept_home import keep_journal, keep_transcript, listed, only, table_of

from p2p_hoity.storage import rollback_marks
from p2p_hoity.storage.home import Home
from p2p_hoity.storage.kept_company import Company, keep_company
from p2p_hoity.table.beside_game import saved_games as games
from p2p_hoity.table.beside_game.known_progress import NOT_BEGUN, Progress
from p2p_hoity.table.beside_game.unfinished_games import open_games
from p2p_hoity.table.peer_error import PeerError


def test_a_file_without_a_result_hides_no_open_game(home: Home) -> None:
    """`tests/p2p_hoity_/table/playing/test_session_result.py` has the game whose file has one."""
    here = table_of(3, 3)
    keep_journal(home, here).close()
    keep_transcript(home, here.places[0].machine.transcript(), "as-far-as-it-came.hoity")
    found = listed(home)
    assert len({game.name for game in found}) == 1
    assert [game.is_over for game in found].count(False) == 1


def test_nothing_of_a_sealed_journal_is_kept_and_before_the_deal_is_no_round(home: Home) -> None:
    keep_journal(home, table_of(3, 2), records=2).close()
    assert only(home)[1] == NOT_BEGUN
    (game,) = open_games(home)
    games.forget_game(game)
    (home.path / "games.json").unlink()
    keep_journal(home, table_of(3, 2), password="open sesame").close()
    assert only(home, password="open sesame")
    memory = home.path / "games.json"
    assert not memory.exists() or json.loads(memory.read_bytes()) == {}
    assert listed(home) == []


def test_a_game_that_is_played_is_not_forgotten_and_one_that_is_leaves_nothing(home: Home) -> None:
    book = keep_journal(home, table_of(3, 2))
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
    here = table_of(3, 2)
    keep_journal(home, here).close()
    (game,) = open_games(home)
    keep_transcript(home, here.places[0].machine.transcript(), f"{game.name}.claim.hoity")
    assert [(one.path.suffix, one.is_over) for one in listed(home)] == [(".journal", False)]
    games.forget_game(game)
    left, progress = only(home)
    assert (left.name, left.is_over, left.is_claimed) == (game.name, False, True)
    assert (progress.round, progress.whole) == (2, True)


def test_the_own_seat_is_that_which_was_stored_or_else_that_of_the_own_key(home: Home) -> None:
    path = keep_transcript(home, played_file(), "won.hoity")
    (game,) = listed(home)
    assert (game.seat, game.levels) == (None, None)
    keys = ("aa" * 32, "bb" * 32)
    assert game.progress is not None
    games.keep_read(home, [(path, replace(game.progress, players=keys))])
    assert [game.seat for game in games.kept_games(home, None, float, 1, keys[1])] == [1]
    assert [game.seat for game in games.kept_games(home, None, float, 1, "cc" * 32)] == [None]
    assert [game.seat for game in games.kept_games(home, None, float, 1)] == [None]
    keep_company(home, game.name, Company(0, (None, "hard")))
    (game,) = games.kept_games(home, None, float, 1, keys[1])
    assert (game.seat, game.levels) == (0, (None, "hard"))


def test_what_was_read_ahead_is_not_read_again_and_survives_an_interruption(home: Home) -> None:
    won = keep_transcript(home, played_file(), "won.hoity")
    bad = keep_transcript(home, played_file()[:-1], "bad.hoity")
    assert sorted(games.unread_transcripts(home)) == [bad, won]

    def read() -> Iterator[tuple[Path, Progress]]:
        yield won, Progress(9, (4, 0), (1, 2))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        games.keep_read(home, read())
    assert games.unread_transcripts(home) == [bad]
    games.keep_read(home, [(bad, NOT_BEGUN)])  # It has no head, so it is no game.
    assert games.unread_transcripts(home) == [bad]
    (game,) = listed(home, seconds=0)
    assert game.progress is not None
    assert game.progress.round == 9


def test_a_file_beyond_reading_is_no_reason_to_fail(home: Home) -> None:
    won = keep_transcript(home, played_file(), "won.hoity")
    progress = Progress(9, (4, 0), (1, 2))
    many = [(won.with_name(f"{number}.hoity"), progress) for number in range(games.SAVED_AT_ONCE)]
    games.keep_read(home, [*many, (won, progress)])
    assert games.unread_transcripts(home) == []
