"""Exhibits: which sets of Collectibles are valid, and which of two is the better."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter

from .edition import LETTERS, Edition

MIN_EXHIBIT = 3

Strength = tuple[int, tuple[int, ...], tuple[str, ...]]


def is_exhibit(edition: Edition, cards: Iterable[int]) -> bool:
    """Whether these Collectibles (indices) are a valid exhibit: three or more whose letters form
    an unbroken run, repeats allowed, no wrap from F to A."""
    letters = [edition.collectibles[card].letter for card in cards]
    if len(letters) < MIN_EXHIBIT:
        return False
    span = ord(max(letters)) - ord(min(letters)) + 1
    return span == len(set(letters))


def strength(edition: Edition, cards: Iterable[int]) -> Strength:
    """A sort key, the smaller the better: more Collectibles, then all years oldest first, then
    the letters in that order (of two disjoint exhibits only the oldest piece's letter matters)."""
    pieces = sorted((edition.collectibles[card] for card in cards), key=attrgetter("age"))
    return (-len(pieces), tuple(p.year for p in pieces), tuple(p.letter for p in pieces))


def best_exhibit(edition: Edition, cards: Iterable[int]) -> tuple[int, ...] | None:
    """The best valid exhibit among these Collectibles, rising; None if there is none (SPEC 9.3)."""
    return next(iter(run_exhibits(edition, cards)), None)


def run_exhibits(edition: Edition, cards: Iterable[int]) -> list[tuple[int, ...]]:
    """For each unbroken run of letters all its Collectibles, best first: the best exhibit is the
    first of them."""
    groups = by_letter(edition, cards)
    found = []
    for low in range(len(LETTERS)):
        run: list[int] = []
        for group in groups[low:]:
            if not group:
                break
            run.extend(group)
            if len(run) >= MIN_EXHIBIT:
                found.append(tuple(sorted(run)))
    return sorted(found, key=lambda run: strength(edition, run))


def best_by_size(edition: Edition, cards: Sequence[int]) -> list[tuple[int, ...]]:
    """Best first: every whole run, and of each run the oldest pieces for every smaller size that
    keeps one of each letter."""
    found: set[tuple[int, ...]] = set()
    for run in run_exhibits(edition, cards):
        found.add(run)
        found.update(_shrunk(edition, run))
    return sorted(found, key=lambda exhibit: strength(edition, exhibit))


def may_hold_exhibit(
    edition: Edition, known: Sequence[int], hidden: int, unseen: Iterable[int]
) -> bool:
    """Whether a seat with `known` Collectibles and `hidden` more out of `unseen` can hold a valid
    exhibit. With `hidden` 0 this says whether it does. (SPEC 9.3, *May hold an exhibit*.)"""
    mine = [len(group) for group in by_letter(edition, known)]
    pool = [len(group) for group in by_letter(edition, unseen)]
    spans = [(a, b) for a in range(len(LETTERS)) for b in range(a + 1, len(LETTERS) + 1)]
    return any(_span_fits(mine[a:b], pool[a:b], hidden) for a, b in spans)


def _span_fits(mine: list[int], pool: list[int], hidden: int) -> bool:
    gaps = [have for count, have in zip(mine, pool, strict=True) if not count]
    if len(gaps) > hidden or not all(gaps):
        return False
    return sum(mine) + min(hidden, sum(pool)) >= MIN_EXHIBIT


def letter_of(edition: Edition, card: int) -> int:
    """The letter of a Collectible as a number: 0 for A to 5 for F."""
    return ord(edition.collectibles[card].letter) - ord(LETTERS[0])


def by_letter(edition: Edition, cards: Iterable[int]) -> list[list[int]]:
    """These Collectibles by letter."""
    groups: list[list[int]] = [[] for _ in LETTERS]
    for card in cards:
        groups[letter_of(edition, card)].append(card)
    return groups


def whole_runs(counts: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """(size, first letter, last letter) of each stretch of letters that cannot be made longer.

    Args:
        counts: Pieces by letter.
    """
    size, low = 0, 0
    for letter, count in enumerate((*counts, 0)):
        if count:
            low = low if size else letter
            size += count
        elif size:
            yield size, low, letter - 1
            size = 0


def two_largest(counts: Sequence[int]) -> tuple[int, int]:
    """The sizes of the two largest whole runs, 0 for one that there is not."""
    first, second, *_ = sorted((0, 0, *(run[0] for run in whole_runs(counts))), reverse=True)
    return first, second


def _shrunk(edition: Edition, run: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    by_age = sorted(run, key=lambda card: edition.collectibles[card].age)
    firsts = {edition.collectibles[card].letter: card for card in reversed(by_age)}
    core = set(firsts.values())
    rest = [card for card in by_age if card not in core]
    for extra in range(len(rest)):
        smaller = (*core, *rest[:extra])
        if len(smaller) >= MIN_EXHIBIT:
            yield tuple(sorted(smaller))
