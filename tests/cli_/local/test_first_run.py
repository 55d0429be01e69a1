"""Tests of the first run: asked once and kept; never in pipes, never where it is said already."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.app import run
from cli.commands.seats import new_sitting
from cli.commands.sitting import Manner
from cli.local import first_run, own_key, questions, settings
from cli.local.settings import Settings
from cli.words import lingo
from p2p_hoity.storage import keys
from p2p_hoity.storage.home import Home

Shown = pytest.CaptureFixture[str]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    monkeypatch.setenv("HOITY_HOME", str(tmp_path / "home"))
    for name in (*lingo.LOCALE_VARIABLES, "HOITY_PASSPHRASE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("getpass.getuser", lambda: "ada")
    yield Home(tmp_path / "home")
    lingo.speak("en")


def types(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    """A person at a terminal types these lines, and no more."""
    typed = iter(lines)
    monkeypatch.setattr(first_run, "at_terminal", lambda: True)
    monkeypatch.setattr(questions, "typed_line", lambda: next(typed))


@pytest.mark.parametrize(
    ("lines", "kept"),
    [
        (("", ""), Settings("ada", "en")),
        (("3", "Ana"), Settings("Ana", "es")),
        (("de", "Ana"), Settings("Ana", "de")),
        (("ESPAÑOL", "Ana"), Settings("Ana", "es")),
        (("fr", "9", "2", "a,b", "x" * 25, "Ana"), Settings("Ana", "de")),
    ],
)
def test_what_is_said_is_kept(
    home: Home, lines: tuple[str, ...], kept: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    types(monkeypatch, *lines)
    first_run.first_run(home)
    assert settings.load(home) == kept
    assert lingo.language() == kept.language


def test_it_is_asked_once(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    types(monkeypatch, "", "Ana", "n")
    sitting = new_sitting(Manner())
    assert sitting.me.nickname == "Ana"
    assert new_sitting(Manner()).me.nickname == "Ana"
    assert not first_run.is_first(home)


def test_where_a_name_is_given_nothing_is_asked(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    types(monkeypatch)
    assert new_sitting(Manner(name="Bob")).me.nickname == "Bob"
    assert not settings.is_kept(home)


def test_a_language_that_the_command_line_names_is_not_asked(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    lingo.speak("de", is_asked_for=True)
    types(monkeypatch, "Ana")
    first_run.first_run(home)
    assert settings.load(home) == Settings("Ana", None)


@pytest.mark.parametrize("command", [["id", "new"], ["id", "new", "--json"]])
def test_a_pipe_is_asked_nothing(home: Home, command: list[str], capsys: Shown) -> None:
    assert run(command) == 0
    assert "call you" not in capsys.readouterr().out
    assert not settings.is_kept(home)
    assert own_key.load(home)[0].nickname.startswith("ada-")


def test_whoever_has_a_key_is_asked_nothing(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    keys.new_identity(home, "Old")
    types(monkeypatch)
    assert new_sitting(Manner()).me.nickname == "Old"


def test_a_screen_may_ask_in_its_own_way(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    types(monkeypatch)
    asked: list[bool] = []

    def ask(with_language: bool) -> Settings:
        asked.append(with_language)
        return Settings("Zoe", "de")

    first_run.first_run(home, ask)
    first_run.first_run(home, ask)
    assert asked == [True]
    assert own_key.own_name(home) == "Zoe"


def test_without_a_name_of_the_system_one_is_offered(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("", ",;", "\x1b"):
        monkeypatch.setattr("getpass.getuser", lambda found=name: found)
        assert first_run.default_nickname() == "Player"


# The kept language.


def test_the_kept_language_is_spoken_and_the_command_line_overrides_it(
    home: Home, monkeypatch: pytest.MonkeyPatch, capsys: Shown
) -> None:
    monkeypatch.setenv("LANG", "es_ES")
    settings.keep(home, Settings("Ana", "de"))
    run(["--help"])
    assert "Befehle" in capsys.readouterr().out
    run(["--help", "--lang", "en"])
    assert "Commands" in capsys.readouterr().out
    run(["id", "new"])
    out = capsys.readouterr().out
    assert "Deutsch" in out
    assert "Ana" in out
    run(["id"])
    assert capsys.readouterr().out == out


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"nonsense", b'{"language": "fr", "nickname": 7}', b"\xff", b"[" * 9000]
)
def test_settings_that_are_none_count_as_not_chosen(home: Home, data: bytes) -> None:
    home.path.mkdir(mode=0o700)
    (home.path / "settings.json").write_bytes(data)
    assert settings.load(home) == Settings()
    assert run(["--help"]) == 0


def test_the_end_of_the_input_is_told(
    home: Home, monkeypatch: pytest.MonkeyPatch, capsys: Shown
) -> None:
    monkeypatch.setattr(first_run, "at_terminal", lambda: True)
    monkeypatch.setattr("os.read", lambda *_: b"")
    assert run(["id", "new"]) == 130
    assert "ended before the answer" in capsys.readouterr().err
    assert not home.identity.exists()


def test_a_line_is_read_to_its_end_and_no_further(monkeypatch: pytest.MonkeyPatch) -> None:
    letters = iter("Añá \nnext".encode())
    monkeypatch.setattr("os.read", lambda *_: bytes([next(letters)]))
    assert questions.typed_line() == "Añá"
    assert bytes(letters) == b"next"
    assert not questions.at_terminal() or sys.stdin.isatty()
