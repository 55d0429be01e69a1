"""Nurseries that raise a single failure as itself, and a clock that stops in standby."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final, NoReturn

import trio

from protocol.bounds import Seconds


@asynccontextmanager
async def open_nursery() -> AsyncIterator[trio.Nursery]:
    """A nursery; of several failures at once the first that is no cancellation comes out."""
    first: BaseException | None = None
    try:
        async with trio.open_nursery() as nursery:
            yield nursery
    except BaseExceptionGroup as group:
        first = group.split(trio.Cancelled)[1]
        if first is None:
            raise
        while isinstance(first, BaseExceptionGroup):
            first = first.exceptions[0]
    if first is not None:
        raise first


async def never() -> NoReturn:
    """What never comes."""
    await trio.sleep_forever()


GAP: Final[Seconds] = 2.0
"""Seconds between two looks at the clock that are counted; a driver looks some times a second."""


@dataclass
class AwakeClock:
    """A clock that leaves out the time in which nobody looked at it.

    A computer's sleep, a stopped process or a long computation of one's own would else use up the
    patience for the others, whose words may lie unread.
    """

    last: float | None = None
    slept: float = 0.0

    def time(self, clock: float) -> float:
        """Seconds awake, by what a monotonic clock says now; never less than before."""
        if self.last is not None:
            self.slept += max(0.0, clock - self.last - GAP)
        self.last = clock
        return clock - self.slept

    def now(self) -> float:
        """Return the seconds awake at this moment of Trio's clock."""
        return self.time(trio.current_time())
