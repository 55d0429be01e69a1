"""Tests of Places and Actions: who chooses them and when, two seats and void choices included."""

from dataclasses import replace

import pytest
from support.cases import fails
from support.rules_driver import card, in_play, of, plays, table

from p2p_hoity import rules
from p2p_hoity.editions.load_edition import load
from p2p_hoity.rules import ActionKind, IllegalMove, Seal, check, expected
from p2p_hoity.rules.happenings import (
    ActionShown,
    CashStolen,
    ExhibitShown,
    Passed,
    PlaceShown,
    RoundBegan,
    Sale,
)
from protocol import game_interface

UBER, MANUAL = load("uberplay-2004"), load("reference-manual")
HALL, CASTLE = 1, 0
EDITIONS = [UBER, MANUAL]
BOTH = frozenset({0, 1})


def test_a_seat_that_is_absent_or_seals_nothing_in_the_place_step_sits_the_round_out():
    referee = table(UBER, 3)
    referee.away(2)
    assert rules.expected(referee.state) == rules.Seal("place", frozenset({0, 1}))
    news = referee.round(place={0: HALL}, action=plays(referee.state, s0="Cash:0"))
    assert [n.seat for n in of(news, rules.happenings.SatOut)] == [2]
    assert referee.state.figures[2] == 0
    assert len(referee.state.hands[2]) == 8
    assert rules.expected(referee.state) == rules.Seal("place", frozenset({0, 1}))
    referee = table(UBER, 3)
    referee.apply(game_interface.Sealed("place", frozenset({0, 1})))
    assert rules.expected(referee.state) == game_interface.Unseal("place", frozenset({0, 1}))
    assert [n.seat for n in of(referee.state.news, rules.happenings.SatOut)] == [2]


def test_an_action_is_opened_if_sealed_and_a_pass_if_not():
    referee = in_play("action", UBER, 3, place={0: HALL, 2: HALL})
    referee.away(2)
    assert rules.expected(referee.state).seats == {0}
    news = referee.round(action=plays(referee.state, s0="Cash:0"))
    assert [(n.seat, n.why) for n in of(news, rules.happenings.Passed)] == [(2, "no sealed choice")]
    referee = in_play("action", UBER, 3, place={0: HALL})
    referee.away(0)
    assert rules.expected(referee.state) == rules.Seal("action", frozenset({1, 2}))
    assert [n.seat for n in of(referee.state.news, rules.happenings.Passed)] == [0]
    referee = in_play("action", MANUAL, 3, place={0: HALL})
    referee.plan = {("action", 0): card(referee.state, 0, rules.ActionKind.CASH)}
    referee.step()
    referee.away(2)
    referee.step()
    referee.step()
    referee.step()
    assert rules.expected(referee.state) == game_interface.Unseal("action", frozenset({1, 2}))
    referee = in_play("action", MANUAL, 3)
    news = referee.apply(game_interface.Sealed("action", frozenset({0}))).news
    assert [n.seat for n in of(news, rules.happenings.Passed)] == [1, 2]
    assert rules.expected(referee.state) == game_interface.Unseal("action", frozenset({0}))
    none = in_play("action", MANUAL, 3)
    none.apply(game_interface.Sealed("action", frozenset()))
    assert none.state.round == 2


def test_places_are_chosen_and_shown_at_once_and_a_void_one_sits_out():
    referee = table(UBER, 3)
    due = rules.expected(referee.state)
    assert (due.kind, due.seats) == ("place", {0, 1, 2})
    referee.until("action", place={0: HALL})
    assert referee.state.places == (HALL, CASTLE, CASTLE)
    assert [n.seat for n in of(referee.state.news, PlaceShown)] == [0, 1, 2]
    assert referee.state.actions == (None, None, None)
    referee = table(UBER, 3)
    referee.apply(game_interface.Sealed("place", frozenset({0, 1, 2})))
    referee.apply(game_interface.Unsealed("place", {0: None, 1: HALL, 2: CASTLE}))
    assert referee.state.places == (None, HALL, CASTLE)
    referee.apply(game_interface.Sealed("action", frozenset({1})))
    news = referee.apply(game_interface.Unsealed("action", {1: None})).news
    assert [type(n).__name__ for n in news] == ["Voided", "Passed", "NoSale"]
    assert rules.expected(referee.state).seats == {2}


def test_castle_seats_choose_after_the_sale_or_together_in_phase_two_and_show_later():
    referee = table(UBER, 3)
    due = referee.until("action", place={0: HALL})
    assert due.seats == {0}
    referee.until("window", place={0: HALL}, action=plays(referee.state, s0="Cash:0"))
    due = referee.until("action", window={0: 0})
    assert due.seats == {1, 2}
    assert referee.state.known[referee.state.windows[0][0]] is not None
    referee = table(MANUAL, 3)
    due = referee.until("action", place={0: HALL})
    assert due.seats == {0, 1, 2}
    referee.plan = {("action", 0): card(referee.state, 0, ActionKind.CASH)}
    referee.step()
    assert rules.expected(referee.state).seats == {0}
    referee.step()
    assert referee.state.actions[1] is None
    referee.step()  # window
    referee.step()  # draw
    assert rules.expected(referee.state).kind == "action"
    assert rules.expected(referee.state).seats == {1, 2}


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
