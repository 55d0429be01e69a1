"""The list of games, and which game a typed name means."""

from pathlib import Path

import pytest
from support.cases import each
from support.cli_stage import played_file
from support.kept_home import keep_journal, keep_transcript, table_of
from support.shell import Shell, modules_after

from cli.commands import list_games
from cli.exit_codes import USAGE, Trouble
from p2p_hoity.storage import home as home_
from p2p_hoity.storage.file_store import FileStore
from p2p_hoity.storage.home import Home
from p2p_hoity.storage.private_files import CHECKED
from p2p_hoity.table.beside_game import saved_games, unfinished_games
from p2p_hoity.table.beside_game.unfinished_games import OpenGame
from p2p_hoity.table.peer_error import PeerError

pytestmark = pytest.mark.usefixtures("listing")
MODES = pytest.mark.skipif(not CHECKED, reason="this system has no mode bits")


def test_games_are_listed_with_names_round_and_fields(unfinished: str, hoity: Shell) -> None:
    (line,) = hoity("games", "--json").lines
    assert (line["game"], line["state"], line["round"]) == (unfinished, "open", 3)
    assert line["nicknames"] == ["seat 0", "seat 1", "seat 2"]
    assert len(line["fields"]) == 3
    keep_transcript(hoity.home, played_file(), "won.hoity")
    done = hoity("games")
    lines = done.out.splitlines()
    assert (done.code, len(lines)) == (0, 2)
    (is_open,) = [line for line in lines if line.startswith(unfinished)]
    assert "open, round 3: seat 0 " in is_open
    assert any("over, round" in line for line in lines)


def test_keys_and_games_that_were_read_before_load_no_rules_and_no_seat(
    unfinished: str, hoity: Shell
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
def readable(listing: Home) -> Path:
    """The journal of another unfinished game, which others may read."""
    book = keep_journal(listing, table_of(3, 2, b"m"))
    book.close()
    book.path.chmod(0o644)
    return book.path


@MODES
def test_a_journal_open_to_others_is_named_by_games(
    unfinished: str, readable: Path, hoity: Shell
) -> None:
    told, done = hoity("games"), hoity("games", "--json")
    assert told.code == done.code == 2
    assert [line.split()[0] for line in told.out.splitlines()] == [unfinished]
    assert str(readable) in told.err
    assert f"chmod -R go= {hoity.home.path}" in told.err
    (error,) = [one for one in done.lines if one.get("type") == "error"]
    assert [one.get("game") for one in done.lines if one != error] == [unfinished]
    assert (error["code"], error["fields"]["path"]) == ("open-to-others", str(readable))
    readable.chmod(0o600)
    done = hoity("games")
    assert (done.code, len(done.out.splitlines())) == (0, 2)


@MODES
def test_the_only_game_is_not_missing_if_it_is_open_to_others(readable: Path, hoity: Shell) -> None:
    done = hoity("games")
    assert (done.code, done.out) == (2, "")
    assert f"chmod -R go= {hoity.home.path}" in hoity.told(2, "resume")


def test_without_a_game_it_is_said_how_one_is_played_and_a_running_one_stays(hoity: Shell) -> None:
    assert "hoity play" in hoity.told(0, "games")
    assert hoity("games", "--json").out == ""
    book = keep_journal(hoity.home, table_of(3, 2, b"m"))
    assert "being played in another terminal" in hoity.told(2, "forget", "--yes", book.path.stem)
    assert book.path.exists()
    book.close()


def test_what_there_is_no_time_for(
    unfinished: str, hoity: Shell, monkeypatch: pytest.MonkeyPatch
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
    seconds: int, unfinished: str, hoity: Shell, monkeypatch: pytest.MonkeyPatch
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


def test_a_journal_begun_beyond_the_calendar_is_listed_and_found(
    unfinished: str, hoity: Shell
) -> None:
    book = keep_journal(hoity.home, table_of(3, 2, b"m"), started=2**64 - 1)
    book.close()
    newest, older = list_games.commands(unfinished_games.open_games(hoity.home), "hoity resume")
    assert f"begun {list_games.NO_DATE} with seat 1" in newest
    assert "begun 2023-11-1" in older
    assert list_games.NO_DATE in list_games.told(unfinished_games.open_games(hoity.home)[0], None)
    assert hoity("forget", "--yes", book.path.stem).code == 0
    assert hoity("games", "--json").lines[0]["game"] == unfinished


def test_odd_numbers_in_the_file_of_progress_are_read_anew(unfinished: str, hoity: Shell) -> None:
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


# Which game `resume` takes.


def test_the_newest_that_nobody_plays_is_taken(
    listing: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    books = [keep_journal(listing, table_of(3, 2, bytes([n])), started=100 * n) for n in (1, 2, 3)]
    for book in books[:2]:
        book.close()
    found, others = list_games.newest(listing, None)
    assert (found.started, [one.started for one in others]) == (200, [100])
    books[2].close()
    found, others = list_games.newest(listing, None)
    assert (found.started, [one.started for one in others]) == (300, [200, 100])
    for word in ("last", "LAST", "last.", "“last”", "hoity resume last"):
        assert list_games.find(listing, word, None, "hoity resume") == found
    name = found.name
    for word in (name[:4].upper(), f"`{name}`", f"{name[:6]}\u200b.", f"hoity forget {name}"):
        assert list_games.find(listing, word, None, "hoity resume") == found
    for word in ("...", "`", "\u200b"):  # Nothing is left of it, which is the beginning of all ids.
        with pytest.raises(PeerError, match="no-such-game"):
            list_games.find(listing, word, None, "hoity resume")
    assert unfinished_games.open_games(listing)[0] == found


def open_game(name: str, is_claimed: bool = False) -> OpenGame:
    return OpenGame(name, Path(name), ("Bob", "Ana", "Carol"), 1_700_000_000, 1, is_claimed)


def offer(monkeypatch: pytest.MonkeyPatch, *games: OpenGame) -> None:
    monkeypatch.setattr(unfinished_games, "open_games", lambda home, passphrase: list(games))


def test_several_games_are_listed_with_date_and_opponents_and_what_to_type(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    offer(monkeypatch, open_game("aaaabbbb"), open_game("aaaacccc"), open_game("ddddeeee"))
    with pytest.raises(Trouble) as caught:
        list_games.find(Home(tmp_path), None, None, "hoity resume")
    assert caught.value.exit_code == USAGE
    _, first, second, third = str(caught.value).splitlines()
    assert first.startswith("  hoity resume aaaab ")
    assert second.startswith("  hoity resume aaaac ")
    assert third.startswith("  hoity resume dddd ")
    assert "2023-11-1" in first
    assert first.endswith("with Bob, Carol")
    names = ["aaaaaaaa", "aaaaaaab", "bbbbbbbb"]
    assert [list_games.short(name, names) for name in names] == ["aaaaaaaa", "aaaaaaab", "bbbb"]


def test_a_claimed_game_is_found_by_name_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    claimed = open_game("bbbb", is_claimed=True)
    games = {None: open_game("aaaa"), "bb": claimed}
    offer(monkeypatch, *games.values())
    for name, wanted in games.items():
        assert list_games.find(Home(tmp_path), name, None, "hoity resume") == wanted
    offer(monkeypatch, claimed)
    with pytest.raises(PeerError, match=r"only-claimed-games names=..bbbb"):
        list_games.find(Home(tmp_path), None, None, "hoity resume")
