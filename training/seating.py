"""Who plays for each seat: the learner, an older copy of it, or chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from .sim import Ints

LEARNER = 0
"""Higher numbers are the copies that are at the tables."""
CHANCE = -1
"""Any candidate, all alike."""


class Seating(Protocol):
    """How the seats of new games are given out."""

    def __call__(self, games: int, seats: int, rng: np.random.Generator) -> Ints:
        """(games, seats) who plays each seat."""


@dataclass(frozen=True)
class League:
    """Self-play; in a share of the games some seats are played by one of the copies, in a smaller
    share by chance."""

    copies: int
    of_copies: float = 0.2
    of_chance: float = 0.04

    def __call__(self, games: int, seats: int, rng: np.random.Generator) -> Ints:
        """At every table sits at least one learner, and in a game of the league one other."""
        drawn = rng.random(games)
        rival = rng.integers(1, self.copies + 1, games) if self.copies else np.zeros(games, int)
        rival = np.where(drawn < self.of_copies, rival, LEARNER)
        rival = np.where(drawn > 1 - self.of_chance, CHANCE, rival)
        others = rng.random((games, seats)) < 0.5
        first = rng.integers(0, seats, games)
        every = np.arange(games)
        others[every, (first + rng.integers(1, seats, games)) % seats] = True
        others[every, first] = False
        return np.where(others, rival[:, None], LEARNER).astype(np.int64)


@dataclass(frozen=True)
class Alone:
    """One learner at each table, at any seat, all others are `rival`."""

    rival: int

    def __call__(self, games: int, seats: int, rng: np.random.Generator) -> Ints:
        """Exactly one learner at every table."""
        found = np.full((games, seats), self.rival, np.int64)
        found[np.arange(games), rng.integers(0, seats, games)] = LEARNER
        return found
