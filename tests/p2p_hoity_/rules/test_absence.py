"""Absent seats: what is done for them, and when they take part again."""

from dataclasses import replace

import pytest
from support.cases import fails
from support.rules_driver import card, in_play, of, plays, table

from p2p_hoity import rules
from p2p_hoity.editions.load_edition import load
from protocol import game_interface

UBER, MANUAL = load("uberplay-2004"), load("reference-manual")
HALL = 1
RUN_A, RUN_B = "A1 A2 A3 A4", "B1 B2 B3 B4"


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


def test_an_absent_seat_counts_as_leader_for_ranks_and_for_the_end():
    referee = table(UBER, 4, {0: RUN_A})
    referee.state = replace(referee.state, figures=(0, 2, 1, 9))
    referee.away(3)
    news = referee.round(action=plays(referee.state, s0="Exhibit", s1="Thief:0"))
    told = {n.seat: n.fields for n in of(news, rules.happenings.FigureMoved)}
    assert told == {0: UBER.octagons[9][0], 2: 4}
    referee.state = replace(referee.state, figures=(0, 0, 0, len(UBER.octagons)))
    referee.round()
    assert isinstance(rules.expected(referee.state), game_interface.OpenAll)


def test_one_that_returns_takes_part_again_from_the_next_round_and_before_the_deal_at_once():
    referee = table(UBER, 3)
    referee.away(2)
    referee.until("action", place={0: HALL})
    referee.away()
    assert referee.state.resting == {2}
    assert not referee.state.active(2)
    assert rules.expected(referee.state).seats == {0}
    news = referee.round(action=plays(referee.state, s0="Cash:0"))
    assert [n.seats for n in of(news, rules.happenings.RoundBegan)] == [(0, 1, 2)]
    assert rules.expected(referee.state) == rules.Seal("place", frozenset({0, 1, 2}))
    state = rules.apply(rules.start(UBER, 3), game_interface.Presence(frozenset({0, 1})))
    dealt = game_interface.Dealt(bytes(32), {12: 0, 32: 1})
    assert rules.expected(rules.apply(state, dealt)) == rules.Seal("place", frozenset({0, 1}))
    back = rules.apply(state, game_interface.Presence(frozenset({0, 1, 2})))
    assert rules.expected(rules.apply(back, dealt)) == rules.Seal("place", frozenset({0, 1, 2}))


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


def test_sealed_choices_are_opened_whoever_goes_and_what_is_not_shown_is_default():
    referee = in_play("action", UBER, 3, place={0: HALL, 2: HALL})
    referee.plan = {("action", s): card(referee.state, s, rules.ActionKind.CASH) for s in (0, 2)}
    referee.step()
    referee.away(2)
    assert rules.expected(referee.state) == game_interface.Unseal("action", frozenset({0, 2}))
    referee.away()
    assert rules.expected(referee.state) == game_interface.Unseal("action", frozenset({0, 2}))
    referee = table(UBER, 3, {0: RUN_A})
    referee.open(0, 1, 2)
    referee.until("show", action=plays(referee.state, s0="Exhibit"))
    assert rules.legality.default_exhibit(referee.state, 0) == (0, 1, 2)
    for choice, told in (
        (None, rules.happenings.ExhibitShown),
        ((), rules.happenings.NothingShown),
    ):
        assert of(rules.apply(referee.state, game_interface.Shown("exhibit", 0, choice)).news, told)


def test_actions_already_shown_resolve_fully_with_the_lowest_window_that_is_not_empty():
    referee = in_play("window", UBER, 3, place={0: HALL}, s0="Cash:0")
    top = referee.state.windows[0][0]
    news = referee.away(0).news
    assert [n.choice for n in of(news, rules.happenings.DefaultTaken)] == [0]
    assert [n.took.slot for n in of(news, rules.happenings.Sale)] == [top]
    referee = table(UBER, 3)
    referee.state = replace(referee.state, windows=((), referee.state.windows[1]))
    referee.until("window", place={0: HALL}, action=plays(referee.state, s0="Cash:0"))
    news = referee.apply(game_interface.Chosen("window", 0, None)).news
    assert [n.window for n in of(news, rules.happenings.Sale)] == [1]


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


def test_of_two_exhibitors_the_absent_show_by_default_what_they_have_not_sealed():
    referee = table(UBER, 3, {0: RUN_A, 1: RUN_B})
    referee.open(4, 5, 6, 7)
    referee.until("exhibit", action=plays(referee.state, s0="Exhibit", s1="Exhibit"))
    referee.away(1)
    assert rules.expected(referee.state) == rules.Seal("exhibit", frozenset({0}))
    referee.step()
    news = referee.step().news
    assert {n.seat: n.placing for n in of(news, rules.happenings.ExhibitShown)} == {1: 1, 0: 2}
    referee = table(UBER, 3, {0: RUN_A, 1: RUN_B})
    referee.open(4, 5, 6)
    referee.until("exhibit", action=plays(referee.state, s0="Exhibit", s1="Exhibit"))
    news = referee.away(0, 1).news
    assert [n.seat for n in of(news, rules.happenings.ExhibitShown)] == [1]
    assert [n.seat for n in of(news, rules.happenings.NothingShown)] == [0]
    assert [n.fields for n in of(news, rules.happenings.FigureMoved)] == [2]
    referee = in_play("exhibit", UBER, 3, {0: RUN_A, 1: RUN_B}, s0="Exhibit", s1="Exhibit")
    referee.step()
    referee.away(1)
    assert rules.expected(referee.state) == game_interface.Unseal(
        "exhibit", frozenset({0, 1}), shows=True
    )
    assert {n.seat for n in of(referee.step().news, rules.happenings.ExhibitShown)} == {0, 1}


def test_an_exhibit_without_one_is_found_at_the_end_of_a_whole_game():
    referee = in_play("action", UBER, 3, {0: "A1 A2 C1 C2"})
    referee.plan = {("action", 0): 7}
    referee.step()
    referee.step()
    referee.away(0)
    assert referee.state.round == 2
    referee.state = replace(referee.state, figures=(0, 40, 0))
    referee.round()
    news = referee.step().news
    assert [(n.seat, n.round) for n in of(news, rules.happenings.FaultFound)] == [(0, 1)]


def test_bans_are_for_good_and_with_nobody_present_the_table_waits():
    referee = table(UBER, 3)
    state = referee.away(banned=frozenset({2}))
    (told,) = of(state.news, rules.happenings.PresenceChanged)
    assert (told.absent, told.banned) == ((2,), (2,))
    for event in (
        game_interface.Presence(frozenset({0, 1, 2}), frozenset({2})),
        game_interface.Presence(frozenset({0, 1, 2})),
        game_interface.Presence(frozenset({0, 3}), frozenset({2})),
        game_interface.Presence(frozenset({0}), frozenset({2, 3})),
    ):
        fails(rules.UnexpectedEvent, "", rules.apply, state, event)
    referee = in_play("action", UBER, 3, place={0: HALL})
    state = referee.away(0, 1, 2)
    assert rules.expected(state) == rules.Seal("place", frozenset())
    assert state.round == 1
    fails(
        rules.UnexpectedEvent, "", rules.apply, state, game_interface.Sealed("place", frozenset())
    )
    back = rules.apply(state, game_interface.Presence(frozenset({1})))
    assert (back.round, rules.expected(back)) == (2, rules.Seal("place", frozenset({1})))
