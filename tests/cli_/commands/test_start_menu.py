"""The start menu: each entry is a command line, which is said, and nothing is lost by leaving."""

import os
import sys
from collections.abc import Sequence

import pytest
from support.shell import Shell, Types

from cli.app import run
from cli.commands import start_menu
from cli.exit_codes import INTERRUPTED, OK
from cli.local import player_setup, settings
from cli.words import translation
from p2p_hoity.net.ticket import Ticket, encode_ticket
from p2p_hoity.storage.home import Home

TICKET = encode_ticket(Ticket(b"h" * 32, ("10.0.0.1:9999",), b"t" * 32, (), b"s" * 16))


class Commands:
    """The command lines that the menu runs."""

    def __init__(self) -> None:
        self.typed: list[list[str]] = []

    def __call__(self, words: Sequence[str]) -> int:
        self.typed.append(list(words))
        return 7


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["1", ""], "play --bots 3"),
        (["play", "0", "6", "x", "5"], "play --bots 5"),
        (["2"], "learn"),
        (["host", "", "", ""], "host --seats 4"),
        (["3", "7", "6", "2", "2"], "host --seats 6 --bots 2 --lan open"),
        (["3", "2", "1"], "host --seats 2"),
        (["join", ""], "join"),
        (["4", "what", "7-lantern-walrus@r.example:4646"], "join 7-lantern-walrus@r.example:4646"),
        (["4", TICKET], f"join {TICKET}"),
    ],
)
def test_an_entry_is_a_command_line_and_its_code_is_that_of_the_program(
    lines: list[str], words: str, home: Home, types: Types, capsys: pytest.CaptureFixture[str]
) -> None:
    types(*lines)
    commands = Commands()
    assert start_menu.show(commands) == 7
    assert [" ".join(one) for one in commands.typed] == [words]
    shown = "join TICKET" if words.startswith("join ") else words
    assert f"This does the same: hoity {shown}\n" in capsys.readouterr().out


def test_pages_and_questions_lead_back_to_the_menu(
    home: Home, types: Types, capsys: pytest.CaptureFixture[str]
) -> None:
    types("games", "6", "", "99", "play", "q", "host", "3", "q", "join", "q", "QUIT")
    commands = Commands()
    assert start_menu.show(commands) == OK
    assert commands.typed == [["games"], ["rules"]]
    said = capsys.readouterr().out
    assert said.count("  1  play against bots") == 6
    assert said.count("Please type a number from 1 to 7, or q.") == 1


def test_a_game_that_waits_comes_first(
    home: Home, types: Types, capsys: pytest.CaptureFixture[str]
) -> None:
    home.journals.mkdir(parents=True)
    for number, words in ((1, "go on with a game: 1 waits"), (2, "go on with a game: 2 wait")):
        (home.journals / f"{number:016x}.journal").write_bytes(b"")
        types("1")
        commands = Commands()
        start_menu.show(commands)
        assert commands.typed == [["resume"]]
        assert words in capsys.readouterr().out.splitlines()[2]


def test_the_language_is_spoken_at_once_and_the_next_time(
    home: Home, types: Types, capsys: pytest.CaptureFixture[str]
) -> None:
    number = translation.LANGUAGES.index("de") + 1
    types("language", str(number), "language", "", "ende")
    assert start_menu.show(Commands()) == OK
    assert settings.load(home).language == translation.language() == "de"
    said = capsys.readouterr().out
    assert "hoity --lang de\n" in said
    assert "(language)" in said
    assert not settings.is_kept(home)  # A nickname is asked for all the same.


def test_the_end_of_the_input_and_ctrl_c_leave(
    home: Home, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    is_at_terminal(monkeypatch)
    monkeypatch.setattr(player_setup, "STDIN", os.open(os.devnull, os.O_RDONLY))
    assert run([]) == OK

    def interrupted() -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(player_setup, "typed_line", interrupted)
    assert run([]) == INTERRUPTED


def is_at_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a person sit at a terminal."""
    for stream in ("stdin", "stdout"):
        monkeypatch.setattr(f"sys.{stream}.isatty", lambda: True)


def test_without_a_terminal_there_is_help_and_with_one_the_command_itself_runs(
    hoity: Shell, types: Types, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not sys.stdin.isatty()
    helped = hoity()
    assert "Usage: hoity" in helped.out + helped.err
    is_at_terminal(monkeypatch)
    types("rules", "q")
    done = hoity()
    assert done.code == OK
    assert "2 AUCTION HALL" in done.out
