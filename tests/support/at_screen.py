"""A person at the full screen's application: what stands there, keys, and waiting for something."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import wraps
from inspect import Signature, signature
from typing import Any

import trio
from textual.pilot import Pilot

from cli.table_view.question_menu import Menu
from cli.ui.full_screen.full_window import FullWindow
from cli.ui.full_screen.styled_lines import cells
from cli.ui.full_screen.textual_app import TableApp
from cli.ui.person_seat import PersonSeat
from cli.ui.screen_options import ScreenOptions
from support.limits import LIMIT
from support.running import running
from support.screened import Company


async def idle(min_sleep: float = 0.0, max_sleep: float = 1.0) -> None:
    """Wait until the application has nothing left to do but to wait.

    This replaces `wait_for_idle` of Textual, which compares the time of the processor with that of
    the clock, and takes 20 ms at least.
    """
    loop: Any = asyncio.get_running_loop()
    for _round in range(3):
        await asyncio.sleep(0.001)
        while loop._ready:
            await asyncio.sleep(0)


def screen_window(how: ScreenOptions) -> FullWindow:
    """Return the full screen of a seat."""
    window = PersonSeat(how, FullWindow).window
    assert isinstance(window, FullWindow)
    return window


class AtScreen:
    """The person; `left` is why the seat was left, `done` what came of all."""

    def __init__(self, pilot: Pilot[None], window: FullWindow, done: asyncio.Future[Any]) -> None:
        self.pilot, self.window, self.done = pilot, window, done
        self.seat = window.seat
        self.left: list[str] = []

    @property
    def app(self) -> TableApp:
        """The application."""
        return self.window.app

    @property
    def text(self) -> str:
        """What is on the screen."""
        return "\n".join(line.plain for line in self.app._board.lines)

    async def until(self, holds: Callable[[], object]) -> None:
        """Wait for something."""
        last = time.monotonic() + LIMIT
        while time.monotonic() < last:
            if self.app.failure is not None:
                raise self.app.failure
            if holds():
                return
            await asyncio.sleep(0.002)
        raise AssertionError("it never happened\n" + self.text)

    async def resize(self, width: int, height: int) -> None:
        """Resize the terminal, and wait until the screen is drawn for it."""
        await self.pilot.resize_terminal(width, height)
        await self.until(lambda: len(self.app._board.lines) == height)
        await self.pilot.pause()

    async def press(self, *keys: str) -> None:
        """Type keys."""
        await self.pilot.press(*keys)
        await self.pilot.pause()


Script = Callable[["Sitting"], Awaitable[None]]


class Sitting(AtScreen):
    """A person at the application, with a company behind it."""

    def __init__(self, pilot: Pilot[None], window: FullWindow, company: Company, done: Any) -> None:
        super().__init__(pilot, window, done)
        self.company = company
        self.wishes: list[object] = []

    async def strike(self, *keys: str) -> None:
        """Type keys fast, as the terminal's driver hands them over."""
        for key in keys:
            self.app.simulate_key(key)
        await asyncio.sleep(0)

    async def click(self, words: str) -> None:
        """Click on words of the screen, the last time they stand there."""
        for y, line in reversed(list(enumerate(self.app._board.lines))):
            at = line.plain.rfind(words)
            if at >= 0:
                await self.pilot.click("Board", offset=(cells(line.plain[:at]), y))
                await self.pilot.pause()
                return
        raise AssertionError(f"{words!r} is not on the screen\n{self.text}")

    async def asked(self) -> bool:
        """Wait for a question; whether there is one before the game is over."""
        await self.until(lambda: self.done.done() or (self.app.desk.menu and self.app.is_asking))
        return not self.done.done()


def menu_of(at: Sitting) -> Menu:
    """Return the menu of what is asked."""
    assert at.app.desk.menu is not None
    return at.app.desk.menu


def sit(
    script: Script, company: Company, size: tuple[int, int] = (80, 24), staged: bool = False
) -> Sitting:
    """Let a person play by a script."""
    left: list[str] = []
    window = screen_window(ScreenOptions(left.append))
    seat, window.app.stage.staged = window.seat, staged

    async def play() -> Sitting:
        async with window.app.run_test(size=size) as pilot:
            sitting = Sitting(pilot, window, company, asyncio.get_running_loop().create_future())
            sitting.left = left

            async def hear_wishes() -> None:
                while True:
                    sitting.wishes.append(await seat.next_request())

            async def main() -> str:
                async with running(hear_wishes):
                    return await company.play(seat, seat.tell)

            await play_beside(sitting, main, script, company.stop)
        return sitting

    return asyncio.run(play())


async def play_beside(
    at: Any,
    main: Callable[[], Awaitable[Any]],
    script: Callable[[Any], Awaitable[None]],
    stop: Callable[[], object],
) -> None:
    """Run trio beside the application while a person plays by a script, then stop it.

    Args:
        at: The person.
        main: What trio runs.
        script: What the person does.
        stop: Ends what trio runs.
    """
    trio.lowlevel.start_guest_run(
        at.window.guest,
        main,
        run_sync_soon_threadsafe=asyncio.get_running_loop().call_soon_threadsafe,
        done_callback=at.done.set_result,
    )
    try:
        await script(at)
    finally:
        stop()
        await asyncio.wait_for(at.done, 20)
    at.done.result().unwrap()


def seated(
    company: Callable[[], Company] = lambda: Company(3), asked: bool = True, **given: Any
) -> Callable[[Callable[..., Awaitable[None]]], Callable[..., None]]:
    """Let a test play by itself as a person at the application, from the first question on.

    Args:
        company: Makes those behind the application.
        asked: Whether the first question is awaited.
        given: More of what `sit` takes.
    """

    def decorate(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
        @wraps(test)
        def run(**fixtures: Any) -> None:
            async def script(at: Sitting) -> None:
                if asked:
                    await at.asked()
                await test(at, **fixtures)

            sit(script, company(), **given)

        _person, *others = signature(test).parameters.values()
        run.__signature__ = Signature(others)  # type: ignore[attr-defined]
        del run.__wrapped__  # type: ignore[attr-defined]
        return run

    return decorate
