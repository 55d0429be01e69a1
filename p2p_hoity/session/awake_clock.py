"""A clock of the time a process was awake: while its computer slept, it waited for nobody."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from protocol.bounds import Seconds

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
