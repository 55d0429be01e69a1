"""Which exhibits are valid and which is the better."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.all_exhibits import every_exhibit
from support.rules_driver import piece
from support.sampling import times

from p2p_hoity.editions import load
from p2p_hoity.rules import best_exhibit, is_exhibit, run_exhibits, strength
from p2p_hoity.rules.exhibits import best_by_size, may_hold_exhibit, oldest

UBER, MANUAL = load("uberplay-2004"), load("reference-manual")


def pieces(text, edition=UBER):
    return [piece(edition, name) for name in text.split()]


def letters(text):
    """Collectibles of these letters, each letter's oldest first."""
    return pieces(" ".join(f"{c}{text[: i + 1].count(c)}" for i, c in enumerate(text)))


@pytest.mark.parametrize("text", ["AAA", "AABBC", "CDEE", "AAAAABBC", "ABCDEF", "DEF", "EFF"])
def test_three_or_more_in_an_unbroken_run_are_an_exhibit(text):
    assert is_exhibit(UBER, letters(text))


@pytest.mark.parametrize("text", ["", "A", "AB", "AA", "BCE", "FAB", "AAC", "AFF", "EFA"])
def test_fewer_than_three_a_gap_and_a_wrap_are_none(text):
    assert not is_exhibit(UBER, letters(text))


def test_more_collectibles_win_over_older_ones():
    assert strength(UBER, letters("FFFF")) < strength(UBER, pieces("B1 C1 D1"))


def test_of_equal_size_the_older_oldest_piece_wins():
    assert strength(UBER, pieces("B1 B9 C9")) < strength(UBER, pieces("C1 C2 C3"))


def test_then_the_next_oldest_and_so_on():
    ours, theirs = pieces("A1 A2 B3", MANUAL), pieces("B1 B2 C4", MANUAL)
    assert strength(MANUAL, ours) < strength(MANUAL, theirs)


def test_all_years_are_compared_before_any_letter():
    ours, theirs = pieces("B1 B2 C3", MANUAL), pieces("A1 A2 A4", MANUAL)
    assert strength(MANUAL, ours) < strength(MANUAL, theirs)


def test_then_the_lower_letter_of_the_oldest_piece():
    ours, theirs = pieces("A1 B2 C3", MANUAL), pieces("B1 A2 A3", MANUAL)
    assert strength(MANUAL, ours) < strength(MANUAL, theirs)
    assert not strength(MANUAL, theirs) < strength(MANUAL, ours)


def test_the_oldest_piece_is_the_lowest_number_then_the_lowest_letter():
    assert oldest(MANUAL, pieces("C2 D1 B1 A3", MANUAL)) == piece(MANUAL, "B1")
    assert oldest(UBER, pieces("A1 B1 C1")) == piece(UBER, "B1")


def test_the_best_exhibit_is_the_longest_run():
    assert best_exhibit(UBER, letters("AABDEEF")) == tuple(letters("DEEF"))


def test_of_two_runs_of_one_size_the_older_is_best():
    assert best_exhibit(UBER, letters("AAADEF")) == tuple(letters("DEF"))


def test_without_three_in_a_run_there_is_no_best_exhibit():
    assert best_exhibit(UBER, letters("ABDEF")[:2] + letters("D")) is None


def test_a_seat_may_hold_an_exhibit_only_if_hidden_ones_can_fill_the_gaps():
    rest = letters("BCDEF")
    assert may_hold_exhibit(UBER, letters("A"), 2, rest)
    assert may_hold_exhibit(UBER, pieces("A1 C1"), 1, rest)
    assert not may_hold_exhibit(UBER, pieces("A1 D1"), 1, rest)
    assert not may_hold_exhibit(UBER, pieces("A1 C1"), 1, letters("DEF"))
    assert not may_hold_exhibit(UBER, pieces("A1 C1"), 0, rest)


CARDS = st.sets(st.integers(0, len(MANUAL.collectibles) - 1), max_size=9).map(sorted)


@given(CARDS)
@settings(max_examples=times(24, 60))
def test_the_best_exhibit_is_the_strongest_of_all(cards):
    found = list(every_exhibit(MANUAL, cards))
    best = min(found, key=lambda e: strength(MANUAL, e), default=None)
    assert best_exhibit(MANUAL, cards) == best
    assert may_hold_exhibit(MANUAL, cards, 0, ()) == bool(found)


@given(CARDS)
@settings(max_examples=times(16, 40))
def test_the_lists_hold_valid_exhibits_only_best_first(cards):
    for listed in (run_exhibits(MANUAL, cards), best_by_size(MANUAL, cards)):
        assert all(is_exhibit(MANUAL, e) and set(e) <= set(cards) for e in listed)
        assert listed == sorted(listed, key=lambda e: strength(MANUAL, e))
