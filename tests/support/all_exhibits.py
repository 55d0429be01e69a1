"""Every valid exhibit by exhaustive search: what the rules' quicker ways are held against."""

from collections.abc import Iterable, Iterator
from itertools import combinations

from p2p_hoity.rules import Edition
from p2p_hoity.rules.exhibits import MIN_EXHIBIT, is_exhibit


def every_exhibit(edition: Edition, cards: Iterable[int]) -> Iterator[tuple[int, ...]]:
    """Every valid exhibit, larger sizes first; exponential, for small holdings and for counts."""
    held = sorted(cards)
    for size in range(len(held), MIN_EXHIBIT - 1, -1):
        for choice in combinations(held, size):
            if is_exhibit(edition, choice):
                yield choice
