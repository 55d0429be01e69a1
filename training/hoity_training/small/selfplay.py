"""Self-play on the tree, and the lessons it gives: what `rollout.py` is at real tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import torch

from ..acting import drawn
from ..critic import Critic
from ..harvest import Lessons, harvest
from ..policy import Policy
from ..rollout import Moment
from ..rows import Numbers, asked
from ..sim import Floats, Ints
from ..tables import Kind
from .deals import SEATS, edition
from .forest import NOBODY, Forest


@dataclass
class Games:
    """Games played side by side to the end; the moments of them as `harvest` takes them."""

    forest: Forest
    kind: Kind = field(default_factory=lambda: Kind(edition(), SEATS, "surprise", 1.0))
    moments: list[Moment] = field(default_factory=list)

    def lessons(
        self, policy: Policy, critic: Critic, games: int, trace: float, rng: np.random.Generator
    ) -> list[Lessons]:
        """What so many new games teach."""
        logs, expected = mixtures(self.forest, policy), judged(self.forest, critic)
        self.moments = list(self._played(logs, expected, games, rng))
        return harvest([self], [np.zeros((games, SEATS), np.float32)], trace)

    def _played(
        self, logs: Numbers, expected: Numbers, games: int, rng: np.random.Generator
    ) -> Iterator[Moment]:
        trees, at, going = self.forest, rng.choice(self.forest.roots, games), np.arange(games)
        while len(going):
            nodes = at[going]
            infos = trees.infos[nodes]
            picked = drawn(logs[infos], trees.rows.count[infos], rng)
            at[going] = trees.below[nodes, picked]
            over = trees.seats[at[going]] == NOBODY
            yield Moment(
                trees.rows.take(infos),
                picked,
                logs[infos, picked],
                going,
                trees.seats[nodes],
                going,
                _insight(nodes),
                expected[nodes],
                Ended(going[over], shares_of(trees, at[going[over]])),
            )
            going = going[~over]


@dataclass(frozen=True)
class Ended:
    """Which games ended, and the shares of victory (E, SEATS)."""

    games: Ints
    shares: Floats


def shares_of(trees: Forest, nodes: Ints) -> Floats:
    """By seat."""
    return np.stack((trees.shares[nodes], 1 - trees.shares[nodes]), axis=1)


@torch.no_grad()
def mixtures(trees: Forest, policy: Policy) -> Numbers:
    """By information (I, width) the log chance of each choice."""
    logs: Numbers = policy(asked([trees.rows])).numpy()
    return logs


@torch.no_grad()
def judged(trees: Forest, critic: Critic) -> Numbers:
    """By node (N, SEATS) the shares to expect."""
    every = _insight(np.arange(len(trees.seats)))
    expected: Numbers = critic(*map(torch.from_numpy, every)).exp().numpy()
    return expected


def _insight(nodes: Ints) -> tuple[Numbers, Numbers]:
    """What the critic is told: nothing of seats, of the table the number of the node."""
    return np.zeros((len(nodes), SEATS, 0), np.float32), nodes[:, None].astype(np.float32)
