"""An exhaustive count of choice sequences on a tiny edition, in the manner of perft.

Two seats, ten Collectibles: four each and one in either window. Every legal choice of every seat
is followed, exhibits included; a leaf is a whole sequence to the end of the last round counted.
"""

from itertools import product

import pytest
from support.all_exhibits import every_exhibit
from support.rules_driver import COIN

from p2p_hoity import rules
from p2p_hoity.editions.load_edition import load
from protocol import game_interface

DECKS = {
    # Seat 0 holds A C E E, seat 1 B D F D: nobody can exhibit. The windows hold A and B.
    "no exhibit": [0, 4, 7, 8, 2, 5, 9, 6, 1, 3],
    # Seat 0 holds A A B C, seat 1 D D E F, the windows B and E.
    "two runs": [0, 1, 2, 4, 5, 6, 7, 9, 3, 8],
}


def tiny():
    """Ten Collectibles, one Castle of six fields and three Banquet fields."""
    letters = ["A", "A", "B", "B", "C", "D", "D", "E", "E", "F"]
    collectibles = tuple(
        rules.edition.Collectible(letter, year) for year, letter in enumerate(letters, 1)
    )
    return rules.Edition(
        "tiny", collectibles, load().colours, (2, 1), (rules.edition.Castle(2, 1, 6),), 3
    )


def perft(state, deck, last_round, sealed=None):
    """How many choice sequences there are until round `last_round` is finished."""
    due = rules.expected(state)
    if isinstance(due, game_interface.Over) or state.round > last_round:
        return 1
    if isinstance(due, rules.Seal):
        seats = sorted(due.seats)
        after = rules.apply(state, game_interface.Sealed(due.kind, due.seats))
        options = product(*(choices(state, deck, due.kind, seat) for seat in seats))
        chosen = (dict(zip(seats, option, strict=True)) for option in options)
        return sum(perft(after, deck, last_round, one) for one in chosen)
    answers = events(state, deck, due, sealed)
    return sum(perft(rules.apply(state, event), deck, last_round) for event in answers)


def choices(state, deck, kind, seat):
    private = {slot: deck[slot] for slot in range(4 * seat, 4 * seat + 4)}
    if kind != "exhibit":
        return rules.legality.legal(state, kind, seat, private)
    slot_of = {deck[slot]: slot for slot in state.collectibles[seat]}
    found = every_exhibit(state.edition, slot_of)
    return [tuple(sorted(slot_of[card] for card in exhibit)) for exhibit in found]


def hidden(state, deck, slots):
    return {slot: deck[slot] for slot in slots if state.known[slot] is None}


def events(state, deck, due, sealed):
    if isinstance(due, rules.Show):
        shown = choices(state, deck, "exhibit", due.seat)
        return [game_interface.Shown(due.kind, due.seat, s, hidden(state, deck, s)) for s in shown]
    if isinstance(due, rules.Choose):
        options = choices(state, deck, due.kind, due.seat)
        return [game_interface.Chosen(due.kind, due.seat, choice) for choice in options]
    if isinstance(due, game_interface.Draw):
        return [game_interface.Drawn(hidden(state, deck, due.slots))]
    if isinstance(due, game_interface.OpenAll):
        return [game_interface.Opened(hidden(state, deck, due.slots))]
    opened = [s for slots in sealed.values() for s in slots] if due.kind == "exhibit" else []
    return [game_interface.Unsealed(due.kind, sealed, hidden(state, deck, opened))]


def count(variant, deck, rounds):
    state = rules.start(tiny(), 2, variant)
    return perft(
        rules.apply(state, game_interface.Dealt(COIN, {8: deck[8], 9: deck[9]})), deck, rounds
    )


# The counts of one round are by hand. In the Auction Hall each may play four Cash and two Thieves:
# of the 36 pairs 4 have no sale, in the other 32 the buyer chooses one of two windows: 68.
# Surprise, no exhibit: to those six turns come three in the Castle; of the 81 pairs 25 are without
# Cash: 25 + 56 * 2 = 137. Surprise, two runs: each has four exhibits (three of 3, one of 4), so one
# in the Hall (4 * 2 + 2) and one in the Castle (3 + 4) make 70, twice; both in the Castle 9 without
# an Exhibit, 2 * (4 + 2 * 13) with one, 16 with two: 68 + 140 + 85 = 293.
COUNTS = [
    ("confrontation", "no exhibit", 1, 68),
    ("surprise", "no exhibit", 1, 137),
    ("confrontation", "no exhibit", 2, 724),
    ("surprise", "two runs", 1, 293),
    ("confrontation", "two runs", 2, 10_036),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("variant", "deck", "rounds", "sequences"), COUNTS)
def test_the_number_of_choice_sequences(variant, deck, rounds, sequences):
    assert count(variant, DECKS[deck], rounds) == sequences
