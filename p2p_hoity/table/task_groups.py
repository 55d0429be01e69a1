"""Nurseries that raise one error, not an exception group, and a clock that stops during sleep."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final, NoReturn, TypeVar

import trio

from protocol.units import Seconds

T = TypeVar("T")


@asynccontextmanager
async def open_nursery() -> AsyncIterator[trio.Nursery]:
    """Open a trio nursery that raises a single error instead of an exception group.

    Raises:
        BaseException: The error of a task or of the block. If there are several, the first one that
            is not a cancellation.
    """
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


async def beside(task: Callable[[], Awaitable[object]], act: Awaitable[T]) -> T:
    """Await `act` while a task runs beside it. If either fails, the other one is cancelled.

    Args:
        task: The task. It is cancelled when `act` is done.
        act: The awaitable whose result is returned.

    Returns:
        The result of `act`.
    """
    async with open_nursery() as nursery:
        nursery.start_soon(task)
        found = await act
        nursery.cancel_scope.cancel()
    return found


async def never() -> NoReturn:
    """Wait until cancelled."""
    await trio.sleep_forever()


GAP: Final[Seconds] = 2.0
"""The most seconds between two readings of the clock that count as time awake.

While the program runs normally, the clock is read several times a second.
"""


@dataclass
class AwakeClock:
    """A clock that leaves out times in which nobody read it, such as the sleep of the computer.

    Without this, the sleep of the computer, a stopped process or a long computation would use up
    the timeouts of other seats. Their messages may have arrived without being read.

    Attributes:
        last: The monotonic time at which the clock was last read. None if it never was.
        slept: The seconds that were left out so far.
    """

    last: float | None = None
    slept: float = 0.0

    def time(self, clock: float) -> float:
        """Return the time of a clock, less the time for which the process slept, in seconds.

        The result never decreases from one call to the next.

        Args:
            clock: The time of a monotonic clock now, in seconds.

        Returns:
            The time. If more than GAP seconds pass between two calls, the excess counts as sleep.
        """
        if self.last is not None:
            self.slept += max(0.0, clock - self.last - GAP)
        self.last = clock
        return clock - self.slept

    def now(self) -> float:
        """Return Trio's time, less the time for which the process slept.

        Returns:
            The time, in seconds. Only differences between two such times have a meaning.
        """
        return self.time(trio.current_time())
