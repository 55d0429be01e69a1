"""Rows of decisions as arrays: what the policy is asked, and how rows are put together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray

from .observe import Eyes
from .sim import Ints, Point

Numbers = NDArray[np.float32]


@dataclass(frozen=True)
class Rows:
    """R decisions at tables of S seats.

    `own` (R, OWN) and `others` (R, S - 1, OTHER) as in `p2p_hoity.bots.learned.features`;
    `candidates` (K, CANDIDATE) of all rows one after the other, `count` (R,) of them each.
    """

    own: Numbers
    others: Numbers
    candidates: Numbers
    count: Ints

    def __len__(self) -> int:
        return len(self.count)

    @cached_property
    def first(self) -> Ints:
        """(R,) where the candidates of each row begin."""
        return np.cumsum(self.count) - self.count

    def flat(self, rows: Ints) -> Ints:
        """Where all candidates of these rows stand, row by row."""
        count = self.count[rows]
        begins = np.repeat(self.first[rows] - (np.cumsum(count) - count), count)
        found: Ints = begins + np.arange(len(begins))
        return found

    def take(self, rows: Ints) -> Rows:
        """These rows, in this order."""
        candidates = self.candidates[self.flat(rows)]
        return Rows(self.own[rows], self.others[rows], candidates, self.count[rows])


def rows_of(eyes: Eyes, point: Point) -> Rows:
    """What the deciding seats of a point see."""
    seen = eyes.see(point)
    return Rows(seen.own, seen.others, seen.candidates, point.count)


def joined(parts: Sequence[Rows]) -> Rows:
    """Rows of tables with equally many seats, one part after the other."""
    return Rows(
        np.concatenate([part.own for part in parts]),
        np.concatenate([part.others for part in parts]),
        np.concatenate([part.candidates for part in parts]),
        np.concatenate([part.count for part in parts]),
    )


@dataclass(frozen=True)
class Asked:
    """Rows of any tables as tensors: `others` by stretch of rows with equally many seats; `row` and
    `nth` (K,) say whose candidate each is and which of it; no row has more than `width`."""

    own: torch.Tensor
    others: tuple[torch.Tensor, ...]
    candidates: torch.Tensor
    row: torch.Tensor
    nth: torch.Tensor
    width: int

    def padded(self, values: torch.Tensor, empty: float) -> torch.Tensor:
        """(R, width) of one value for each candidate (K,)."""
        made = values.new_full((len(self.own), self.width), empty)
        return made.index_put((self.row, self.nth), values)


def asked(parts: Sequence[Rows]) -> Asked:
    """All these rows, part by part, as tensors."""
    count = np.concatenate([part.count for part in parts])
    row = np.repeat(np.arange(len(count)), count)
    nth = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
    return Asked(
        _tensor(part.own for part in parts),
        tuple(torch.from_numpy(part.others) for part in parts),
        _tensor(part.candidates for part in parts),
        torch.from_numpy(row),
        torch.from_numpy(nth),
        int(count.max(initial=1)),
    )


def _tensor(parts: Iterable[Numbers]) -> torch.Tensor:
    return torch.from_numpy(np.concatenate(list(parts)))
