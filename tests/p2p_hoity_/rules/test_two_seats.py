"""Two seats: Surprise and Confrontation, in both editions."""

from dataclasses import replace

import pytest
from support.cases import fails
from support.rules_driver import card, of, plays, table

from p2p_hoity.editions.load_edition import NAMES, load
from p2p_hoity.rules import ActionKind, IllegalMove, Seal, check, expected
from p2p_hoity.rules.happenings import (
    ActionShown,
    CashStolen,
    ExhibitShown,
    Passed,
    RoundBegan,
    Sale,
)

EDITIONS = [load(name) for name in NAMES]
UBER, MANUAL = EDITIONS
BOTH = frozenset({0, 1})
HALL, CASTLE = 1, 0


@pytest.mark.parametrize("edition", EDITIONS)
def test_surprise_chooses_place_and_action_together_while_there_is_anything_to_buy(edition):
    referee = table(edition, 2, variant="surprise")
    assert expected(referee.state) == Seal("turn", BOTH)
    thief = card(referee.state, 1, ActionKind.THIEF)
    news = referee.round(turn={0: (HALL, 0), 1: (HALL, thief)})
    assert [n.seat for n in of(news, CashStolen)] == [1]
    assert expected(referee.state) == Seal("turn", BOTH)
    referee = table(edition, 2, variant="surprise")
    referee.state = replace(referee.state, windows=(referee.state.windows[0][:1], ()))
    news = referee.round(turn={0: (HALL, 0), 1: (CASTLE, 14)})
    assert len(of(news, Sale)) == 1
    assert expected(referee.state) == Seal("action", BOTH)
    assert referee.state.places == (CASTLE, CASTLE)
    assert len(of(referee.round(), ActionShown)) == 2


def test_surprise_resolves_hall_then_castle_and_a_turn_is_legal_in_both_parts():
    referee = table(UBER, 2, {1: "A1 A2 A3 A4"}, variant="surprise")
    exhibit = card(referee.state, 1, ActionKind.EXHIBIT)
    news = referee.round(turn={0: (HALL, 0), 1: (CASTLE, exhibit)})
    kinds = [type(n) for n in news if isinstance(n, Sale | ExhibitShown)]
    assert kinds == [Sale, ExhibitShown]
    state = table(UBER, 2, variant="surprise").state
    check(state, "turn", 0, (HALL, 0))
    for turn in ((HALL, 6), (CASTLE, 0), (HALL, 8), (2, 0), (HALL,), 0, (True, 0)):
        fails(IllegalMove, "", check, state, "turn", 0, turn)
    fails(IllegalMove, "hall-closed", check, replace(state, windows=((), ())), "turn", 0, (HALL, 0))


@pytest.mark.parametrize("edition", EDITIONS)
def test_confrontation_alternates_until_the_windows_are_empty(edition):
    referee = table(edition, 2, variant="confrontation")
    places = []
    for number in range(1, 5):
        assert expected(referee.state) == Seal("action", BOTH)
        assert referee.state.round == number
        places.append(referee.state.places)
        referee.round()
    assert places == [(HALL, HALL), (CASTLE, CASTLE)] * 2
    assert [n.place for n in of(referee.record, RoundBegan)] == [HALL, CASTLE, HALL, CASTLE, HALL]
    referee = table(edition, 2, variant="confrontation")
    referee.state = replace(referee.state, windows=(referee.state.windows[0][:1], ()))
    referee.round(action=plays(referee.state, s0="Cash:0", s1="Cash:0"))
    for _ in range(3):
        assert referee.state.places == (CASTLE, CASTLE)
        referee.round()


def without_cash_and_thieves(referee):
    hands = (tuple(c for c in referee.state.hands[0] if c >= 6), referee.state.hands[1])
    referee.state = replace(referee.state, hands=hands)


def test_without_a_legal_action_a_seat_passes():
    referee = table(UBER, 2, variant="confrontation")
    without_cash_and_thieves(referee)
    assert expected(referee.state) == Seal("action", frozenset({1}))
    news = referee.round()
    assert [(n.seat, n.why) for n in of(news, Passed)] == [(0, "no legal Action card")]
    referee = table(MANUAL, 2, variant="confrontation")
    without_cash_and_thieves(referee)
    assert expected(referee.state) == Seal("action", BOTH)
    assert referee.legal("action", 0) == (6,)
    assert not of(referee.round(), Passed)


@pytest.mark.parametrize("variant", ["surprise", "confrontation"])
def test_the_switch_for_the_action_choice_is_moot(variant):
    plain = table(UBER, 2, variant=variant)
    other = table(UBER.with_switches(action_choice="together"), 2, variant=variant)
    for _ in range(4):
        assert plain.round() == other.round()
        assert plain.state.phase == other.state.phase
