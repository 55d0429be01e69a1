"""Tests of the estimates for the Castle: what pieces are worth, and what each Action brings."""

from math import e

import pytest
from support.rules_driver import table

from p2p_hoity.bots.castle_odds import (
    LOOSE_PIECE,
    PIECE_EARLY,
    PIECE_LATE,
    THIEF_LOST,
    Guest,
    Stakes,
    better,
    can_steal,
    gain,
    guests,
    leaning,
    loss,
    mixtures,
    piece_worth,
    rivals,
    worths,
)
from p2p_hoity.editions.load_edition import load
from p2p_hoity.rules import ActionKind, Place

EXHIBIT, THIEF, DETECTIVE = ActionKind.EXHIBIT, ActionKind.THIEF, ActionKind.DETECTIVE
AT_STAKE = Stakes(larger=5, smaller=2, piece=2.0)


def guest(seat: int, *kinds: ActionKind, chance: float = 1.0, size: float = 3.0, rank: int = 2):
    return Guest(seat, chance, kinds, size, rank)


def test_a_piece_that_completes_a_run_is_worth_most_and_one_that_is_not_held_is_not_missed():
    referee = table(load(), 3, {0: "A1 B1 C1 F1"})
    a, b, c, f = (card for _, card in sorted(referee.private(0).items()))
    edition = referee.state.edition
    assert gain(edition, [a, b], c) > 1 + LOOSE_PIECE
    assert 0 < gain(edition, [a, b], f) < gain(edition, [a, b], c)
    assert loss(edition, [a, b, c], c) == pytest.approx(gain(edition, [a, b], c))
    assert loss(edition, [a, b, c], f) == 0


def test_pieces_are_worth_less_as_the_end_comes_near():
    referee = table(load(), 3, {0: "A1 B1 C1 F1"})
    early = piece_worth(referee.view(0))
    referee.state = referee.state.but(figures=(0, 20, 0))
    later = piece_worth(referee.view(0))
    referee.state = referee.state.but(figures=(0, len(referee.state.edition.octagons), 0))
    assert PIECE_EARLY >= early > later > piece_worth(referee.view(0)) == PIECE_LATE


def test_who_has_shown_a_place_is_there_or_not_and_others_may_be():
    referee = table(load(), 4, {0: "A1 B1 C1 F1"})
    seen = referee.view(0)
    assert rivals(seen, Place.CASTLE, 0.6) == {1: 0.6, 2: 0.6, 3: 0.6}
    referee.state = referee.state.but(places=(Place.CASTLE, Place.CASTLE, Place.AUCTION_HALL, None))
    seen = referee.view(0)
    assert rivals(seen, Place.CASTLE, 0.6) == {1: 1.0, 3: 0.6}
    assert [found.seat for found in guests(seen)] == [0, 1, 3]


def test_who_has_no_exhibit_cannot_show_one():
    referee = table(load(), 3, {0: "A1 A2 C1 E1", 1: "A3 B1 C2 D1"})
    assert EXHIBIT not in guests(referee.view(0))[0].kinds
    own = guests(referee.view(1))[0]
    assert EXHIBIT in own.kinds
    assert own.size == 4


def test_only_from_others_who_may_exhibit_can_a_thief_steal():
    found = [guest(0, EXHIBIT), guest(1, THIEF, DETECTIVE), guest(2, DETECTIVE)]
    assert [can_steal(found, seat) for seat in range(3)] == [False, True, False]
    assert not can_steal([guest(0, DETECTIVE), guest(1, EXHIBIT, THIEF)], 1)


def test_each_action_is_worth_what_the_others_make_of_it():
    found = [guest(0, EXHIBIT, THIEF, DETECTIVE, rank=3), guest(1, EXHIBIT, THIEF, DETECTIVE)]

    def against(kind: ActionKind) -> dict[ActionKind, float]:
        return worths(found, [{}, {kind: 1.0}], 0, AT_STAKE)

    assert against(DETECTIVE) == {EXHIBIT: 5, THIEF: -THIEF_LOST, DETECTIVE: 0}
    assert against(THIEF) == {EXHIBIT: 5 - 2.0, THIEF: 0, DETECTIVE: 3}
    of_equals = against(EXHIBIT)
    assert of_equals == {EXHIBIT: (5 + 2) / 2, THIEF: 2.0, DETECTIVE: 0}


def test_a_seat_that_may_be_elsewhere_counts_by_its_probability():
    found = [guest(0, THIEF), guest(1, EXHIBIT, chance=0.25)]
    assert worths(found, [{}, {EXHIBIT: 1.0}], 0, AT_STAKE) == {THIEF: 0.25 * 2.0}


def test_the_larger_exhibit_is_probably_the_better():
    assert better(3, 3) == 0.5
    assert better(4, 3) > 0.75 > 0.25 > better(3, 4)


def test_a_better_action_is_more_probable_and_no_value_overflows():
    assert leaning({}) == {}
    assert leaning({EXHIBIT: 1.0, THIEF: 1.0}) == {EXHIBIT: 0.5, THIEF: 0.5}
    chances = leaning({EXHIBIT: 1.7, THIEF: 1.0})
    assert chances[EXHIBIT] == pytest.approx(e * chances[THIEF])
    assert leaning({EXHIBIT: 1e6, THIEF: 0.0}) == {EXHIBIT: 1.0, THIEF: 0.0}


def test_estimates_are_probabilities_and_lean_to_what_pays():
    found = [guest(0, EXHIBIT, DETECTIVE), guest(1, THIEF, DETECTIVE), guest(2, DETECTIVE)]
    first, second, third = mixtures(found, AT_STAKE)
    for mix in (first, second, third):
        assert sum(mix.values()) == pytest.approx(1)
    assert first[EXHIBIT] > first[DETECTIVE]
    assert second[THIEF] > 0
    assert third == {DETECTIVE: 1.0}
