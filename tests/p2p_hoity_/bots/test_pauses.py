"""Tests of the pauses of bots: they fit the choice, are bounded, and reveal nothing."""

import random

import pytest
from support.rules_driver import Referee, table

from p2p_hoity.bots.pauses import LEAST, MOST, doubt, evenness, pause
from p2p_hoity.editions.load_edition import load
from p2p_hoity.rules import Choose, Seal, Show, View, expected
from protocol.game_interface import Over


def test_a_clear_choice_takes_less_time_than_an_even_one() -> None:
    assert evenness([1.0]) == evenness([]) == 0
    assert evenness([1.0, 1.0, 1.0]) == pytest.approx(1)
    assert evenness([20.0, 1.0]) == pytest.approx(0, abs=1e-6)
    assert 0 < evenness([2.0, 1.0]) < evenness([1.2, 1.0]) < 1


def test_an_action_takes_longer_than_a_place_where_only_one_is_legal() -> None:
    referee = table(load(), 3, {0: "A1 A2 B1 C1"})
    referee.state = referee.state.but(windows=((), ()))
    assert doubt(referee.view(0), "place") == 0
    assert pause(referee.view(0), "place", random.Random(1)) == LEAST
    referee.until("action", place=dict.fromkeys(range(3), 0))
    assert pause(referee.view(0), "action", random.Random(1)) > 2 * LEAST


@pytest.mark.parametrize(("seats", "variant"), [(2, "surprise"), (2, "confrontation"), (5, None)])
def test_every_pause_of_a_game_is_bounded_and_told_by_what_all_know(
    seats: int, variant: str | None
) -> None:
    referee = Referee.seat(load(), seats, 5, variant)  # type: ignore[arg-type]
    kinds = set[str]()
    while not isinstance(due := expected(referee.state), Over):
        if isinstance(due, Seal | Choose | Show):
            kinds.add(due.kind)
            for seat in sorted(due.seats) if isinstance(due, Seal) else [due.seat]:
                seen = referee.view(seat)
                found = pause(seen, due.kind, random.Random(2))  # type: ignore[arg-type]
                assert LEAST <= found <= MOST
                blind = View(seen.state, seat, ())
                assert found == pause(blind, due.kind, random.Random(2))  # type: ignore[arg-type]
        referee.step()
    assert len(kinds) >= 4
