"""How much others may take of this node: so much at once, and so much a second after that."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

from protocol.bounds import Quota

MOST_KEPT: Final[Quota] = 1024


class Allowance:
    """A bucket, of frames or of anything else, that fills again with time."""

    def __init__(self, most: float, rate: float, now: float) -> None:
        self._most, self._rate = most, rate
        self._left, self._when = float(most), now

    def take(self, now: float, amount: float = 1.0) -> float:
        """Take so much out; for how many seconds the taker must wait."""
        self._left = self.left(now) - amount
        self._when = now
        return max(0.0, -self._left / self._rate)

    def left(self, now: float) -> float:
        """How much may be taken at once now; below zero what was taken in advance."""
        return min(self._most, self._left + (now - self._when) * self._rate)

    def is_full(self, now: float) -> bool:
        """Whether a fresh one would be the same."""
        return self.left(now) >= self._most


class Allowances:
    """One allowance for each sender; it outlives the link, so that a new link gains nothing."""

    def __init__(self, most: float, rate: float) -> None:
        self._most, self._rate = most, rate
        self._of: dict[Hashable, Allowance] = {}

    def take(self, sender: Hashable, now: float, amount: float = 1.0) -> float:
        """Take so much for this sender; for how many seconds it must wait."""
        return self._allowance(sender, now).take(now, amount)

    def take_if_any(self, sender: Hashable, now: float) -> bool:
        """Take one, if there is one now; whether there was. Asking too often is not held against
        it: a sender may be many people behind one address."""
        allowance = self._allowance(sender, now)
        if allowance.left(now) < 1:
            return False
        allowance.take(now)
        return True

    def _allowance(self, sender: Hashable, now: float) -> Allowance:
        if sender not in self._of:
            self._forget_full(now)
            self._of[sender] = Allowance(self._most, self._rate, now)
        return self._of[sender]

    def _forget_full(self, now: float) -> None:
        if len(self._of) >= MOST_KEPT:
            self._of = {who: one for who, one in self._of.items() if not one.is_full(now)}
