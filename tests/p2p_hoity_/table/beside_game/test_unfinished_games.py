"""Tests of the unfinished games of a home: which are listed, and which one is meant."""

from pathlib import Path

import pytest
from support.cases import fails
from support.kept_home import STARTED, keep_journal, table_of

from p2p_hoity.storage.home import Home
from p2p_hoity.storage.private_files import CHECKED
from p2p_hoity.table.beside_game.unfinished_games import (
    OpenGame,
    SeveralGames,
    claimed_mark,
    find_game,
    open_games,
    refused_games,
    relay_only_mark,
)
from p2p_hoity.table.peer_error import PeerError


def test_no_game_to_resume_is_told(tmp_path: Path) -> None:
    caught = fails(PeerError, "no-game", find_game, Home(tmp_path), None)
    assert caught.code.exit_code == 2
    fails(PeerError, "no-such-game", find_game, Home(tmp_path), "abcd")


def names(games: list[OpenGame]) -> list[str]:
    return [game.name for game in games]


def two_games(home: Home) -> tuple[str, str]:
    """Keep the journals of two games, and return their names, the newer one first."""
    for nonce, started in ((b"n", STARTED), (b"m", STARTED + 60)):
        keep_journal(home, table_of(3, 2, nonce), started=started).close()
    first, second = open_games(home)
    assert first.started == second.started + 60
    return first.name, second.name


def test_games_are_listed_with_who_plays_and_several_have_to_be_told_apart(home: Home) -> None:
    first, second = two_games(home)
    game = find_game(home, first[:6])
    assert (game.name, game.seat) == (first, 0)
    assert game.opponents == ("seat 1", "seat 2")
    several = fails(SeveralGames, "several-games", find_game, home, None)
    assert names(several.games) == [first, second]
    assert several.fields == {"names": (first, second)}
    fails(SeveralGames, "several-games", find_game, home, "")


def test_a_claimed_game_is_found_by_its_name_alone(home: Home) -> None:
    first, second = two_games(home)
    claimed_mark(home.journals / f"{first}.journal").touch()
    assert find_game(home, None).name == second
    assert find_game(home, first).is_claimed
    claimed_mark(home.journals / f"{second}.journal").touch()
    told = fails(PeerError, "only-claimed-games", find_game, home, None)
    assert told.fields == {"names": (first, second)}


def test_a_game_that_is_over_and_one_whose_journal_cannot_be_read_are_told(home: Home) -> None:
    (home.transcripts).mkdir(parents=True)
    (home.transcripts / "abcd.hoity").touch()
    assert fails(PeerError, "game-over", find_game, home, "ab").fields == {"game": "abcd"}
    (home.transcripts / "abcd.hoity").rename(home.transcripts / "abcd.claim.hoity")
    fails(PeerError, "no-such-game", find_game, home, "ab")
    keep_journal(home, table_of(3, 2), password="open sesame").close()
    assert open_games(home) == []
    fails(PeerError, "journal-unusable", find_game, home, None)
    assert len(open_games(home, "open sesame")) == 1
    fails(PeerError, "no-such-game", find_game, home, "xyz")


@pytest.mark.skipif(not CHECKED, reason="there are no mode bits")
def test_a_journal_that_others_can_read_is_not_listed_and_told_by_itself(home: Home) -> None:
    first, second = two_games(home)
    assert list(refused_games(home)) == []
    (home.journals / f"{first}.journal").chmod(0o644)
    assert names(open_games(home)) == [second]
    (refused,) = refused_games(home)
    assert first in str(refused)


def test_whoever_is_reached_by_relays_alone_stays_so(home: Home) -> None:
    first, second = two_games(home)
    relay_only_mark(home.journals / f"{first}.journal").touch()
    assert {game.name: game.relay_only for game in open_games(home)} == {first: True, second: False}
