"""A clock that leaves out the sleep of the computer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import trio

from protocol.units import Seconds

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
        """Return the time of a monotonic clock, less the sleep, in seconds. It never decreases.

        If more than GAP seconds pass between two calls, the excess counts as sleep.
        """
        if self.last is not None:
            self.slept += max(0.0, clock - self.last - GAP)
        self.last = clock
        return clock - self.slept

    def now(self) -> float:
        """Return Trio's time, less the sleep. Only differences of such times have a meaning."""
        return self.time(trio.current_time())
