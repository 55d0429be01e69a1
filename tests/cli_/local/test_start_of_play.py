"""How long a player waits for the first question of `play`, which a bench measures."""

import os
import signal
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

import pytest
from support.limits import LIMIT
from support.sampling import AT_WORK

from cli.local import start_of_play
from cli.local.start_of_play import NoQuestion, first_question
from p2p_hoity import installation

ASKS = """
import os, sys
print("A new key was made for you.")
print(7)
print('{"type": "step"}')
print('{"type": "question", "kind": "place"}', flush=True)
sys.stdin.read()
open(os.environ["HOITY_HOME"] + ".ended", "w").close()
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the temporary folders are made."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def runs(monkeypatch: pytest.MonkeyPatch, *command: str) -> None:
    """Have another command run in place of the program."""
    monkeypatch.setattr(start_of_play, "own_command", lambda *_: list(command))


@AT_WORK
def test_the_program_is_started_and_asks_and_leaves_nothing(folder: Path) -> None:
    assert 0 < first_question() < LIMIT
    assert list(folder.iterdir()) == []


def test_the_time_ends_with_the_first_question_and_the_program_with_its_input(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs(monkeypatch, sys.executable, "-c", ASKS.replace("HOITY_HOME", "OUTSIDE"))
    monkeypatch.setenv("OUTSIDE", str(folder / "outside"))
    assert 0 < first_question() < LIMIT
    assert [path.name for path in folder.iterdir()] == ["outside.ended"]


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("import sys; sys.exit('hoity: no room')", "with exit code 1: hoity: no room"),
        ("print('[1]'); print('{}')", "with exit code 0: {}"),
        ("", "with exit code 0: –"),
    ],
)
def test_a_program_that_ends_before_it_asks_is_told_with_its_last_words(
    folder: Path, monkeypatch: pytest.MonkeyPatch, script: str, words: str
) -> None:
    runs(monkeypatch, sys.executable, "-c", script)
    with pytest.raises(NoQuestion) as told:
        first_question()
    assert str(told.value) == f"The command play ended before its first question, {words}"


def test_a_program_that_cannot_be_started_or_asks_nothing_is_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs(monkeypatch, str(folder / "no-such-program"))
    with pytest.raises(NoQuestion, match="The command play could not be started: No such file"):
        first_question()
    runs(monkeypatch, sys.executable, "-c", "import time; time.sleep(600)")
    monkeypatch.setattr(start_of_play, "LATEST", 0.1)
    with pytest.raises(NoQuestion, match="The command play asked nothing in 0 s"):
        first_question()
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_end_ends_the_program_too_and_leaves_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    runs(monkeypatch, sys.executable, "-c", "import sys; print(1, flush=True); sys.stdin.read()")

    def asked(output: Iterable[bytes]) -> None:
        next(iter(output))
        signal.raise_signal(number)

    monkeypatch.setattr(start_of_play, "_read_until_asked", asked)
    with pytest.raises(KeyboardInterrupt):
        first_question()
    assert list(folder.iterdir()) == []


def test_the_program_has_no_settings_of_the_player(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the program of one file unpacks itself, as when a player starts it."""
    for name in ("HOITY_LANG", "HOITY_PASSPHRASE", "HOITY_PROXY", "HOITY_BOT"):
        monkeypatch.setenv(name, "x")
    for frozen in (False, True):
        monkeypatch.setattr(sys, "frozen", frozen, raising=False)
        assert installation.is_one_file() is frozen
        found = start_of_play._environment(tmp_path)
        assert {name for name in found if name.startswith("HOITY_")} == {
            "HOITY_HOME",
            "HOITY_MARKS",
        }
        assert found["PATH"] == os.environ["PATH"]
        assert ("PYINSTALLER_RESET_ENVIRONMENT" in found) is frozen
