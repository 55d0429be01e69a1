"""The lesson on a screen: its explanations, read, chosen, left, and told in lines."""

import asyncio
import random
import re
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
import trio
from support.at_screen import AtScreen, play_beside, screen_window
from textual.pilot import Pilot

from cli.local.lesson_screen import EXPLANATIONS, FAREWELL, hear_talk, teach
from cli.ui.full_screen.full_window import FullWindow
from cli.ui.full_screen.info_pages import Choices
from cli.ui.full_screen.styled_lines import cells
from cli.ui.screen_options import ScreenOptions
from cli.words import translation
from p2p_hoity.lesson_script import Topic


def test_every_explanation_is_short() -> None:
    """It has four lines of eighty columns at most, and one to three sentences."""
    assert set(EXPLANATIONS) == set(Topic)
    for language in translation.LANGUAGES:
        translation.speak(language)
        for words in (*EXPLANATIONS.values(), FAREWELL):
            shown = translation._(words)
            assert len(shown) < 4 * 74
            assert 1 <= len(re.findall(r"[.!?](?= |$)", shown)) <= 3


pytestmark = pytest.mark.usefixtures("screen")
WELCOME = EXPLANATIONS[Topic.WELCOME]
Script = Callable[["Pupil"], Awaitable[None]]


class Pupil(AtScreen):
    """A person at the lesson's screen; `read` is what was explained, in its order."""

    def __init__(self, pilot: Pilot[None], window: FullWindow, done: asyncio.Future[Any]) -> None:
        super().__init__(pilot, window, done)
        self.read: list[str] = []

    @property
    def is_explained(self) -> bool:
        """Whether an explanation stands there."""
        return bool(self.app.desk.lesson) and not self.app.stage.is_revealing

    @property
    def is_asked(self) -> bool:
        """Whether a choice is asked."""
        return self.app.desk.menu is not None and self.app.is_asking

    def has_something(self) -> bool:
        """Whether there is something to read, to answer or to hurry, or nothing any more."""
        shown = self.is_explained or self.is_asked or self.app.stage.is_revealing
        return self.done.done() or shown

    async def go_on(self) -> bool:
        """Read what is explained until a choice is asked; whether there is one before the end."""
        while True:
            await self.until(self.has_something)
            if self.app.stage.is_revealing:
                await self.press("x")
                continue
            if self.done.done() or not self.is_explained:
                return not self.done.done()
            words = self.app.desk.lesson or ""
            await self.pilot.pause()
            shown = " ".join(self.text.split())
            assert " ".join(words.split()) in shown
            assert self.app.desk.menu is None
            self.read.append(words)
            await self.press("enter")


def attend(script: Script, staged: bool = False) -> Pupil:
    """Let a person go through the lesson by a script."""
    left: list[str] = []
    scope = trio.CancelScope()

    def leave(reason: str) -> None:
        left.append(reason)
        scope.cancel()

    async def main() -> None:
        with scope:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(hear_talk, window.seat, "Iris")
                await teach(window.seat, "Iris")
                nursery.cancel_scope.cancel()

    async def play() -> Pupil:
        async with window.app.run_test(size=(80, 24)) as pilot:
            pupil = Pupil(pilot, window, asyncio.get_running_loop().create_future())
            pupil.left = left
            await play_beside(pupil, main, script, lambda: window._do(scope.cancel))
        return pupil

    window = screen_window(ScreenOptions(leave))
    window.app.stage.staged = staged
    return asyncio.run(play())


def by_keys(rng: random.Random) -> Script:
    """Any choices, by the keyboard."""

    async def play(at: Pupil) -> None:
        while await at.go_on():
            menu = at.app.desk.menu
            assert menu is not None
            if menu.kind == "theft":
                await at.press("space")
            else:
                await at.press(str(rng.randint(1, max(1, len(menu.entries)))))
            await at.press("enter")
            await at.until(lambda now=menu: at.app.desk.menu is not now)

    return play


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(3))
def test_all_is_read_once_by_keys_alone(seed: int) -> None:
    pupil = attend(by_keys(random.Random(seed)), staged=seed == 0)
    assert pupil.read[0] == WELCOME
    assert pupil.read[-1] == FAREWELL
    assert len(set(pupil.read)) == len(pupil.read)
    always = (Topic.OCTAGON, Topic.REGISTER, Topic.PRISON)
    assert {EXPLANATIONS[topic] for topic in always} <= set(pupil.read)
    assert not pupil.left


def test_an_explanation_has_room_and_no_table_is_named() -> None:
    async def look(at: Pupil) -> None:
        await at.until(lambda: at.is_explained)
        await at.pilot.pause()
        lines = at.app._board.lines
        assert len(lines) == 24
        assert {cells(line.plain) for line in lines} == {80}
        assert "Enter goes on" in at.text
        assert await at.go_on()
        for word in ("linked", "proofs", "waiting"):
            assert word not in at.text

    attend(look)


def test_the_menu_leaves_at_once_and_offers_nothing_that_a_lesson_lacks() -> None:
    async def leave(at: Pupil) -> None:
        await at.go_on()
        await at.press("t", "h", "i", "enter")
        await at.until(lambda: at.app.stage.talk)
        assert at.app.stage.scene.talk[0].words == "hi"
        await at.press("escape")
        shown = at.app.screen
        assert isinstance(shown, Choices)
        options = [str(option.prompt) for option in shown.query_one("OptionList").options]  # type: ignore[attr-defined]
        assert options[:2] == ["1 stay at the table", "2 leave the lesson"]
        assert not any("bot" in words or "mute" in words for words in options)
        await at.press("down", "enter")
        await at.until(at.done.done)

    assert attend(leave).left == ["you left"]


def test_the_menu_leaves_an_explanation_too_and_no_other_key_but_enter_goes_on() -> None:
    async def leave(at: Pupil) -> None:
        await at.until(lambda: at.is_explained)
        await at.press("1", "down", "a", "y", "w")
        if isinstance(at.app.screen, Choices):
            await at.press("escape")
        assert at.app.desk.lesson == WELCOME
        await at.press("q", "enter")
        assert at.is_explained
        assert at.app.desk.lesson == WELCOME
        await at.press("ctrl+c", "down", "enter")
        await at.until(at.done.done)

    assert attend(leave).left == ["you left"]


def test_when_the_screen_fails_a_lesson_goes_on_in_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    typed = iter([b"2\n", b"\n", b"q\n"])
    monkeypatch.setattr("cli.ui.lines.line_window.read_stdin", lambda: next(typed, b""))
    said: list[str] = []
    monkeypatch.setattr("cli.printing.say", lambda *lines: said.extend(lines))

    async def fail(at: Pupil) -> None:
        await at.go_on()
        at.window._do(at.window._failed.set)  # type: ignore[union-attr]
        await at.until(at.done.done)

    assert attend(fail).left == ["you left"]
    assert any("LESSON In the Auction Hall" in line for line in said)
