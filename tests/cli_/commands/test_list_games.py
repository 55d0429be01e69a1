"""Tests of `games` and `forget`, and of games by their names wherever a file is asked for."""

import math
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.cases import each
from support.cheap_group import cheap_cards
from support.cli_stage import played_file
from support.kept_home import keep_journal, keep_transcript, player, room_of
from support.shell import Shell, Types, modules_after

from cli.commands import list_games, options
from cli.commands.options import typed_id
from cli.commands.verify import transcript_named
from p2p_hoity.storage import home as home_
from p2p_hoity.storage.file_store import FileStore
from p2p_hoity.storage.home import Home
from p2p_hoity.storage.private_files import CHECKED, private_folder
from p2p_hoity.table.beside_game import saved_games, unfinished_games
from p2p_hoity.table.peer_error import PeerError

MODES = pytest.mark.skipif(not CHECKED, reason="this system has no mode bits")


@pytest.fixture(autouse=True)
def _cheap() -> Iterator[None]:
    """What is listed was played with cheap cards."""
    with cheap_cards():
        yield


@pytest.fixture
def home(home: Home, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setattr(list_games, "READING", math.inf)  # however busy the machine is
    player(home)
    return home


@pytest.fixture
def game(home: Home) -> str:
    """An unfinished game in round 3."""
    book = keep_journal(home, room_of(3, 3))
    book.close()
    return book.path.stem


def test_games_are_listed_with_names_round_and_fields(game: str, hoity: Shell) -> None:
    (line,) = hoity("games", "--json").lines
    assert (line["game"], line["state"], line["round"]) == (game, "open", 3)
    assert line["nicknames"] == ["seat 0", "seat 1", "seat 2"]
    assert len(line["fields"]) == 3
    keep_transcript(hoity.home, played_file(), "won.hoity")
    done = hoity("games")
    lines = done.out.splitlines()
    assert (done.code, len(lines)) == (0, 2)
    (is_open,) = [line for line in lines if line.startswith(game)]
    assert "open, round 3: seat 0 " in is_open
    assert any("over, round" in line for line in lines)


def test_keys_and_games_that_were_read_before_load_no_rules_and_no_seat(
    game: str, hoity: Shell
) -> None:
    keep_transcript(hoity.home, played_file(), "won.hoity")
    assert len(hoity.done(0, "games").out.splitlines()) == 2  # Now their progress is stored.
    lines = [["id"], ["id", "show", "--json"], ["id", "export"], ["games"], ["games", "--json"]]
    loaded = modules_after(*lines)
    assert {"p2p_hoity.table.beside_game.saved_games", "cli.commands.identity"} <= loaded
    heavy = {"trio", "ssl", "textual", "multiprocessing", "asyncio"}
    assert not heavy & {name.split(".")[0] for name in loaded}
    above = ("rules", "game_adapter", "editions", "presentation", "reachability", "bots", "relay")
    assert not {f"p2p_hoity.{name}" for name in above} & loaded
    assert not {f"protocol.{name}" for name in ("chain", "seat", "transcript")} & loaded
    assert not {"p2p_hoity.table.playing.play_table", "p2p_hoity.net.hub", "cli.ui"} & loaded


@pytest.fixture
def opened(home: Home) -> Path:
    """The journal of another unfinished game, which others may read."""
    book = keep_journal(home, room_of(3, 2, b"m"))
    book.close()
    book.path.chmod(0o644)
    return book.path


@MODES
def test_a_journal_open_to_others_is_named_by_games(game: str, opened: Path, hoity: Shell) -> None:
    told, done = hoity("games"), hoity("games", "--json")
    assert told.code == done.code == 2
    assert [line.split()[0] for line in told.out.splitlines()] == [game]
    assert str(opened) in told.err
    assert f"chmod -R go= {hoity.home.path}" in told.err
    (error,) = [one for one in done.lines if one.get("type") == "error"]
    assert [one.get("game") for one in done.lines if one != error] == [game]
    assert (error["code"], error["fields"]["path"]) == ("open-to-others", str(opened))
    opened.chmod(0o600)
    done = hoity("games")
    assert (done.code, len(done.out.splitlines())) == (0, 2)


@MODES
def test_the_only_game_is_not_missing_if_it_is_open_to_others(opened: Path, hoity: Shell) -> None:
    done = hoity("games")
    assert (done.code, done.out) == (2, "")
    assert f"chmod -R go= {hoity.home.path}" in hoity.told(2, "resume")


def test_without_a_game_it_is_said_how_one_is_played_and_a_running_one_stays(hoity: Shell) -> None:
    assert "hoity play" in hoity.told(0, "games")
    assert hoity("games", "--json").out == ""
    book = keep_journal(hoity.home, room_of(3, 2, b"m"))
    assert "being played in another terminal" in hoity.told(2, "forget", "--yes", book.path.stem)
    assert book.path.exists()
    book.close()


def test_what_there_is_no_time_for(
    game: str, hoity: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(list_games, "READING", -1.0)
    told = hoity.told(0, "games")
    assert "seat 0, seat 1" in told
    assert "read the rest" in told


BEYOND = (253_402_387_200, 2**63, 2**64 - 1, 10**30, -(10**12), -(10**30))
"""Times in the year 10000 and later, and before the year 1."""


@each(BEYOND)
def test_a_time_beyond_the_calendar_is_no_date(seconds: int) -> None:
    assert list_games.moment_of(seconds) is None
    assert list_games.date(seconds) == list_games.NO_DATE


def test_a_time_of_the_calendar_is_a_date() -> None:
    assert list_games.date(253_402_000_000).startswith("9999-12-2")
    assert list_games.date(1_700_000_000).startswith("2023-11-1")
    assert len(list_games.date(0)) == len(list_games.NO_DATE)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seconds", BEYOND)
def test_a_file_dated_beyond_the_calendar_is_listed_among_the_others(
    seconds: int, game: str, hoity: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = keep_transcript(hoity.home, played_file(), "won.hoity")

    def written(files: FileStore, path: Path) -> int:
        return seconds if path == odd else home_.written(files, path)

    monkeypatch.setattr(saved_games, "written", written)
    done = hoity("games")
    lines = done.out.splitlines()
    assert (done.code, len(lines)) == (0, 2)
    assert [list_games.NO_DATE in line for line in lines].count(True) == 1
    dates = {Path(line["path"]).name: line["date"] for line in hoity("games", "--json").lines}
    assert dates.pop("won.hoity") is None
    assert all(dates.values())


def test_a_journal_begun_beyond_the_calendar_is_listed_and_found(game: str, hoity: Shell) -> None:
    book = keep_journal(hoity.home, room_of(3, 2, b"m"), started=2**64 - 1)
    book.close()
    newest, older = list_games.commands(unfinished_games.open_games(hoity.home), "hoity resume")
    assert f"begun {list_games.NO_DATE} with seat 1" in newest
    assert "begun 2023-11-1" in older
    assert list_games.NO_DATE in list_games.told(unfinished_games.open_games(hoity.home)[0], None)
    assert hoity("forget", "--yes", book.path.stem).code == 0
    assert hoity("games", "--json").lines[0]["game"] == game


def test_odd_numbers_in_the_file_of_progress_are_read_anew(game: str, hoity: Shell) -> None:
    whole = hoity.told(0, "games")
    kept = hoity.home.path / "games.json"
    told = kept.read_text(encoding="utf-8")
    assert '"round": 3' in told
    for odd in ("Infinity", "-Infinity", "NaN", "1e999", "null", "9" * 5000, "[" * 9):
        kept.write_text(told.replace('"round": 3', f'"round": {odd}'), encoding="utf-8")
        assert hoity.told(0, "games") == whole
    kept.write_text("[" * 100_000, encoding="utf-8")
    assert hoity.told(0, "games") == whole
    assert kept.read_text(encoding="utf-8") == told


@pytest.mark.parametrize("word", ["last", "whole", "prefix"])
def test_a_game_is_forgotten_after_a_yes(game: str, word: str, hoity: Shell, types: Types) -> None:
    name = {"whole": game, "prefix": game[:4]}.get(word, word)
    types("n")
    told = hoity.told(1, "forget", name)
    assert "Nothing was forgotten." in told
    assert f"hoity resume --claim {game}" in told
    assert (hoity.home.journals / f"{game}.journal").exists()
    types("", "what", "y")
    told = hoity.told(0, "forget", name)
    assert "with seat 1, seat 2, round 3" in told
    assert "You will lose your seat" in told
    assert f"{game} is forgotten" in told
    assert not list(hoity.home.journals.glob("*"))


def test_who_has_saved_a_game_is_not_told_to_save_it_before_it_is_forgotten(
    game: str, hoity: Shell, types: Types
) -> None:
    assert hoity("resume", "--claim", game).code == 0
    types("n")
    assert "--claim" not in hoity.told(1, "forget", game)


def test_without_a_terminal_forgetting_takes_yes(game: str, hoity: Shell) -> None:
    crew = private_folder(hoity.home.path / "bots" / "crew")
    (crew / "game").write_text(game)
    assert "--yes" in hoity.told(2, "forget", game)
    assert hoity("forget", "--yes", game).code == 0
    assert not crew.exists()  # its bots go too
    assert hoity("forget", "--yes", game).code == 2


# Games by name.


@pytest.mark.parametrize("command", [["verify", "--json"], ["replay"]])
def test_a_transcript_is_named_by_its_id(command: list[str], hoity: Shell) -> None:
    keep_transcript(hoity.home, played_file(), "8daa000011112222.hoity")
    for word in ("8daa", "8DAA00", "8daa000011112222", "last"):
        assert hoity(*command, word).code == 0
    for word in ("8da", "8dab"):
        assert hoity(*command, word).code == 2


def test_a_path_that_is_there_comes_first_and_a_finished_transcript_before_a_claim(
    hoity: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_transcript(hoity.home, b"a claim", "8daa000011112222.claim.hoity")
    assert hoity("verify", "8daa").code == 1
    keep_transcript(hoity.home, played_file(), "8daa000011112222.hoity")
    assert hoity("verify", "8daa").code == 0
    keep_transcript(hoity.home, b"another", "8daa000011112222.hoity")
    monkeypatch.chdir(tmp_path)
    for name in ("8daa", "last"):
        (tmp_path / name).write_bytes(played_file())
        assert hoity("verify", name).code == 0


def test_what_names_no_transcript_or_several_is_said(game: str, hoity: Shell) -> None:
    assert "not over" in hoity.told(2, "verify", game[:6])
    assert "No finished game is stored" in hoity.told(2, "verify", "last")
    for name in ("8daa000011112222", "8daa100011112222"):
        keep_transcript(hoity.home, played_file(), f"{name}.hoity")
    assert "8daa000011112222, 8daa100011112222" in hoity.told(2, "verify", "8daa")
    assert hoity("verify", "8daa0").code == 0


def test_the_shell_completes_games(home: Home, game: str) -> None:
    assert options.transcripts("") == []
    assert options.open_games("") == sorted([game, "last"])
    assert options.open_games(game[:5]) == [game]
    assert options.open_games("zz") == []
    keep_transcript(home, b"", "8daa000011112222.claim.hoity")
    assert options.transcripts("8d") == ["8daa000011112222"]


# Which game `resume` takes.


def test_the_newest_that_nobody_plays_is_taken(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    books = [keep_journal(home, room_of(3, 2, bytes([n])), started=100 * n) for n in (1, 2, 3)]
    for book in books[:2]:
        book.close()
    found, others = list_games.newest(home, None)
    assert (found.started, [one.started for one in others]) == (200, [100])
    books[2].close()
    found, others = list_games.newest(home, None)
    assert (found.started, [one.started for one in others]) == (300, [200, 100])
    for word in ("last", "LAST", "last.", "“last”", "hoity resume last"):
        assert list_games.find(home, word, None, "hoity resume") == found
    name = found.name
    for word in (name[:4].upper(), f"`{name}`", f"{name[:6]}\u200b.", f"hoity forget {name}"):
        assert list_games.find(home, word, None, "hoity resume") == found
    for word in ("...", "`", "\u200b"):  # Nothing is left of it, which is the beginning of all ids.
        with pytest.raises(PeerError, match="no-such-game"):
            list_games.find(home, word, None, "hoity resume")
    assert unfinished_games.open_games(home)[0] == found


def test_a_line_of_games_or_the_name_of_a_file_is_as_good_as_the_id(
    game: str, hoity: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    over, claim = "8b3632ae91383d75", "8b3632ae91383d75.claim.hoity"
    keep_transcript(hoity.home, played_file(), f"{over}.hoity")
    path = hoity.home.transcripts / f"{over}.hoity"
    assert transcript_named(f"{over}.hoity") == path
    assert transcript_named(f"{over[:6]}.hoity") == path
    keep_transcript(hoity.home, played_file(), claim)
    assert transcript_named(claim) == path.with_name(claim)
    assert transcript_named(path.as_uri()) == path
    words = f"{over}  2026-11-27 05:52  over, round 27: Festive Lynx 47, Ada 34"
    for line in (words, f"  {words}\n", words.upper(), f"`{words}`"):
        assert transcript_named(line) == path
    assert hoity.told(0, "verify", f"{over}.hoity") != hoity.told(0, "verify", claim)
    (line,) = [one for one in hoity("games").out.splitlines() if one.startswith(game)]
    for typed in (line, f"{game}.journal"):
        assert typed_id(typed) == game
        assert list_games.find(hoity.home, typed, None, "").name == game
    for other in (game[:4], f"{game}x", "last", f"{game[:5]} x"):
        assert typed_id(other) == other


@pytest.mark.parametrize("named", ["my game.hoity", "50%.hoity", "Größe#1?.hoity", "a+b.hoity"])
def test_a_file_dragged_from_a_file_manager_is_read(
    hoity: Shell, tmp_path: Path, named: str
) -> None:
    path = tmp_path / named
    path.write_bytes(played_file())
    for url in (path.as_uri(), path.as_uri().replace("file://", "file://localhost")):
        assert "ok. Everything in it is valid" in hoity.told(0, "verify", url)
    folder = tmp_path.as_uri()
    assert "1" in hoity.told(0, "verify", folder)
    new = tmp_path / "new one.cert"
    assert hoity.told(0, "verify", path.as_uri(), "--save-certificate", new.as_uri())
    assert new.is_file()
