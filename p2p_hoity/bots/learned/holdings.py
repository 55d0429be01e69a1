"""What a seat holds, as far as one seat knows it: pieces by letter, their ages, their runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ...rules import LETTERS, Edition

Counts = Sequence[int]
"""Pieces by letter."""
SPANS = tuple((low, high) for low in range(len(LETTERS)) for high in range(low, len(LETTERS)))
"""Every stretch of letters, first and last."""


def letter_of(edition: Edition, card: int) -> int:
    """0 for A to 5 for F."""
    return ord(edition.collectibles[card].letter) - ord(LETTERS[0])


def whole_runs(counts: Counts) -> Iterator[tuple[int, int, int]]:
    """(size, first letter, last letter) of each stretch of letters that cannot be made longer."""
    size, low = 0, 0
    for letter, count in enumerate((*counts, 0)):
        if count:
            low = low if size else letter
            size += count
        elif size:
            yield size, low, letter - 1
            size = 0


def size_of(counts: Counts) -> int:
    """Pieces in the largest run."""
    best = size = 0
    for count in counts:
        size = size + count if count else 0
        best = size if size > best else best
    return best


def gain(counts: Counts, letter: int) -> int:
    """By how much one more piece of this letter makes the largest run larger."""
    more = list(counts)
    more[letter] += 1
    return size_of(more) - size_of(counts)


def loss(counts: Counts, letter: int) -> int:
    """By how much one less makes it smaller."""
    less = list(counts)
    less[letter] -= 1
    return size_of(counts) - size_of(less)


def may_have(counts: Counts, hidden: int) -> int:
    """Pieces in the largest run there can be with `hidden` more pieces of any letters."""
    spans = (counts[low : high + 1] for low, high in SPANS)
    return max((sum(span) + hidden for span in spans if span.count(0) <= hidden), default=0)


@dataclass(frozen=True)
class Holdings:
    """The known pieces of one seat, slot to Collectible, and how many more are hidden."""

    edition: Edition
    cards: Mapping[int, int]
    hidden: int

    @cached_property
    def slots(self) -> tuple[tuple[int, ...], ...]:
        """By letter the known slots, oldest first."""
        found: list[list[int]] = [[] for _ in LETTERS]
        for slot in sorted(self.cards, key=self.seniority):
            found[letter_of(self.edition, self.cards[slot])].append(slot)
        return tuple(map(tuple, found))

    @cached_property
    def counts(self) -> list[int]:
        """Known pieces by letter."""
        return [len(slots) for slots in self.slots]

    @cached_property
    def run(self) -> tuple[int, int, int]:
        """(size, first letter, last letter) of the run; (0, 0, -1) if nothing is known."""
        runs = whole_runs(self.counts)
        return max(
            runs, key=lambda run: (run[0], self.age(self.span(*run[1:]))), default=(0, 0, -1)
        )

    @property
    def size(self) -> int:
        """Pieces in the run."""
        return self.run[0]

    def span(self, low: int, high: int) -> tuple[int, ...]:
        """The known slots of these letters."""
        return tuple(slot for slots in self.slots[low : high + 1] for slot in slots)

    def seniority(self, slot: int) -> int:
        """The piece's place in the order of age, the oldest 0."""
        return self.edition.seniority[self.cards[slot]]

    def age(self, slots: Iterable[int]) -> float:
        """Age of the oldest of these pieces, 0 if there is none."""
        total = len(self.edition.collectibles)
        return 1 - min(map(self.seniority, slots), default=total) / total
