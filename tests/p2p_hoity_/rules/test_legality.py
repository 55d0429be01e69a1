"""Tests of legal choices, and of those that are made for absent seats."""

from dataclasses import replace

import pytest
from support.cases import fails
from support.rules_driver import card, in_play, of, plays, table

from p2p_hoity import rules
from p2p_hoity.editions.load_edition import load
from p2p_hoity.rules import ActionKind, IllegalMove, legality

UBER, MANUAL = load("uberplay-2004"), load("reference-manual")
RUN_A = "A1 A2 A3 A4"
HALL, CASTLE = 1, 0


def test_the_default_theft_is_the_oldest_piece_of_each_exhibit_for_a_resting_thief_too():
    referee = table(UBER, 4, {0: "A3 A1 A2 A4", 1: "C2 C3 B1 B2"})
    words = {"s0": "Exhibit", "s1": "Exhibit", "s2": "Thief:0", "s3": "Thief:0"}
    referee.until("theft", action=plays(referee.state, **words))
    news = referee.away(2, 3).news
    taken = [(n.seat, n.piece.slot) for n in of(news, rules.happenings.Stolen)]
    assert taken[:2] == [(3, 1), (3, 6)]
    assert [seat for seat, _ in taken] == [3, 3, 2, 2]
    assert len(of(news, rules.happenings.DefaultTaken)) == 2
    assert referee.state.round == 2
    referee = in_play("show", UBER, 3, {0: RUN_A}, s0="Exhibit", s1="Thief:0")
    referee.away(1)
    referee.away()
    news = referee.step().news
    assert [n.kind for n in of(news, rules.happenings.DefaultTaken)] == ["theft"]


@pytest.mark.parametrize("opened", [(), (0, 1), (0, 1, 2)])
def test_an_absent_lone_exhibitor_shows_the_best_that_is_open_to_all_else_nothing(opened):
    referee = table(UBER, 3, {0: RUN_A})
    referee.open(*opened)
    referee.until("show", action=plays(referee.state, s0="Exhibit"))
    news = referee.away(0).news
    if len(opened) == 3:
        (shown,) = of(news, rules.happenings.ExhibitShown)
        assert tuple(p.slot for p in shown.pieces) == opened
        assert [n.fields for n in of(news, rules.happenings.FigureMoved)] == [2]
    else:
        assert not of(news, rules.happenings.ExhibitShown) + of(news, rules.happenings.FigureMoved)
        assert [n.seat for n in of(news, rules.happenings.NothingShown)] == [0]


def test_the_hall_is_no_legal_place_without_a_collectible_or_a_card_for_it():
    state = table(UBER, 3).state
    rules.check(state, "place", 0, HALL)
    with pytest.raises(IllegalMove, match="hall-closed"):
        rules.check(replace(state, windows=((), ())), "place", 0, HALL)
    bare = replace(state, hands=((6, 7), *state.hands[1:]))
    fails(IllegalMove, "hall-without-action", rules.check, bare, "place", 0, HALL)
    rules.check(bare, "place", 0, CASTLE)
    state = table(MANUAL, 3).state
    rules.check(replace(state, hands=((6, 7), *state.hands[1:])), "place", 0, HALL)


@pytest.mark.parametrize(
    ("place", "kind", "uber", "manual"),
    [
        (HALL, "Cash", True, True),
        (HALL, "Thief", True, True),
        (HALL, "Detective", False, True),
        (HALL, "Exhibit", False, False),
        (CASTLE, "Cash", False, False),
        (CASTLE, "Thief", True, True),
        (CASTLE, "Detective", True, True),
        (CASTLE, "Exhibit", True, True),
    ],
)
def test_which_action_belongs_where(place, kind, uber, manual):
    for edition, allowed in ((UBER, uber), (MANUAL, manual)):
        referee = in_play("action", edition, 3, {0: "A1 A2 A3 A4"}, place={0: place, 1: HALL})
        action = card(referee.state, 0, ActionKind(kind))
        assert (action in referee.legal("action", 0)) == allowed
        if allowed:
            rules.check(referee.state, "action", 0, action)
        else:
            fails(IllegalMove, "not-played-there", rules.check, referee.state, "action", 0, action)


def test_of_exhibits_the_best_of_each_size_is_listed_and_only_for_who_has_one():
    referee = table(UBER, 3, {0: "A1 A2 A3 A4", 1: "A5 A6 C1 E1"})
    listed = referee.legal("exhibit", 0)
    assert [len(slots) for slots in listed] == [4, 3]
    assert listed[0] == rules.best_slots(referee.state, referee.private(0)) == (0, 1, 2, 3)
    assert referee.legal("exhibit", 1) == ()
    assert rules.best_slots(referee.state, referee.private(1)) is None


def test_who_may_have_an_exhibit_by_what_is_open_may_play_one_until_all_is_known():
    referee = in_play("action", UBER, 3, {0: RUN_A, 1: "A5 A6 C1 E1"})
    state = referee.state
    assert legality.holds_exhibit(state, 1)
    assert not legality.holds_exhibit(state, 1, referee.private(1))
    assert legality.holds_exhibit(state, 0, referee.private(0))


def test_who_has_no_card_for_a_place_owes_no_action_there():
    state = table(UBER, 3).state
    assert legality.has_action(state, 0, rules.Place.AUCTION_HALL)
    bare = replace(state, hands=((6,), *state.hands[1:]))
    assert not legality.has_action(bare, 0, rules.Place.AUCTION_HALL)
    assert legality.has_action(bare, 0, rules.Place.CASTLE)


def test_of_each_exhibit_one_piece_may_be_taken_and_of_empty_ones_none():
    state = table(UBER, 3).state.but(exhibits=((0, 1, 2), (), (8, 9)))
    assert rules.theft_options(state) == ((0, 1, 2), (8, 9))
    assert len(legality.legal(state, "theft", 1)) == 6
    assert legality.legal(state.but(exhibits=(None, (), None)), "theft", 1) == ()


def test_an_absent_buyer_buys_from_the_first_window_that_is_not_empty():
    state = table(UBER, 3).state
    assert legality.default_window(state) == 0
    assert legality.default_window(state.but(windows=((), state.windows[1]))) == 1
