"""Collections in numbers, for many rows at once: by letter, largest runs, what one more piece adds.

For one row: `p2p_hoity.bots.learned.observation`.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from hoity_training.sim import Ints, Pieces
from hoity_training.sim.pieces import top
from p2p_hoity.bots.learned.observation import SPANS
from p2p_hoity.rules import LETTERS

Small = NDArray[np.int16]
"""Counts; arrays of them have one plane for each letter on their first axis."""
_LETTERS: Final = len(LETTERS)
_LOWS, _HIGHS = (np.array(ends) for ends in zip(*SPANS, strict=True))
_KEY = 64


def counts_of(pieces: Pieces, masks: Ints) -> Small:
    """(6, n) pieces by letter."""
    found = np.empty((_LETTERS, *masks.shape), np.int16)
    for letter, of_letter in enumerate(pieces.of_letter):
        found[letter] = np.bitwise_count(masks & of_letter)
    return found


def size_of(counts: Small) -> Small:
    """(n,) pieces in the largest run."""
    best, size = np.zeros(counts.shape[1:], np.int16), np.zeros(counts.shape[1:], np.int16)
    for count in counts:
        size += count
        size *= count > 0
        np.maximum(best, size, out=best)
    return best


def loss_of(counts: Small, letters: Ints) -> Small:
    """(n,) by how much one piece less of that letter makes the largest run smaller."""
    less = counts.copy()
    less[letters, np.arange(len(letters))] -= 1
    lost: Small = size_of(counts) - size_of(less)
    return lost


def may_have(counts: Small, hidden: Small) -> Small:
    """(n,) pieces in the largest run there can be with so many more pieces of any letters."""
    sums = np.zeros((_LETTERS + 1, *hidden.shape), np.int16)
    gaps = np.zeros_like(sums)
    np.cumsum(counts, axis=0, out=sums[1:])
    np.cumsum(counts == 0, axis=0, out=gaps[1:])
    fits = gaps[_HIGHS + 1] - gaps[_LOWS] <= hidden
    found: Small = ((sums[_HIGHS + 1] - sums[_LOWS] + hidden) * fits).max(axis=0)
    return found


class Holdings:
    """n collections: `masks` of the known pieces and how many more are `hidden` (n,).

    By letter (6, n): `counts`, `oldest` (the bit of the oldest piece plus 1, 0 if there is none)
    and `gains` (by how much one more piece makes the run larger). Of the run (n,): `size`, `low`,
    `high` (-1 if there is none), `top` (its oldest bit plus 1) and `run`, its pieces. `second` is
    the size of the next largest whole run, `may_have` of the largest there can be.
    """

    FIELDS = (
        *("masks", "hidden", "counts", "oldest", "gains", "size", "low", "high", "top"),
        *("run", "second", "may_have"),
    )

    def __init__(self, pieces: Pieces, masks: Ints, hidden: Small) -> None:
        self.pieces, self.masks, self.hidden = pieces, masks, hidden
        self.counts = counts_of(pieces, masks)
        self.oldest = self._find_oldest()
        self._find_run()
        self.run = self._pieces_of_run()
        self.gains = self._find_gains()
        self.may_have = may_have(self.counts, hidden)

    def update(self, masks: Ints, hidden: Small) -> None:
        """Other pieces: what they make is reckoned anew where they changed."""
        changed = np.flatnonzero((masks != self.masks) | (hidden != self.hidden))
        if not len(changed):
            return
        part = Holdings(self.pieces, masks[changed], hidden[changed])
        for name in self.FIELDS:
            getattr(self, name)[..., changed] = getattr(part, name)

    def _find_oldest(self) -> Small:
        found = np.empty(self.counts.shape, np.int16)
        for letter, of_letter in enumerate(self.pieces.of_letter):
            found[letter] = np.maximum(top(self.masks & of_letter), -1) + 1
        return found

    def _find_run(self) -> None:
        shape = self.masks.shape
        size, eldest, begun, best = (np.zeros(shape, np.int16) for _ in range(4))
        first, self.second = np.zeros(shape, np.int16), np.zeros(shape, np.int16)
        self.low, self.high = np.zeros(shape, np.int16), np.full(shape, -1, np.int16)
        for letter in range(_LETTERS):
            count = self.counts[letter]
            has = count > 0
            self._end_run(first, size * ~has)
            begun[size == 0] = letter
            size = (size + count) * has
            eldest = np.maximum(eldest, self.oldest[letter]) * has
            key = size * np.int16(_KEY) + eldest
            better = key > best
            best = np.maximum(best, key)
            self.low = np.where(better, begun, self.low)
            self.high[better] = letter
        self._end_run(first, size)
        self.size, self.top = best // _KEY, best % _KEY

    def _end_run(self, first: Small, ended: Small) -> None:
        np.maximum(self.second, np.minimum(first, ended), out=self.second)
        np.maximum(first, ended, out=first)

    def _pieces_of_run(self) -> Ints:
        spans = np.zeros((_LETTERS, _LETTERS + 1), np.int64)
        for low, high in SPANS:
            spans[low, high] = self.pieces.of_letter[low : high + 1].sum()
        found: Ints = self.masks & spans[self.low, self.high]
        return found

    def _find_gains(self) -> Small:
        before, after = np.zeros(self.counts.shape, np.int16), np.zeros(self.counts.shape, np.int16)
        for letter in range(1, _LETTERS):
            count = self.counts[letter - 1]
            before[letter] = (before[letter - 1] + count) * (count > 0)
            count = self.counts[-letter]
            after[-letter - 1] = (after[-letter] + count) * (count > 0)
        joined: Small = before + after + self.counts + 1 - self.size
        return np.maximum(joined, 0)
