"""The command `learn` in the line prompt, and the first run's offer of it."""

import re
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.sampling import times
from support.shell import Done, Shell

from cli.commands import learn
from cli.local.lesson_screen import EXPLANATIONS, FAREWELL
from cli.words import translation
from p2p_hoity.lesson_script import Topic
from p2p_hoity.storage.home import Home

ALWAYS = (Topic.WELCOME, Topic.OCTAGON, Topic.REGISTER, Topic.PRISON)


@pytest.fixture
def learned(hoity: Shell, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Done]:
    """What the lesson in lines does when these come in, and then the end of the input."""

    def learn_with(*lines: str) -> Done:
        data = iter([f"{line}\n".encode() for line in lines])
        monkeypatch.setattr("cli.ui.lines.line_window.read_stdin", lambda: next(data, b""))
        return hoity("learn", "--plain")

    return learn_with


def explained(out: str) -> list[str]:
    """What was explained, in its order."""
    told = re.findall(r"^LESSON (.*(?:\n  .*)*)", out, re.MULTILINE)
    return [" ".join(words.split()) for words in told]


@given(st.lists(st.integers(1, 6), min_size=16, max_size=16))
@settings(max_examples=times(8, 12), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_answers_come_to_the_end(learned: Callable[..., Done], picks: list[int]) -> None:
    """A number that is no answer is asked again; 1 always is one."""
    done = learned(*(line for pick in picks for line in (str(pick), "1", "y", "y")))
    assert done.code == 0
    said = explained(done.out)
    assert said[-1].startswith(FAREWELL[:40])
    assert len(said) == len(set(said))
    assert {" ".join(EXPLANATIONS[topic].split()) for topic in ALWAYS} <= set(said)
    assert "hoity play" in done.out
    for word in ("key", "linked", "awaited", "proven"):
        assert word not in done.out


@pytest.mark.parametrize(
    ("lines", "code", "words"),
    [
        (["2", "y", "q"], 130, "you left. Nothing is lost"),
        ([], 130, "the input has ended. Nothing is lost"),
        (["nonsense"] * 30, 2, "Lines of the input that were no choice: 20"),
    ],
    ids=["left", "ended", "nonsense"],
)
def test_it_is_left_without_loss_and_keeps_nothing(
    learned: Callable[..., Done], home: Home, lines: list[str], code: int, words: str
) -> None:
    done = learned(*lines)
    assert done.code == code
    assert words in done.err
    assert not home.path.exists()


@pytest.mark.parametrize(("words", "variable"), [(["--plain"], ""), ([], "1")])
def test_the_command_for_another_lesson_keeps_plain_lines(
    words: list[str], variable: str, hoity: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOITY_PLAIN", variable)
    monkeypatch.setattr("cli.ui.lines.line_window.read_stdin", lambda: b"")
    assert "again with: hoity learn --plain" in hoity.told(130, "learn", *words)


# Before the first game.


def test_it_is_played_in_the_language_chosen(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[list[str]] = []

    class Process:
        """Is interrupted once, and ends."""

        def __init__(self, command: list[str], env: dict[str, str]) -> None:
            commands.append(command)
            assert env[learn.BEFORE]  # the game follows: no command for one is shown
            self.waits = iter([KeyboardInterrupt, None])

        def wait(self) -> None:
            if (error := next(self.waits)) is not None:
                raise error

    monkeypatch.setattr("subprocess.Popen", Process)
    translation.speak("de")
    learn.before_the_game(plain=True)
    assert commands[0][3:] == ["cli", "learn", "--lang", "de", "--plain"]
