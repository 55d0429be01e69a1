"""Tests of what all phases share: figures that move, cards that are laid, taken back and opened."""

import pytest
from support.cases import fails
from support.rules_driver import at, moves, of, plays, table

from p2p_hoity import rules
from p2p_hoity.editions.load_edition import load
from p2p_hoity.rules import movement
from p2p_hoity.rules.choices import Place, UnexpectedEvent, Why
from p2p_hoity.rules.phases import IllegalTransition, Phase

UBER, MANUAL = load("uberplay-2004"), load("reference-manual")
BLACK, RED, BLUE, GREEN, PURPLE, BEIGE = range(6)
RUN_A = "A1 A2 A3 A4"


def everyone_in_castle(edition, seats, hands, figures, words, **more):
    referee = at(table(edition, seats, hands), *figures)
    news = referee.round(action=plays(referee.state, **words), **more)
    return referee, news


def test_detectives_move_by_ranks_of_one_snapshot_that_the_tied_share():
    figures = (2, 9, 7, 6, 5, 1)
    words = {"s0": "Thief:0", "s1": "Detective", "s3": "Detective", "s4": "Detective"}
    referee = at(table(UBER, 6), *figures)
    actions = plays(referee.state, **words)
    news = referee.round(place={BLUE: 1, BEIGE: 1}, action=actions | {2: 16, 5: 40})
    ranks = {n.seat: n.rank for n in of(news, rules.happenings.DetectiveRanked)}
    assert ranks == moves(news) == {RED: 1, GREEN: 3, PURPLE: 4}
    assert referee.state.figures == (2, 10, 7, 9, 9, 1)
    assert table(UBER, 5).state.ranks((9, 7, 7, 7, 3)) == (1, 2, 2, 2, 5)
    referee = at(table(UBER, 5), 9, 7, 7, 7, 3)
    news = referee.round(action=plays(referee.state, s0="Thief:0"))
    assert moves(news) == {1: 2, 2: 2, 3: 2, 4: 5}
    referee = at(table(UBER, 4), 5, 4, 4, 1)
    news = referee.round(action=plays(referee.state, s0="Thief:0"))
    assert moves(news) == {1: 2, 2: 2, 3: 4}
    assert referee.state.figures == (5, 6, 6, 5)


@pytest.mark.parametrize(("edition", "fields"), [(MANUAL, 4), (UBER, 5)])
def test_a_detective_passed_by_an_exhibitor_moves_by_its_editions_rank(edition, fields):
    figures = (6, 5, 4, 3, 2)
    hands = {4: RUN_A}
    words = {"s0": "Thief:0", "s1": "Thief:0", "s2": "Thief:0", "s3": "Detective", "s4": "Exhibit"}
    referee, news = everyone_in_castle(edition, 5, hands, figures, words)
    assert moves(news)[3] == fields
    assert referee.state.figures[4] > 3


def test_no_figure_moves_beyond_the_last_field_and_each_move_says_why():
    state = table(UBER, 3).state.but(figures=(UBER.last_field - 1, 0, 3))
    moved = movement.advance(state, [(0, 4, Why.DETECTIVE), (2, 1, Why.DETECTIVE)])
    assert moved.figures == (UBER.last_field, 0, 4)
    first, second = of(moved.news, rules.happenings.FigureMoved)
    assert (first.seat, first.start, first.end) == (0, UBER.last_field - 1, UBER.last_field)
    assert (first.fields, second.fields) == (4, 1)
    assert (second.seat, second.start, second.end) == (2, 3, 4)
    assert movement.advance(state, []) is state


def test_a_card_that_is_laid_lies_on_the_table_until_its_place_is_cleared():
    state = table(UBER, 3).state.but(places=(Place.CASTLE, Place.AUCTION_HALL, Place.CASTLE))
    laid = movement.lay(movement.lay(state, 0, 4), 1, 8)
    assert laid.actions == (4, 8, None)
    assert 4 not in laid.hands[0]
    cleared = movement.clear(laid, Place.CASTLE, Why.CASTLE_OVER)
    assert cleared.actions == (None, 8, None)
    assert cleared.hands == (state.hands[0], laid.hands[1], state.hands[2])
    assert [(n.seat, n.card.id) for n in of(cleared.news, rules.happenings.Returned)] == [(0, 4)]


@pytest.mark.parametrize(
    "cards", [{-1: 0}, {51: 0}, {1: 51}, {1: -1}, {12: 5}, {1: 7, 2: 7}], ids=str
)
def test_nothing_is_opened_twice_or_that_is_not_there(cards):
    state = table(UBER, 3).state
    assert state.known[12] is not None
    fails(UnexpectedEvent, "there is no slot|open already", movement.reveal, state, cards)


def test_what_is_opened_is_known_to_all():
    state = table(UBER, 3).state
    hidden = next(card for card in range(51) if card not in state.known)
    opened = movement.reveal(state, {1: hidden})
    assert opened.known[1] == hidden
    assert movement.reveal(state, {}) is state


def test_a_phase_leads_to_those_of_the_table_alone():
    state = table(UBER, 3).state
    assert state.phase == Phase.PLACE_SEAL
    assert movement.go(state, Phase.PLACE_OPEN).phase == Phase.PLACE_OPEN
    fails(IllegalTransition, "", movement.go, state, Phase.THEFT)


def test_the_best_exhibits_are_rewarded_in_their_order_and_there_may_be_fewer_than_honours():
    referee = table(UBER, 3, {0: "A1 A2 B1 F1", 1: "C1 C2 C3 C4"})
    referee.open(*range(8))
    shown = rules.happenings.FinalExhibit
    honours = ((Why.BEST_FINAL, 8), (Why.SECOND_BEST_FINAL, 4))
    state, ranked = movement.reward(referee.state, ((0, 1, 2), (4, 5, 6, 7), None), shown, honours)
    assert ranked == [1, 0]
    assert state.figures == (4, 8, 0)
    alone, ranked = movement.reward(referee.state, ((0, 1, 2), (), None), shown, honours)
    assert (ranked, alone.figures) == ([0], (8, 0, 0))
