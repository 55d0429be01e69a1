"""Collectibles as bits: the oldest piece has the highest bit, so that exhibits compare as numbers.

A collection is an int64 with bit `total - 1 - seniority` for each of its Collectibles.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from p2p_hoity.rules import LETTERS, Edition
from p2p_hoity.rules.exhibits import MIN_EXHIBIT

from .kinds import Bools, Ints

_CHUNK = 12
"""Bits of two whole years where every letter has every year."""
_MOST_DISTINCT, _MOST_YEARS = 56, 10
ONE = np.int64(1)


def size(masks: Ints) -> Ints:
    """How many bits are set."""
    found: Ints = np.bitwise_count(masks).astype(np.int64)
    return found


def top(masks: Ints) -> Ints:
    """The highest bit set, as a number; meaningless (negative) where there is none.

    Without the bit below it the conversion to a float cannot round up to the next power of two.
    """
    alone = masks & ~(masks >> 1)
    return (alone.astype(np.float64).view(np.int64) >> 52) - 1023


def top_bit(masks: Ints) -> Ints:
    """The highest bit set, as a mask; 0 where there is none."""
    return (ONE << np.maximum(top(masks), 0)) & masks


@dataclass(frozen=True)
class Span:
    """Letters `first` to `last` (0 is A) as a mask of letters and as a mask of pieces."""

    first: int
    last: int
    letters: int
    pieces: int


class Pieces:
    """The Collectibles of one edition as bits.

    By bit: `letter` (0 is A) and `card` (index in `Edition.collectibles`); `bit` is the bit of each
    card; `of_letter` the mask of each letter; `spans` the 21 spans by first, then last letter.
    """

    def __init__(self, edition: Edition) -> None:
        """ValueError unless all years differ, or every letter has each of at most ten years."""
        self.total = len(edition.collectibles)
        self.bit: Ints = self.total - 1 - np.array(edition.seniority, np.int64)
        self.card: Ints = np.argsort(self.bit).astype(np.int64)
        letters = [LETTERS.index(c.letter) for c in edition.collectibles]
        self.letter: Ints = np.array(letters, np.int64)[self.card]
        self.of_letter: Ints = np.array(
            [int((ONE << np.flatnonzero(self.letter == i)).sum()) for i in range(len(LETTERS))]
        )
        years = {c.year for c in edition.collectibles}
        self.distinct = len(years) == self.total <= _MOST_DISTINCT
        grid = self.total == len(years) * len(LETTERS) and len(years) <= _MOST_YEARS
        if not (self.distinct or grid):
            raise ValueError(f"the years of {edition.name!r} cannot be compared as one number")

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        """Every span of letters."""
        ends = [(i, j) for i in range(len(LETTERS)) for j in range(i, len(LETTERS))]
        return tuple(
            Span(i, j, sum(1 << k for k in range(i, j + 1)), int(self.of_letter[i : j + 1].sum()))
            for i, j in ends
        )

    @cached_property
    def span_letters(self) -> Ints:
        """(21,) the letters of each span as a mask of six."""
        return np.array([span.letters for span in self.spans], np.int64)

    @cached_property
    def span_pieces(self) -> Ints:
        """(21,) the pieces of each span."""
        return np.array([span.pieces for span in self.spans], np.int64)

    @cached_property
    def span_length(self) -> Ints:
        """(21,) how many letters each span has."""
        return size(self.span_letters)

    def counts(self, masks: Ints) -> Ints:
        """How many pieces of each letter, on a new last axis of six."""
        return size(masks[..., None] & self.of_letter)

    def letters(self, masks: Ints) -> Ints:
        """The letters that occur, as a mask of six."""
        found = np.zeros(masks.shape, np.int64)
        for i, pieces in enumerate(self.of_letter):
            found |= ((masks & pieces) != 0).astype(np.int64) << i
        return found

    def holds_exhibit(self, masks: Ints) -> Bools:
        """Whether some valid exhibit is among the pieces."""
        run = np.zeros(masks.shape, np.int64)
        found = np.zeros(masks.shape, np.bool_)
        for pieces in self.of_letter:
            count = size(masks & pieces)
            run = (run + count) * (count != 0)
            found |= run >= MIN_EXHIBIT
        return found

    def is_exhibit(self, masks: Ints) -> Bools:
        """Whether all the pieces together are a valid exhibit."""
        letters = self.letters(masks)
        lowest = letters & -letters
        broken: Bools = ((letters + lowest) & letters) != 0
        return ~broken & (size(masks) >= MIN_EXHIBIT)

    def best_exhibit(self, masks: Ints) -> Ints:
        """The best valid exhibit among the pieces; 0 if there is none."""
        run, best = np.zeros(masks.shape, np.int64), np.zeros(masks.shape, np.int64)
        strongest = np.zeros(masks.shape, np.int64)
        for pieces in self.of_letter:
            part = masks & pieces
            run = (run | part) * (part != 0)
            strength = self.strength(run) * (np.bitwise_count(run) >= MIN_EXHIBIT)
            better = strength > strongest
            best[better], strongest[better] = run[better], strength[better]
        return best

    def strength(self, masks: Ints) -> Ints:
        """A number, the greater the better the exhibit; for exhibits that share no piece."""
        if self.distinct:
            return (size(masks) << self.total) | masks
        lowest_letter = len(LETTERS) - 1 - self.letter[top(masks).clip(0)]
        found: Ints = (size(masks) << 33) | (self._by_year(masks) << 3) | lowest_letter
        return found

    def _by_year(self, masks: Ints) -> Ints:
        """How many pieces of each year, three bits for each, the oldest year highest."""
        aligned = masks << (-self.total % _CHUNK)
        found = np.zeros(masks.shape, np.int64)
        for low in range(self.total - self.total % -_CHUNK - _CHUNK, -1, -_CHUNK):
            found = (found << 6) | _TWO_YEARS[(aligned >> low) & (2**_CHUNK - 1)]
        return found


_TWO_YEARS: Ints = np.array(
    [((c >> 6).bit_count() << 3) | (c & 63).bit_count() for c in range(2**_CHUNK)], np.int64
)
