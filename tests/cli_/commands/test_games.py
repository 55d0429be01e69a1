"""Tests of `games` and `forget`, and of games by their names wherever a file is asked for."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.cheap_group import cheap_cards
from support.cli_stage import played_file
from support.kept_home import keep_journal, keep_transcript, player, room_of

from cli.app import run
from cli.commands import complete, games, open_games
from cli.local import questions
from p2p_hoity.storage.home import Home
from p2p_hoity.storage.own_files import CHECKED, private_folder
from p2p_hoity.tables import resuming

Shown = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _cheap() -> Iterator[None]:
    """What is listed was played with cheap cards."""
    with cheap_cards():
        yield


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv("HOITY_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("HOITY_PASSPHRASE", raising=False)
    monkeypatch.setattr(games, "READING", math.inf)  # however busy the machine is
    found = Home(tmp_path / "home")
    player(found)
    return found


@pytest.fixture
def game(home: Home) -> str:
    """An unfinished game in round 3."""
    book = keep_journal(home, room_of(3, 3))
    book.close()
    return book.path.stem


def answers(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    typed = iter(lines)
    monkeypatch.setattr(questions, "at_terminal", lambda: True)
    monkeypatch.setattr(questions, "typed_line", lambda: next(typed))


def test_games_are_listed_with_names_round_and_fields(home: Home, game: str, capsys: Shown) -> None:
    keep_transcript(home, played_file(), "won.hoity")
    assert run(["games"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    (is_open,) = [line for line in lines if line.startswith(game)]
    assert "open, round 3: seat 0 " in is_open
    assert any("over, round" in line for line in lines)


@pytest.fixture
def opened(home: Home) -> Path:
    """The journal of another unfinished game, which others may read."""
    book = keep_journal(home, room_of(3, 2, b"m"))
    book.close()
    book.path.chmod(0o644)
    return book.path


@pytest.mark.skipif(not CHECKED, reason="this system has no mode bits")
def test_a_journal_open_to_others_is_named_and_the_other_games_listed(
    game: str, opened: Path, capsys: Shown
) -> None:
    assert run(["games"]) == 2
    told = capsys.readouterr()
    assert [line.split()[0] for line in told.out.splitlines()] == [game]
    assert f"chmod 600 {opened}" in told.err
    opened.chmod(0o600)
    assert run(["games"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2


@pytest.mark.skipif(not CHECKED, reason="this system has no mode bits")
def test_a_journal_open_to_others_is_an_error_for_a_program(
    game: str, opened: Path, capsys: Shown
) -> None:
    assert run(["games", "--json"]) == 2
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert {first.get("game"), second.get("game")} == {game, None}
    (error,) = [one for one in (first, second) if one.get("type") == "error"]
    assert (error["code"], error["fields"]["path"]) == ("open-to-others", str(opened))


@pytest.mark.skipif(not CHECKED, reason="this system has no mode bits")
def test_the_only_game_is_not_said_to_be_missing_if_it_is_open_to_others(
    opened: Path, capsys: Shown
) -> None:
    assert run(["games"]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert run(["resume"]) == 2
    assert f"chmod 600 {opened}" in capsys.readouterr().err


def test_games_for_a_program(home: Home, game: str, capsys: Shown) -> None:
    assert run(["games", "--json"]) == 0
    (line,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert (line["game"], line["state"], line["round"]) == (game, "open", 3)
    assert line["nicknames"] == ["seat 0", "seat 1", "seat 2"]
    assert len(line["fields"]) == 3


def test_without_a_game_it_is_said_how_one_is_played(home: Home, capsys: Shown) -> None:
    assert run(["games"]) == 0
    assert "hoity play" in capsys.readouterr().out
    assert run(["games", "--json"]) == 0
    assert capsys.readouterr().out == ""


def test_what_time_did_not_allow_is_said(
    home: Home, game: str, capsys: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(games, "READING", -1.0)
    assert run(["games"]) == 0
    out = capsys.readouterr().out
    assert "seat 0, seat 1" in out
    assert "again reads on" in out


@pytest.mark.parametrize("word", ["last", "whole", "prefix"])
def test_a_game_is_forgotten_after_a_yes(
    home: Home, game: str, word: str, capsys: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers(monkeypatch, "", "what", "y")
    name = {"whole": game, "prefix": game[:4]}.get(word, word)
    assert run(["forget", name]) == 0
    out = capsys.readouterr().out
    assert "with seat 1, seat 2, round 3" in out
    assert "lost for good" in out
    assert f"{game} is forgotten" in out
    assert not list(home.journals.glob("*"))


def test_a_no_keeps_it(
    home: Home, game: str, capsys: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers(monkeypatch, "n")
    assert run(["forget", game]) == 1
    assert "Nothing was forgotten." in capsys.readouterr().out
    assert (home.journals / f"{game}.journal").exists()


def test_without_a_terminal_forgetting_takes_yes(home: Home, game: str, capsys: Shown) -> None:
    assert run(["forget", game]) == 2
    assert "--yes" in capsys.readouterr().err
    assert run(["forget", "--yes", game]) == 0
    assert run(["forget", "--yes", game]) == 2


def test_a_running_game_is_not_forgotten(home: Home, capsys: Shown) -> None:
    book = keep_journal(home, room_of(3, 2, b"m"))
    assert run(["forget", "--yes", book.path.stem]) == 2
    assert "being played just now" in " ".join(capsys.readouterr().err.split())
    assert book.path.exists()
    book.close()


def test_the_bots_of_a_forgotten_game_go_too(home: Home, game: str) -> None:
    crew = private_folder(home.path / "bots" / "crew")
    (crew / "game").write_text(game)
    assert run(["forget", "--yes", game]) == 0
    assert not crew.exists()


# Games by name.


@pytest.mark.parametrize("command", [["verify", "--json"], ["replay"]])
def test_a_transcript_is_named_by_its_id(home: Home, command: list[str], capsys: Shown) -> None:
    keep_transcript(home, played_file(), "8daa000011112222.hoity")
    for word in ("8daa", "8DAA00", "8daa000011112222", "last"):
        assert run([*command, word]) == 0
    assert run([*command, "8da"]) == 2
    assert run([*command, "8dab"]) == 2


def test_a_path_that_is_there_comes_first(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Shown
) -> None:
    keep_transcript(home, b"another", "8daa000011112222.hoity")
    monkeypatch.chdir(tmp_path)
    for name in ("8daa", "last"):
        (tmp_path / name).write_bytes(played_file())
        assert run(["verify", name]) == 0


def test_a_finished_transcript_comes_before_a_claim(home: Home) -> None:
    keep_transcript(home, b"a claim", "8daa000011112222.claim.hoity")
    assert run(["verify", "8daa"]) == 1
    keep_transcript(home, played_file(), "8daa000011112222.hoity")
    assert run(["verify", "8daa"]) == 0


def test_what_several_games_begin_with_names_them(home: Home, capsys: Shown) -> None:
    for name in ("8daa000011112222", "8daa100011112222"):
        keep_transcript(home, played_file(), f"{name}.hoity")
    assert run(["verify", "8daa"]) == 2
    err = " ".join(capsys.readouterr().err.split())
    assert "8daa000011112222, 8daa100011112222" in err
    assert run(["verify", "8daa0"]) == 0


def test_an_unfinished_game_has_no_transcript_and_that_is_said(
    home: Home, game: str, capsys: Shown
) -> None:
    assert run(["verify", game[:6]]) == 2
    assert "not over" in " ".join(capsys.readouterr().err.split())
    assert run(["verify", "last"]) == 2
    assert "no transcript on this machine" in capsys.readouterr().err


def test_the_shell_completes_games(home: Home, game: str) -> None:
    assert complete.transcripts("") == []
    assert complete.open_games("") == sorted([game, "last"])
    assert complete.open_games(game[:5]) == [game]
    assert complete.open_games("zz") == []
    keep_transcript(home, b"", "8daa000011112222.claim.hoity")
    assert complete.transcripts("8d") == ["8daa000011112222"]


# Which game `resume` takes.


def test_the_newest_that_nobody_plays_is_taken(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    me = player(Home(home.path / "other"))
    books = [keep_journal(home, room_of(3, 2, bytes([n])), started=100 * n) for n in (1, 2, 3)]
    for book in books[:2]:
        book.close()
    found, others = open_games.newest(home, me, None)
    assert (found.started, [one.started for one in others]) == (200, [100])
    books[2].close()
    found, others = open_games.newest(home, me, None)
    assert (found.started, [one.started for one in others]) == (300, [200, 100])
    assert open_games.find(home, "last", me, None, "hoity resume") == found
    assert resuming.open_games(home)[0] == found
