"""Tests of what screens are told: whether the game can go on, and which step is being opened."""

from dataclasses import FrozenInstanceError, replace

import pytest

from p2p_hoity.coded_errors import Reason
from p2p_hoity.presentation.screen_updates import Clock, Muster, ScreenUpdate, Unsaid
from protocol import Kind

MUSTER = Muster(seats=5, quorum=3, there=3)


def test_with_a_quorum_the_game_goes_on_and_without_one_it_pauses():
    assert (MUSTER.goes_on, MUSTER.is_short) == (True, False)
    short = replace(MUSTER, there=2)
    assert (short.goes_on, short.is_short) == (False, True)


def test_who_still_thinks_keeps_the_game_from_pausing_and_does_not_let_it_go_on():
    thinking = replace(MUSTER, there=2, thinking=frozenset({4}))
    assert (thinking.goes_on, thinking.is_short) == (False, False)


def test_a_strict_table_needs_all_of_its_seats():
    strict = replace(MUSTER, there=4, strict=True)
    assert (strict.goes_on, strict.is_short) == (False, True)


@pytest.mark.parametrize(
    ("kind", "is_opening"),
    [(Kind.BARRIER, True), (Kind.REVEAL, True), (Kind.SEAL, False), (None, False)],
)
def test_sealed_choices_are_opened_in_the_steps_that_confirm_and_reveal(kind, is_opening):
    assert Clock(frozenset({1}), 1.0, 2.0, 3.0, MUSTER, kind).is_opening == is_opening


def test_every_update_is_frozen_and_equal_to_one_of_the_same_fields():
    update = Unsaid(Reason("muted"))
    assert update == Unsaid(Reason("muted")) != Unsaid(Reason("too-long"))
    with pytest.raises(FrozenInstanceError):
        update.reason = Reason("other")  # type: ignore[misc]
    assert all(kind.__dataclass_params__.frozen for kind in ScreenUpdate.__subclasses__())  # type: ignore[attr-defined]
