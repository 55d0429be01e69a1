"""Tests of the view of a seat: what is open to all and its own; an onlooker may choose nothing."""

import pytest
from support.rules_driver import table

from p2p_hoity.editions.load_edition import load
from p2p_hoity.rules.seat_view import view
from protocol.game_interface import NOTHING_ASKED, IllegalMove

STATE = table(load("uberplay-2004"), 3).state
DEALT = dict(enumerate(range(12)))
"""The Collectible in each slot that was dealt, of all three seats."""


def test_a_view_has_no_hidden_collectible_of_another_seat_whatever_the_caller_passes():
    seen = view(STATE, 1, DEALT)
    assert set(seen.mine()) == {4, 5, 6, 7}
    assert {seat: seen.hidden(seat) for seat in range(3)} == {0: 4, 1: 0, 2: 4}
    assert seen.piece(0).card is None
    assert seen.piece(4).card == DEALT[4]


def test_an_onlooker_is_asked_nothing_and_may_choose_nothing():
    seen = view(STATE, None, DEALT)
    assert seen.mine() == {}
    assert seen.legal("place") == ()
    choice = view(STATE, 2, DEALT).legal("place")[0]
    view(STATE, 2, DEALT).check("place", choice)
    with pytest.raises(IllegalMove) as caught:
        seen.check("place", choice)
    assert caught.value.code == NOTHING_ASKED
