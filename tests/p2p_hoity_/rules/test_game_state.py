"""Tests of the state of a game: its layout, and what is derived from its fields."""

import pytest
from support.cases import fails
from support.rules_driver import table

from p2p_hoity import rules
from p2p_hoity.editions.load_edition import load
from p2p_hoity.rules.choices import Place
from p2p_hoity.rules.edition import ActionKind
from p2p_hoity.rules.game_state import Standing

UBER = load()


@pytest.mark.parametrize("cards", [51, 60])
@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_four_slots_to_each_seat_and_the_larger_half_of_the_rest_to_window_one(cards, seats):
    laid = rules.layout(cards, seats)
    assert [list(h) for h in laid.hands] == [list(range(4 * i, 4 * i + 4)) for i in range(seats)]
    one, two = laid.windows
    assert len(one) - len(two) in (0, 1)
    assert [s for hand in laid.hands for s in hand] + [*one, *two] == list(range(cards))
    assert laid.tops == (one[0], two[0])


def test_a_state_has_no_other_fields_and_a_changed_one_leaves_the_old_as_it_was():
    state = table(UBER, 3).state
    later = state.but(round=7, prison=(4,))
    assert (later.round, later.prison) == (7, (4,))
    assert (state.round, state.prison) == (1, ())
    fails(TypeError, "windos", state.but, windos=())


def test_who_plays_what_where_is_read_off_what_lies_on_the_table():
    state = table(UBER, 3).state.but(
        places=(Place.CASTLE, Place.AUCTION_HALL, Place.CASTLE), actions=(4, 8, None)
    )
    assert state.at(Place.CASTLE) == (0, 2)
    assert state.playing(Place.CASTLE, ActionKind.THIEF) == (0,)
    assert state.playing(Place.CASTLE, ActionKind.CASH) == ()
    assert state.playing(Place.AUCTION_HALL, ActionKind.CASH) == (1,)
    assert (state.action(1), state.owner(8), state.colour_name(1)) == (8, 1, "red")


def test_only_what_is_known_to_all_is_in_a_piece():
    referee = table(UBER, 3, {0: "A1 B1 C1 D1"})
    referee.open(1)
    state = referee.state
    assert [piece.letter for piece in state.pieces((0, 1))] == [None, "B"]
    assert state.open_cards((0, 1)) == {1: referee.deck[1]}


def test_ranks_are_those_of_a_competition_and_the_first_share_the_game():
    state = table(UBER, 4).state
    assert state.ranks((9, 7, 7, 3)) == (1, 2, 2, 4)
    assert state.but(standings=(Standing(1, 2, 40, ()), Standing(2, 0, 38, ()))).shares == (
        0,
        0,
        1,
        0,
    )


def test_who_is_absent_or_sits_out_is_not_asked():
    state = table(UBER, 3).state.but(present=frozenset({0, 1}), resting=frozenset({1}))
    assert [state.active(seat) for seat in range(3)] == [True, False, False]
    assert not state.windows_empty
    assert state.but(windows=((), ())).windows_empty
