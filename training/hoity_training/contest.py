"""Games on the simulator to see who wins: one policy against others, or against chance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch

from .acting import decide
from .observe import Eyes
from .policy import Policy
from .rows import rows_of
from .seating import LEARNER, Seating
from .sim import Floats, Table
from .tables import Kind

MOST_ROUNDS = 300
"""After so many a game is broken off, and nobody has won: ten times as long as most, and a few of
a policy against another find no end."""


@dataclass(frozen=True)
class Won:
    """The learner's share of victory in so many games, and half its 95 % interval."""

    share: float
    games: int
    within: float


def summed(shares: Floats) -> Won:
    """Of the share in each game."""
    spread = float(shares.std(ddof=1)) if len(shares) > 1 else 0.0
    return Won(float(shares.mean()), len(shares), 1.96 * spread / max(1, len(shares)) ** 0.5)


@torch.no_grad()
def contest(
    kind: Kind,
    games: int,
    policies: Mapping[int, Policy],
    seating: Seating,
    rng: np.random.Generator,
) -> Won:
    """So many games at this kind of table, each to its end; the share of the learners' seats.
    One that is broken off gives them none."""
    table = Table(kind.edition, kind.seats, kind.variant, games, rng.spawn(1)[0], replace=False)
    who, won = seating(games, kind.seats, rng), np.zeros(games)
    point, eyes = table.step(), Eyes(table.board)
    while point is not None and table.board.round.max() <= MOST_ROUNDS:
        rows = rows_of(eyes, point)
        (answer,) = decide(policies, [who[point.games, point.seats]], [rows], rng)
        point = table.choose(point.pick(answer.picked))
        if table.ended is not None:
            mine = who[table.ended.games] == LEARNER
            won[table.ended.games] = (table.ended.shares * mine).sum(axis=1)
    return summed(won)
