"""Nurseries that raise a single failure as itself, and a clock that stops in standby."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final, NoReturn, TypeVar

import trio

from protocol.bounds import Seconds

T = TypeVar("T")


@asynccontextmanager
async def open_nursery() -> AsyncIterator[trio.Nursery]:
    """Open a nursery that raises no exception groups.

    Yields:
        The nursery.

    Raises:
        BaseException: What a task or the block has raised. Of several errors at once it is the
            first one that is no cancellation.
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
    """Await something while a task runs. A failure of either ends both.

    Args:
        task: The task. It is cancelled when `act` is done.
        act: What is awaited.

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
"""Seconds between two readings of the clock that are counted as awake at most.

A driver reads it several times a second.
"""


@dataclass
class AwakeClock:
    """A clock that leaves out the time in which nobody read it.

    The sleep of a computer, a stopped process or a long computation would otherwise use up the
    timeouts for the other seats, whose messages may have arrived and not been read.

    Attributes:
        last: The monotonic time of the last reading. None before the first one.
        slept: The seconds that were left out.
    """

    last: float | None = None
    slept: float = 0.0

    def time(self, clock: float) -> float:
        """Return the seconds awake. They never decrease.

        Args:
            clock: The time of a monotonic clock, in seconds.

        Returns:
            That time, less the seconds that were left out.
        """
        if self.last is not None:
            self.slept += max(0.0, clock - self.last - GAP)
        self.last = clock
        return clock - self.slept

    def now(self) -> float:
        """Return the seconds awake, by Trio's clock.

        Returns:
            The seconds.
        """
        return self.time(trio.current_time())
