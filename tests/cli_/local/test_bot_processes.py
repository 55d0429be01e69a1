"""The bots of this computer: how well they play, their folders, and how they end."""

import shlex
import stat
import subprocess
import sys
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.cases import fails
from support.limits import LIMIT
from support.sampling import AT_WORK
from support.shell import nothing
from support.short_game import short_file
from support.terminals import BOT, GUEST, LISTEN, Terminal, environment, hoity, start

from cli.exit_codes import Trouble
from cli.local import bot_processes, seat_checks, settings
from cli.local.bot_processes import (
    LEVEL,
    LEVEL_FILE,
    Crew,
    ask_level,
    crew_of,
    hire,
    level_of,
    levels_of,
    own_level,
)
from cli.words.translation import WORDS, level_meant
from p2p_hoity import bots
from p2p_hoity.storage import player_key, private_files
from p2p_hoity.storage.file_store import NotPrivateError
from p2p_hoity.storage.home import Home
from p2p_hoity.storage.private_files import private_folder
from p2p_hoity.table.task_groups import open_nursery

GAME, OTHER = "0123456789abcdef", "fedcba9876543210"


# Folders of crews, and processes.


def crews(home: Home) -> list[str]:
    """The crews' folders that are there."""
    return sorted(path.name for path in (home.path / "bots").iterdir() if path.is_dir())


def journal(folder: Path, game: str = GAME) -> None:
    """A seat's journal of a game."""
    path = private_folder(folder / "journals") / f"{game}.journal"
    path.touch(mode=0o600)


def left_over(home: Home) -> bot_processes.Crew:
    """A crew whose command was killed: nobody holds its folder any more."""
    crew = bot_processes.hire(home, ("easy", "normal"), "Ana", nothing)
    assert crew.held is not None
    crew.held.close()
    for name in crew.levels:
        private_folder(crew.folder / name)
    return crew


def test_a_crew_stays_as_long_as_its_game_can_be_resumed(tmp_path: Path) -> None:
    home = Home(tmp_path)
    left_over(home).remember(GAME)
    journal(home.path)
    assert bot_processes.crew_of(home, OTHER, nothing) is None
    found = bot_processes.crew_of(home, GAME, nothing)
    assert found is not None
    assert sorted(found.levels) == ["Ada", "Bruno"]
    assert found.held is not None
    found.held.close()
    (home.journals / f"{GAME}.journal").unlink()
    assert bot_processes.crew_of(home, GAME, nothing) is None
    assert crews(home) == []


def test_a_crew_killed_as_its_game_began_is_found_by_the_bots_journals(tmp_path: Path) -> None:
    home = Home(tmp_path)
    old = left_over(home)
    journal(home.path)
    journal(old.folder / "Ada")
    found = bot_processes.crew_of(home, GAME, nothing)
    assert found is not None
    assert found.folder == old.folder


@pytest.mark.skipif(not private_files.CHECKED, reason="there are no mode bits")
def test_one_command_closes_a_copied_home_and_its_bots_before_one_sits_down(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    player_key.new_identity(home, "Ana")
    crew = left_over(home)
    journal(home.path)
    for name in crew.levels:
        player_key.new_identity(Home(crew.folder / name), name)
        journal(crew.folder / name)
    check = partial(bot_processes.crew_of, home, GAME, nothing)
    whole = f"chmod -R go= {home.path}"
    inside = [path for path in home.path.rglob("*") if crew.folder in (path, *path.parents)]
    for path in inside:
        before = path.stat().st_mode
        path.chmod(0o755 if path.is_dir() else 0o644)
        assert fails(NotPrivateError, "open-to-others", check).fields["command"] == whole, path
        path.chmod(before)
    for path in (home.path, *home.path.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    told = fails(NotPrivateError, "open-to-others", seat_checks.check_home, home)
    assert told.fields["command"] == whole
    subprocess.run(shlex.split(whole), check=True)
    seat_checks.check_home(home)
    found = check()
    assert found is not None
    assert found.folder == crew.folder


async def test_a_bot_that_stops_in_a_game_is_told_with_what_to_do(tmp_path: Path) -> None:
    crew, said = left_over(Home(tmp_path)), list[str]()
    crew.say = said.append
    (crew.folder / "Ada" / bot_processes.TROUBLE_FILE).write_text("hoity: the disk is full\n")

    async def wait() -> int:
        return 2

    process: Any = SimpleNamespace(wait=wait)
    crew.seated = True
    await crew._watch("Ada", process)
    assert "the disk is full" in said[0]
    assert "hoity resume" in said[1]


def test_bots_are_reached_as_their_player_is(tmp_path: Path) -> None:
    crew = bot_processes.hire(Home(tmp_path), ("easy",), "Ana", nothing)
    assert crew._way == ("--listen", "127.0.0.1:0")
    crew.relays = ("r.example:1", "s.example:2")
    relays = ("--relay", "r.example:1", "--relay", "s.example:2")
    assert crew._way == ("--relay-only", *relays)


def test_crews_that_nobody_needs_are_swept_out(tmp_path: Path) -> None:
    """Wherever it stands, and whether or not another one is installed."""
    assert bot_processes.crew_of(Home(tmp_path), GAME, nothing) is None
    assert list(tmp_path.iterdir()) == []
    home = Home(tmp_path)
    old = left_over(home)
    assert bot_processes.crew_of(home, GAME, nothing) is None
    assert not old.folder.exists()
    first = bot_processes.hire(home, ("normal",), "Ana", nothing)
    second = bot_processes.hire(home, ("normal",), "Ana", nothing)
    assert crews(home) == sorted([first.folder.name, second.folder.name])


def await_seated(host: Terminal, number: int) -> None:
    """Wait until a host, who sits down first, says that so many are seated."""
    while len(host.read_until("names")["names"]) < number:
        pass


def killed(path: Path, bots: int, seats: int) -> Path:
    """The home of a host with bots; it still waits in the lobby if a seat is free."""
    words = ("--seats", str(seats), "--bots", str(bots), "--lan", "off", *LISTEN, *BOT)
    host = start(path / "host", "host", "--edition", str(short_file(path)), *words)
    if seats > bots + 1:
        await_seated(host, bots + 1)
    else:
        host.read_until("round", 2)
    host.kill()
    return host.home


@AT_WORK
def test_bots_of_a_host_killed_in_the_game_let_go_of_it(tmp_path: Path) -> None:
    home = killed(tmp_path, 2, 3)
    books = list(home.glob("bots/*/*/journals/*.journal"))
    assert len(books) == 2
    for book in books:
        with book.open("rb+") as file:
            assert private_files.hold(file, wait=True)  # returns when the bot has ended
    hoity(home, "resume", "--auto", "--json", code=0)
    assert crews(Home(home)) == []


@AT_WORK
def test_what_a_host_killed_in_the_lobby_left_is_gone_after_the_next_game(tmp_path: Path) -> None:
    home = killed(tmp_path, 1, 3)
    assert len(crews(Home(home))) == 1
    words = ("--bots", "1", "--edition", str(tmp_path / "small-4.toml"))
    hoity(home, "play", *words, "--auto", "--json", code=0)
    assert crews(Home(home)) == []


@AT_WORK
def test_a_bot_leaves_the_lobby_when_its_input_ends(tmp_path: Path) -> None:
    words = ("--seats", "3", "--lan", "off", *LISTEN, *BOT)
    host = start(tmp_path / "host", "host", *words)
    ticket = host.read_until("ticket")["ticket"]
    command = ["-m", "cli", "join", ticket, "--until-eof", *GUEST]
    bot = subprocess.Popen(
        [sys.executable, *command],
        env=environment(tmp_path / "bot"),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    await_seated(host, 2)
    assert bot.stdin is not None
    bot.stdin.close()
    assert bot.wait(LIMIT) == 130
    host.kill()


def test_why_a_bot_has_stopped_is_its_own_last_line_or_the_signal(tmp_path: Path) -> None:
    crew = left_over(Home(tmp_path))
    trouble = crew.folder / "Ada" / bot_processes.TROUBLE_FILE
    trouble.write_text("a relay was lost, and found again\nhoity: the disk is full\n")
    assert crew._why_stopped("Ada", 1) == "The bot Ada has stopped (1): hoity: the disk is full"
    killed = crew._why_stopped("Ada", -9)
    assert "signal 9" in killed
    assert "relay" not in killed


def test_a_crew_has_other_names_than_the_player_and_is_found_again(tmp_path: Path) -> None:
    crew = hire(Home(tmp_path), ("normal",) * 5, "Ada", nothing)
    assert len(set(crew.levels)) == 5
    assert "Ada" not in crew.levels
    assert stat.S_IMODE(crew.folder.stat().st_mode) == 0o700
    home = Home(tmp_path)
    crew = hire(home, ("easy", "normal"), "Ana", nothing)
    for name in crew.levels:
        (crew.folder / name).mkdir(mode=0o700)
    assert crew_of(home, "0123", nothing) is None
    crew.remember("0123")
    found = crew_of(home, "0123", nothing)
    assert found is not None
    assert (found.folder, set(found.levels)) == (crew.folder, set(crew.levels))


@pytest.mark.parametrize("keep", [True, False])
async def test_a_crew_is_dismissed(tmp_path: Path, keep: bool) -> None:
    crew = hire(Home(tmp_path), ("normal",), "Ana", nothing)
    await crew.dismiss(keep)
    assert crew.folder.exists() is keep


@AT_WORK
async def test_a_bot_that_cannot_come_is_trouble(tmp_path: Path) -> None:
    crew = Crew(tmp_path, {"Ada": "normal"}, nothing)
    with pytest.raises(Trouble, match="not a ticket"):
        async with open_nursery() as nursery:
            await crew.join("nonsense", nursery)
    await crew.dismiss(keep=False)


# How well bots play.


def test_their_number_or_a_level_for_each() -> None:
    for word, levels in (
        (None, ("normal",) * 3),
        ("1", ("normal",)),
        (" 5 ", ("normal",) * 5),
        ("easy", ("easy",)),
        ("EASY, normal,e,fair,f", ("easy", "normal", "easy", "fair", "fair")),
    ):
        assert levels_of(word, "normal", 5) == levels
    assert levels_of("2", "easy", 5) == ("easy", "easy")  # as was chosen once
    assert levels_of("normal", "easy", 5) == ("normal",)
    assert levels_of("0", "normal", 5, 0) == ()  # a host may take none
    meant = [level_meant(word) for word in ("e", "Norm", "easyly", "", "3")]
    assert meant == ["easy", "normal", None, None, None]


NONSENSE = [",", "x", "easy,,easy", "easy;normal", "0", "6", "-1", "3.5", "easy," * 5 + "easy"]


def test_anything_else_is_refused_in_words() -> None:
    assert set(bots.LEVELS) <= set(settings.LEVELS) == set(WORDS)
    assert {bots.DEFAULT_LEVEL, bots.STAND_IN} <= set(bots.LEVELS) <= set(bots.BOTS)
    for word in (*NONSENSE, "9" * 5000, "1" + "0" * 5000):
        with pytest.raises(Trouble, match="--bots needs"):
            levels_of(word, "normal", 5)


def test_the_level_is_asked_once_and_kept_and_is_not_the_first_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home, typed = Home(tmp_path), iter(["", "easy,hard", "Learn", "ea"])
    lessons: list[bool] = []

    def asked() -> str:
        return ask_level(home, lambda: lessons.append(True))

    tmp_path.chmod(0o700)
    monkeypatch.setattr(bot_processes, "answer", lambda question: next(typed))
    assert asked() == bots.DEFAULT_LEVEL
    settings.keep(home, settings.Settings(bots="easy"))
    assert not settings.is_kept(home)
    settings.keep(home, settings.Settings(nickname="Ana", relay="here:1"))
    assert asked() == "easy"
    assert capsys.readouterr().out.count("Type one of easy, fair, normal, hard") == 1
    assert lessons == [True]
    assert asked() == "easy"
    assert settings.load(home) == settings.Settings(nickname="Ana", relay="here:1", bots="easy")


def test_a_bot_is_told_its_level(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert own_level() == bots.STAND_IN
    for level, wanted in (("easy", "easy"), ("best", bots.STAND_IN)):
        monkeypatch.setenv(LEVEL, level)
        assert own_level() == wanted
    assert level_of(tmp_path) == bots.DEFAULT_LEVEL
    for kept, wanted in (
        (b"easy", "easy"),
        (b"best", bots.DEFAULT_LEVEL),
        (b"\xff", bots.DEFAULT_LEVEL),
    ):
        (tmp_path / LEVEL_FILE).write_bytes(kept)
        assert level_of(tmp_path) == wanted
