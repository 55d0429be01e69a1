"""Exhibits: which sets of Collectibles are valid, and which of two exhibits is better.

Collectibles are given as indices in `Edition.collectibles`, and a returned exhibit has them rising.
A *run* is an unbroken run of letters. A letter as a number is 0 for A to 5 for F. *Counts* are the
numbers of pieces of each letter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter

from .edition import LETTERS, Edition

MIN_EXHIBIT = 3

Strength = tuple[int, tuple[int, ...], tuple[str, ...]]


def is_exhibit(edition: Edition, cards: Iterable[int]) -> bool:
    """Return whether Collectibles are a valid exhibit: three or more, whose letters are a run.

    Letters may repeat. A does not follow F.
    """
    letters = [edition.collectibles[card].letter for card in cards]
    if len(letters) < MIN_EXHIBIT:
        return False
    span = ord(max(letters)) - ord(min(letters)) + 1
    return span == len(set(letters))


def strength(edition: Edition, cards: Iterable[int]) -> Strength:
    """Return a sort key for exhibits: the better an exhibit, the smaller its key.

    The exhibit with more Collectibles is better. If the numbers are equal, the years are compared,
    the oldest first, and the older year is better. If all years are equal, the earlier letters are
    better.
    """
    pieces = sorted((edition.collectibles[card] for card in cards), key=attrgetter("age"))
    return (-len(pieces), tuple(p.year for p in pieces), tuple(p.letter for p in pieces))


def best_exhibit(edition: Edition, cards: Iterable[int]) -> tuple[int, ...] | None:
    """Return the best valid exhibit among Collectibles (SPEC 9.3), None if there is none."""
    return next(iter(run_exhibits(edition, cards)), None)


def run_exhibits(edition: Edition, cards: Iterable[int]) -> list[tuple[int, ...]]:
    """Return each run that is a valid exhibit, with all its Collectibles, best first."""
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
    """Return exhibits of each size from each run, the best of all first.

    The exhibit that is smaller than its run has the oldest piece of each letter, and then the
    oldest of the other pieces.
    """
    found: set[tuple[int, ...]] = set()
    for run in run_exhibits(edition, cards):
        found.add(run)
        found.update(_shrunk(edition, run))
    return sorted(found, key=lambda exhibit: strength(edition, exhibit))


def may_hold_exhibit(
    edition: Edition, known: Sequence[int], hidden: int, unseen: Iterable[int]
) -> bool:
    """Return whether a seat may have a valid exhibit (SPEC 9.3, *May hold an exhibit*).

    The answer is certain if all Collectibles of the seat are known. `hidden` is the number of the
    others, which are among `unseen`.
    """
    mine = [len(group) for group in by_letter(edition, known)]
    pool = [len(group) for group in by_letter(edition, unseen)]
    spans = [(a, b) for a in range(len(LETTERS)) for b in range(a + 1, len(LETTERS) + 1)]
    return any(_span_fits(mine[a:b], pool[a:b], hidden) for a, b in spans)


def _span_fits(mine: list[int], pool: list[int], hidden: int) -> bool:
    """Return whether hidden pieces can complete a valid exhibit over a run of letters.

    Args:
        mine: For each letter of the run, the number of known pieces of the seat.
        pool: For each letter of the run, the number of unseen Collectibles.
        hidden: The number of hidden pieces of the seat.
    """
    gaps = [have for count, have in zip(mine, pool, strict=True) if not count]
    if len(gaps) > hidden or not all(gaps):
        return False
    return sum(mine) + min(hidden, sum(pool)) >= MIN_EXHIBIT


def letter_of(edition: Edition, card: int) -> int:
    """Return the letter of a Collectible as a number."""
    return ord(edition.collectibles[card].letter) - ord(LETTERS[0])


def by_letter(edition: Edition, cards: Iterable[int]) -> list[list[int]]:
    """Return the Collectibles of each letter, from A to F."""
    groups: list[list[int]] = [[] for _ in LETTERS]
    for card in cards:
        groups[letter_of(edition, card)].append(card)
    return groups


def whole_runs(counts: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Find the runs that cannot be made longer: each with its size, first and last letter."""
    size, low = 0, 0
    # The 0 at the end closes a run that ends with the last letter.
    for letter, count in enumerate((*counts, 0)):
        if count:
            low = low if size else letter
            size += count
        elif size:
            yield size, low, letter - 1
            size = 0


def two_largest(counts: Sequence[int]) -> tuple[int, int]:
    """Return the sizes of the two largest whole runs, 0 for a run that does not exist."""
    first, second, *_ = sorted((0, 0, *(run[0] for run in whole_runs(counts))), reverse=True)
    return first, second


def _shrunk(edition: Edition, run: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Find the smaller exhibits in a run, one for each size (see `best_by_size`)."""
    by_age = sorted(run, key=lambda card: edition.collectibles[card].age)
    # Reversed, so that of each letter the oldest piece is the one that stays.
    firsts = {edition.collectibles[card].letter: card for card in reversed(by_age)}
    core = set(firsts.values())
    rest = [card for card in by_age if card not in core]
    for extra in range(len(rest)):
        smaller = (*core, *rest[:extra])
        if len(smaller) >= MIN_EXHIBIT:
            yield tuple(sorted(smaller))
