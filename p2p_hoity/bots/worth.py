"""What Collectibles are worth to a collection: by the exhibits they make."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..rules import LETTERS, Edition
from ..rules.exhibits import MIN_EXHIBIT

SHORT_RUN = 0.6
SECOND_RUN = 0.3
LOOSE_PIECE = 0.15
OLD_PIECE = 0.1
PIECE_EARLY, PIECE_LATE = 2.2, 1.2
"""Fields that a piece of one's run is worth, when the game begins and when it ends."""


def promise(edition: Edition, cards: Iterable[int]) -> float:
    """A collection's promise in pieces: its longest run counts full, the next less, loose pieces
    little, old ones a little more."""
    counts = [0] * len(LETTERS)
    age = 0.0
    total = len(edition.collectibles)
    for card in cards:
        counts[ord(edition.collectibles[card].letter) - ord("A")] += 1
        age += OLD_PIECE * (1 - edition.seniority[card] / total)
    best, second = _two_largest(counts)
    full = best if best >= MIN_EXHIBIT else SHORT_RUN * best
    return full + SECOND_RUN * second + LOOSE_PIECE * sum(counts) + age


def gain(edition: Edition, cards: Sequence[int], card: int) -> float:
    """What one more Collectible adds."""
    return promise(edition, (*cards, card)) - promise(edition, cards)


def loss(edition: Edition, cards: Sequence[int], card: int) -> float:
    """What goes with this Collectible."""
    return promise(edition, cards) - promise(edition, [c for c in cards if c != card])


def _two_largest(counts: Sequence[int]) -> tuple[int, int]:
    runs, size = [0, 0], 0
    for count in (*counts, 0):
        if count:
            size += count
        else:
            runs.append(size)
            size = 0
    first, second = sorted(runs)[-1:-3:-1]
    return first, second
