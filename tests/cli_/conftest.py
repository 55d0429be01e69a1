"""What tests of the command line share: a home of their own, a shell, and a person who types."""

from pathlib import Path

import pytest
from support.shell import Shell, Types

from cli.local import player_setup
from cli.words import translation
from p2p_hoity.storage.home import Home


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A home that is not there yet, of a user of whom the system says the name."""
    monkeypatch.setenv("HOITY_HOME", str(tmp_path / "home"))
    for name in (*translation.LOCALE_VARIABLES, "HOITY_PASSPHRASE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("getpass.getuser", lambda: "ada")
    return Home(tmp_path / "home")


@pytest.fixture
def hoity(home: Home, capsys: pytest.CaptureFixture[str]) -> Shell:
    """The program, run in this process."""
    return Shell(capsys, home)


@pytest.fixture
def types(monkeypatch: pytest.MonkeyPatch) -> Types:
    """A person at a terminal."""

    def type_lines(*lines: str) -> None:
        typed = iter(lines)
        for asking in (player_setup, player_setup):
            monkeypatch.setattr(asking, "at_terminal", lambda: True)
        monkeypatch.setattr(player_setup, "typed_line", lambda: next(typed))

    return type_lines
