"""The command `learn` in the line prompt, and the first run's offer of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.sampling import times

from cli.app import run
from cli.commands import learn, seats
from cli.commands.seats import new_sitting
from cli.commands.sitting import Manner
from cli.local import first_run, questions
from cli.local import settings as kept
from cli.words import lingo
from cli.words.lesson import EXPLANATIONS, FAREWELL
from p2p_hoity.lesson import Topic
from p2p_hoity.storage.home import Home

Shown = pytest.CaptureFixture[str]
ALWAYS = (Topic.WELCOME, Topic.OCTAGON, Topic.REGISTER, Topic.PRISON)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    monkeypatch.setenv("HOITY_HOME", str(tmp_path / "home"))
    for name in (*lingo.LOCALE_VARIABLES, "HOITY_PASSPHRASE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("getpass.getuser", lambda: "ada")
    yield Home(tmp_path / "home")
    lingo.speak("en")


def typed(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    """All that comes in at the line prompt, and then its end."""
    data = iter([f"{line}\n".encode() for line in lines])
    monkeypatch.setattr("cli.ui.line_seat.read_stdin", lambda: next(data, b""))


def explained(out: str) -> list[str]:
    """What was explained, in its order."""
    told = re.findall(r"^LESSON (.*(?:\n  .*)*)", out, re.MULTILINE)
    return [" ".join(words.split()) for words in told]


@given(st.lists(st.integers(1, 6), min_size=16, max_size=16))
@settings(max_examples=times(8, 12), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_answers_come_to_the_end(
    home: Home, monkeypatch: pytest.MonkeyPatch, capsys: Shown, picks: list[int]
) -> None:
    """A number that is no answer is asked again; 1 always is one."""
    capsys.readouterr()
    typed(monkeypatch, *(line for pick in picks for line in (str(pick), "1", "y", "y")))
    assert run(["learn", "--plain"]) == 0
    out = capsys.readouterr().out
    said = explained(out)
    assert said[-1].startswith(FAREWELL[:40])
    assert len(said) == len(set(said))
    assert {" ".join(EXPLANATIONS[topic].split()) for topic in ALWAYS} <= set(said)
    assert "hoity play" in out
    for word in ("key", "linked", "awaited", "proven"):
        assert word not in out


def test_it_is_left_without_loss(
    home: Home, monkeypatch: pytest.MonkeyPatch, capsys: Shown
) -> None:
    typed(monkeypatch, "2", "y", "q")
    assert run(["learn", "--plain"]) == 130
    assert "you left. Nothing is lost" in capsys.readouterr().err


def test_the_end_of_the_input_leaves_it(
    home: Home, monkeypatch: pytest.MonkeyPatch, capsys: Shown
) -> None:
    typed(monkeypatch)
    assert run(["learn", "--plain"]) == 130
    assert "the input has ended. Nothing is lost" in capsys.readouterr().err


def test_an_input_that_answers_nothing_ends_it(
    home: Home, monkeypatch: pytest.MonkeyPatch, capsys: Shown
) -> None:
    typed(monkeypatch, *["nonsense"] * 30)
    assert run(["learn", "--plain"]) == 2
    assert "20 lines of the input have made no choice." in capsys.readouterr().err


def test_it_keeps_nothing(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    typed(monkeypatch, "q")
    run(["learn", "--plain"])
    assert not home.path.exists()


@pytest.mark.parametrize("language", lingo.LANGUAGES)
def test_every_explanation_is_short(language: str) -> None:
    """It has four lines of eighty columns at most, and one to three sentences."""
    lingo.speak(language)
    for words in (*EXPLANATIONS.values(), FAREWELL):
        shown = lingo._(words)
        assert len(shown) < 4 * 74
        assert 1 <= len(re.findall(r"[.!?](?= |$)", shown)) <= 3
    assert set(EXPLANATIONS) == set(Topic)
    lingo.speak("en")


# The first run.


def at_terminal(monkeypatch: pytest.MonkeyPatch, *lines: str) -> list[bool]:
    """A person at a terminal types these lines; what plays the lesson is told if it is plain."""
    answers = iter(lines)
    played: list[bool] = []
    monkeypatch.setattr(first_run, "at_terminal", lambda: True)
    monkeypatch.setattr(questions, "typed_line", lambda: next(answers))
    monkeypatch.setattr(learn, "_in_a_process", played.append)
    return played


@pytest.mark.parametrize(
    ("lines", "plain"), [(("y",), [True]), (("", "x", "y"), [True]), (("n",), [])]
)
def test_the_first_run_offers_it_once(
    home: Home, monkeypatch: pytest.MonkeyPatch, lines: tuple[str, ...], plain: list[bool]
) -> None:
    played = at_terminal(monkeypatch, "", "Ana", *lines)
    assert new_sitting(Manner(plain=True)).me.nickname == "Ana"
    assert new_sitting(Manner(plain=True)).me.nickname == "Ana"
    assert played == plain


def test_it_is_not_offered_where_the_first_run_asks_nothing(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_terminal(monkeypatch)
    new_sitting(Manner(name="Bob"))
    assert not kept.is_kept(home)


def test_a_bot_needs_no_lesson(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seats, "offer", lambda plain: pytest.fail("offered"))
    at_terminal(monkeypatch, "", "Ana")
    new_sitting(Manner(auto=True))


def test_it_is_played_in_a_process_in_the_language_just_chosen(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands: list[list[str]] = []

    class Process:
        """Is interrupted once, and ends."""

        def __init__(self, command: list[str], env: dict[str, str]) -> None:
            commands.append(command)
            self.waits = iter([KeyboardInterrupt, None])

        def wait(self) -> None:
            if (error := next(self.waits)) is not None:
                raise error

    monkeypatch.setattr("subprocess.Popen", Process)
    lingo.speak("de")
    learn._in_a_process(plain=True)
    assert commands[0][3:] == ["cli", "learn", "--lang", "de", "--plain"]
