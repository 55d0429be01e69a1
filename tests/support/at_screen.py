"""A person at the full screen's application: what stands there, keys, and waiting for something."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from textual.pilot import Pilot

from cli.ui.full_screen.app import TableApp
from cli.ui.full_screen.full_seat import FullSeat


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


class AtScreen:
    """The person; `left` is why the seat was left."""

    def __init__(self, pilot: Pilot[None], seat: FullSeat) -> None:
        self.pilot, self.seat = pilot, seat
        self.left: list[str] = []

    @property
    def app(self) -> TableApp:
        """The application."""
        return self.seat.app

    @property
    def text(self) -> str:
        """What is on the screen."""
        return "\n".join(line.plain for line in self.app.board_lines)

    async def until(self, holds: Callable[[], object]) -> None:
        """Wait for something."""
        for _turn in range(4000):
            if self.app.failure is not None:
                raise self.app.failure
            if holds():
                return
            await asyncio.sleep(0.002)
        raise AssertionError("it never happened\n" + self.text)

    async def resize(self, width: int, height: int) -> None:
        """Resize the terminal, and wait until the screen is drawn for it."""
        await self.pilot.resize_terminal(width, height)
        await self.until(lambda: len(self.app.board_lines) == height)
        await self.pilot.pause()

    async def press(self, *keys: str) -> None:
        """Type keys."""
        await self.pilot.press(*keys)
        await self.pilot.pause()
