"""Who plays for each seat: the learner, an older copy of it, a likeness of a bot, or chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from .rows import Numbers
from .sim import Ints

LEARNER = 0
"""Higher numbers are the copies that are at the tables."""
CHANCE = -1
"""Any candidate, all alike."""
LIKENESS = -2
"""A likeness of a bot of plain Python."""


class Seating(Protocol):
    """How the seats of new games are given out."""

    def __call__(self, games: int, seats: int, rng: np.random.Generator) -> Ints:
        """(games, seats) who plays each seat."""


@dataclass(frozen=True)
class League:
    """Self-play; in a share of the games some seats are played by one of the `copies`, in others by
    a likeness or by chance."""

    copies: int
    of_copies: float = 0.2
    of_likeness: float = 0.0
    of_chance: float = 0.02

    def __call__(self, games: int, seats: int, rng: np.random.Generator) -> Ints:
        """At every table sits at least one learner, and in a game of the league one other."""
        shares = self.of_copies, self.of_likeness, self.of_chance
        copy = rng.integers(1, self.copies + 1, games) if self.copies else np.zeros(games, int)
        drawn = np.searchsorted(np.cumsum(shares), rng.random(games), "right")
        rival = np.choose(drawn, [copy, LIKENESS, CHANCE, LEARNER])
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
        return _joined_by_one(np.full((games, seats), self.rival, np.int64), rng)


@dataclass(frozen=True)
class Mixed:
    """No learner: each seat is played by one of so many `copies`, which numbers 1 and up are,
    whichever comes up for it and this game."""

    copies: int

    def __call__(self, games: int, seats: int, rng: np.random.Generator) -> Ints:
        """(games, seats) of 1 to `copies`."""
        return rng.integers(1, self.copies + 1, (games, seats))


@dataclass(frozen=True)
class Among:
    """One learner at each table, at any seat; all others are as `Mixed` has them."""

    copies: int

    def __call__(self, games: int, seats: int, rng: np.random.Generator) -> Ints:
        """Exactly one learner at every table."""
        return _joined_by_one(Mixed(self.copies)(games, seats, rng), rng)


def _joined_by_one(others: Ints, rng: np.random.Generator) -> Ints:
    """(games, seats) with a learner in place of one of them at each table."""
    games, seats = others.shape
    others[np.arange(games), rng.integers(0, seats, games)] = LEARNER
    return others


COMPANY = 3
"""How many numbers `company` says of a seat."""


def company(who: Ints) -> Numbers:
    """(..., COMPANY) whether each seat is played by a copy, by a likeness, by chance."""
    return np.stack([who > 0, who == LIKENESS, who == CHANCE], axis=-1).astype(np.float32)
