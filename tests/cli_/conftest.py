"""What tests of the command line share: a home, a shell, a game, and a person who types."""

from pathlib import Path

import pytest
from support.cli_stage import played_file
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
def game(tmp_path: Path) -> Path:
    """The file of a whole game for two."""
    path = tmp_path / "game.hoity"
    path.write_bytes(played_file())
    return path


@pytest.fixture
def types(monkeypatch: pytest.MonkeyPatch) -> Types:
    """A person at a terminal."""

    def type_lines(*lines: str) -> None:
        typed = iter(lines)
        monkeypatch.setattr(player_setup, "at_terminal", lambda: True)
        monkeypatch.setattr(player_setup, "typed_line", lambda: next(typed))

    return type_lines


@pytest.fixture
def screen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a full screen needs: a home, colours, and keys that follow each other at once."""
    from support.at_screen import idle  # It loads Textual.

    monkeypatch.setenv("HOITY_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("NO_COLOR", raising=False)
    for module in ("app", "pilot"):
        monkeypatch.setattr(f"textual.{module}.wait_for_idle", idle)
