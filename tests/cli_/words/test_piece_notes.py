"""What a piece would make, and what its theft would break: true by what the reader knows."""

from dataclasses import replace

import pytest
from support.cli_stage import NICKNAMES, referee, until

from cli.words import choice_notes
from cli.words.card_names import Names
from cli.words.piece_notes import bought, gain, stolen
from p2p_hoity.editions.load_edition import load
from p2p_hoity.rules import LETTERS, View, view

EDITION = load()
NAMES = Names(EDITION, NICKNAMES[:3], 0)
THERE = until(referee(3), "window", 0).state


def shown(mine: str, second: str = "", third: str = "", sale: str = "") -> View:
    """A view in which three seats have openly these pieces, and one window has another one.

    A piece is given by its letter: `A` is the oldest of A that is left, and `a` the youngest.
    """
    pieces = enumerate(EDITION.collectibles)
    by_age = sorted(pieces, key=lambda one: one[1].age)
    left = {a: [card for card, item in by_age if item.letter == a] for a in LETTERS}
    cards, hands = list[int](), list[tuple[int, ...]]()
    for letters in (mine, second, third, sale):
        start = len(cards)
        cards += [left[a.upper()].pop(0 if a.isupper() else -1) for a in letters]
        hands.append(tuple(range(start, len(cards))))
    known = (*cards, *[None] * (len(THERE.known) - len(cards)))
    state = THERE.but(known=known, collectibles=tuple(hands[:3]), windows=(hands[3], ()))
    return view(state, 0)


def slot_of(there: View, letter: str, seat: int) -> int:
    """The deck slot of the first piece with a letter of a seat."""
    return next(s for s in there.state.collectibles[seat] if there.piece(s).letter == letter)


@pytest.mark.parametrize(
    ("mine", "sale", "words"),
    [
        ("ABDEF", "C", "makes ABCDEF"),
        ("AB", "C", "makes ABC"),
        ("ABC", "F", "no better exhibit"),
        ("AC", "F", "no exhibit with it yet"),
    ],
)
def test_what_a_piece_makes(mine: str, sale: str, words: str) -> None:
    there = shown(mine, sale=sale)
    (slot,) = there.state.windows[0]
    assert gain(there, (slot,)) == words
    assert bought(there, slot, NAMES) == words
    assert choice_notes.note(there, "window", 0, NAMES) == words


def test_an_exhibit_that_is_as_large_but_older_is_told_with_its_year() -> None:
    there = shown("abcef", sale="E")
    (slot,) = there.state.windows[0]
    assert gain(there, (slot,)) == f"makes EEF, oldest {there.piece(slot).year}"


def test_who_would_have_most_of_a_piece_for_sale_is_named() -> None:
    there = shown("ABC", "EF", "BCEF", "D")
    (slot,) = there.state.windows[0]
    assert bought(there, slot, NAMES) == "makes ABCD; Cleo would have BCDEF"
    absent = replace(there, state=there.state.but(present=frozenset({0, 1})))
    assert bought(absent, slot, NAMES) == "makes ABCD; Bob would have DEF"


@pytest.mark.parametrize(
    ("second", "taken", "words"),
    [
        ("AABCDE", "C", "breaks the run of Bob: AAB is left"),
        ("ABCD", "A", "leaves Bob BCD"),
        ("ABCD", "C", "leaves Bob no known exhibit"),
        ("ABCEEEE", "A", "Bob keeps EEEE"),
    ],
)
def test_what_a_theft_leaves(second: str, taken: str, words: str) -> None:
    there = shown("F", second)
    slot = slot_of(there, taken, 1)
    assert stolen(there, (slot,), NAMES) == f"no exhibit with it yet; {words}"
    assert choice_notes.note(there, "theft", slot, NAMES).endswith(words)


def test_loot_of_several_pieces_counts_together() -> None:
    there = shown("B", "ABCD", "CDE")
    loot = slot_of(there, "A", 1), slot_of(there, "C", 2)
    told = "makes ABC; leaves Bob BCD; leaves Cleo no known exhibit"
    assert choice_notes.note(there, "theft", loot, NAMES) == told
    assert stolen(there, loot[:1], NAMES) == "no exhibit with it yet; leaves Bob BCD"
