"""Tests of the games of a home: listed with how far they came; none that is played is forgotten."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.cli_stage import played_file
from support.kept_home import keep_journal, keep_transcript, player, room_of

from p2p_hoity.storage import marks
from p2p_hoity.storage.home import Home
from p2p_hoity.tables import PeerError, open_games
from p2p_hoity.tables.kept_games import (
    NOT_BEGUN,
    KeptGame,
    forget_game,
    is_running,
    kept_games,
    progress_of,
)

ALL = 1e9


def listed(home: Home, seconds: float = ALL, password: str | None = None) -> list[KeptGame]:
    ticks = iter(range(10_000))
    return kept_games(home, password, lambda: float(next(ticks)), seconds)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    found = Home(tmp_path / "home")
    player(found)
    return found


def test_an_unfinished_game_says_its_round_and_fields(home: Home) -> None:
    here = room_of(3, 3)
    keep_journal(home, here).close()
    (game,) = listed(home)
    assert game.nicknames == ("seat 0", "seat 1", "seat 2")
    assert (game.is_over, game.is_running, game.seat) == (False, False, 0)
    state = here.places[0].machine.tip.state.state
    assert game.progress is not None
    assert (game.progress.round, game.progress.fields) == (3, state.figures)
    assert game.progress.ranks == ()
    assert progress_of(open_games(home)[0], None) == game.progress


def test_a_finished_game_says_who_won(home: Home) -> None:
    keep_transcript(home, played_file(), "won.hoity")
    (game,) = listed(home)
    assert game.is_over
    assert game.progress is not None
    assert sorted(game.progress.ranks) == [1, 2]
    assert max(game.progress.fields) > 40
    assert game.progress.whole


def test_a_file_that_does_not_hold_is_listed_as_such_and_no_transcript_is_not(home: Home) -> None:
    data = bytearray(played_file())
    data[-30] ^= 1
    keep_transcript(home, bytes(data), "bad.hoity")
    keep_transcript(home, b"no transcript", "other.hoity")
    (game,) = listed(home)
    assert game.progress is not None
    assert not game.progress.whole


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


@pytest.mark.parametrize("kept", [b"", b"[]", b"nonsense", b'{"x": {"round": []}}', b"\xff"])
def test_a_memory_that_is_none_is_read_anew(home: Home, kept: bytes) -> None:
    keep_journal(home, room_of(3, 2)).close()
    path = home.path / "games.json"
    path.write_bytes(kept)
    path.chmod(0o600)
    (game,) = listed(home)
    assert game.progress is not None
    assert game.progress.round == 2


def test_nothing_of_a_sealed_journal_is_kept_in_the_open(home: Home) -> None:
    keep_journal(home, room_of(3, 2), password="open sesame").close()
    (game,) = listed(home, password="open sesame")
    assert game.progress is not None
    memory = home.path / "games.json"
    assert not memory.exists() or json.loads(memory.read_bytes()) == {}
    assert listed(home) == []


def test_a_game_whose_cards_are_not_dealt_has_no_round(home: Home) -> None:
    here = room_of(3, 2)
    keep_journal(home, here, records=2).close()
    assert [game.progress for game in listed(home)] == [NOT_BEGUN]


def test_a_game_that_is_played_just_now_is_said_to_be_and_not_forgotten(home: Home) -> None:
    book = keep_journal(home, room_of(3, 2))
    (game,) = open_games(home)
    assert is_running(game)
    assert [one.is_running for one in listed(home)] == [True]
    with pytest.raises(PeerError, match="game-running"):
        forget_game(game)
    assert game.path.exists()
    book.close()
    assert not is_running(game)


def test_a_forgotten_game_leaves_nothing(home: Home) -> None:
    keep_journal(home, room_of(3, 2)).close()
    (game,) = open_games(home)
    game.path.with_suffix(".claimed").touch()
    forget_game(game)
    assert list(home.journals.iterdir()) == []
    assert not marks.path_of(game.path).exists()
    assert listed(home) == []


def test_a_claim_is_told_by_its_journal_as_long_as_that_is_there(home: Home) -> None:
    here = room_of(3, 2)
    keep_journal(home, here).close()
    (game,) = open_games(home)
    keep_transcript(home, here.places[0].machine.transcript(), f"{game.name}.claim.hoity")
    assert [(one.path.suffix, one.is_over) for one in listed(home)] == [(".journal", False)]
    forget_game(game)
    (left,) = listed(home)
    assert (left.name, left.is_over, left.put_away) == (game.name, False, True)
    assert left.progress is not None
    assert (left.progress.round, left.progress.whole) == (2, True)
