"""Tests of which exhibits are valid, and which is the better."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.all_exhibits import every_exhibit
from support.rules_driver import piece
from support.sampling import times

from p2p_hoity.editions.load_edition import load
from p2p_hoity.rules import best_exhibit, strength
from p2p_hoity.rules.exhibits import best_by_size, is_exhibit, may_hold_exhibit, run_exhibits

UBER, MANUAL = load("uberplay-2004"), load("reference-manual")


def pieces(text, edition=UBER):
    return [piece(edition, name) for name in text.split()]


def letters(text):
    """Collectibles of these letters, each letter's oldest first."""
    return pieces(" ".join(f"{c}{text[: i + 1].count(c)}" for i, c in enumerate(text)))


def test_an_exhibit_is_three_or_more_in_a_run_and_the_longest_run_is_the_best():
    for text in ("AAA", "AABBC", "CDEE", "AAAAABBC", "ABCDEF", "DEF", "EFF"):
        assert is_exhibit(UBER, letters(text)), text
    for text in ("", "A", "AB", "AA", "BCE", "FAB", "AAC", "AFF", "EFA"):
        assert not is_exhibit(UBER, letters(text)), text
    rest = letters("BCDEF")
    assert may_hold_exhibit(UBER, letters("A"), 2, rest)
    assert may_hold_exhibit(UBER, pieces("A1 C1"), 1, rest)
    assert not may_hold_exhibit(UBER, pieces("A1 D1"), 1, rest)
    assert not may_hold_exhibit(UBER, pieces("A1 C1"), 1, letters("DEF"))
    assert not may_hold_exhibit(UBER, pieces("A1 C1"), 0, rest)
    assert best_exhibit(UBER, letters("AABDEEF")) == tuple(letters("DEEF"))
    assert best_exhibit(UBER, letters("AAADEF")) == tuple(letters("DEF"))
    assert best_exhibit(UBER, letters("ABDEF")[:2] + letters("D")) is None
    for edition, held in ((MANUAL, "C2 D1 B1 A3"), (UBER, "A1 B1 C1")):
        ages = {edition.collectibles[card].age: card for card in pieces(held, edition)}
        assert ages[min(ages)] == piece(edition, "B1")


@pytest.mark.parametrize(
    ("edition", "better", "worse"),
    [
        (UBER, "F1 F2 F3 F4", "B1 C1 D1"),
        (UBER, "B1 B9 C9", "C1 C2 C3"),
        (MANUAL, "A1 A2 B3", "B1 B2 C4"),
        (MANUAL, "B1 B2 C3", "A1 A2 A4"),
        (MANUAL, "A1 B2 C3", "B1 A2 A3"),
    ],
    ids=["more", "the oldest piece", "the next oldest", "years before letters", "letters"],
)
def test_of_two_exhibits_the_better_is(edition, better, worse):
    ours, theirs = pieces(better, edition), pieces(worse, edition)
    assert strength(edition, ours) < strength(edition, theirs)
    assert not strength(edition, theirs) < strength(edition, ours)


CARDS = st.sets(st.integers(0, len(MANUAL.collectibles) - 1), max_size=9).map(sorted)


@given(CARDS)
@settings(max_examples=times(24, 60))
def test_the_best_exhibit_is_the_strongest_and_lists_hold_valid_ones_best_first(cards):
    found = list(every_exhibit(MANUAL, cards))
    best = min(found, key=lambda e: strength(MANUAL, e), default=None)
    assert best_exhibit(MANUAL, cards) == best
    assert may_hold_exhibit(MANUAL, cards, 0, ()) == bool(found)
    for listed in (run_exhibits(MANUAL, cards), best_by_size(MANUAL, cards)):
        assert all(is_exhibit(MANUAL, e) and set(e) <= set(cards) for e in listed)
        assert listed == sorted(listed, key=lambda e: strength(MANUAL, e))
