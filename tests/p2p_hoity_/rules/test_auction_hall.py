"""Tests of the Auction Hall: the sale, the Thief, and the windows."""

from dataclasses import replace

from support.cases import fails
from support.rules_driver import card, in_play, of, plays, table

from p2p_hoity import rules
from p2p_hoity.editions.load_edition import load
from p2p_hoity.rules import ActionKind, IllegalMove, UnexpectedEvent
from p2p_hoity.rules.happenings import CashPaid, CashStolen, NoSale, Returned, Sale, TurnedUp
from protocol import game_interface

UBER, MANUAL = load("uberplay-2004"), load("reference-manual")
HALL, CASTLE = 1, 0
ALL_IN_HALL = {0: HALL, 1: HALL, 2: HALL}


def in_hall(words, edition=UBER, seats=3, **more):
    referee = table(edition, seats)
    places = {seat: HALL for seat in range(seats) if f"s{seat}" in words}
    news = referee.round(place=places, action=plays(referee.state, **words), **more)
    return referee, news


def test_the_largest_cash_buys_lies_in_the_register_and_other_cash_goes_back():
    referee = table(UBER, 3)
    top = referee.state.windows[1][0]
    news = referee.round(
        place=ALL_IN_HALL,
        action=plays(referee.state, s0="Cash:3", s1="Cash:3", s2="Cash:2"),
        window={1: 1},
    )
    (sale,) = of(news, Sale)
    assert (sale.seat, sale.window, sale.paid.number, sale.took.slot) == (1, 1, 20, top)
    assert top in referee.state.collectibles[1]
    referee, news = in_hall({"s0": "Cash:3", "s1": "Cash:3", "s2": "Cash:2"})
    assert [referee.state.edition.number(c) for c in referee.state.register] == [20]
    home = [n.card for n in of(news, Returned)]
    assert {c.number for c in home if c.kind == ActionKind.CASH} == {19, 16}
    assert [len(hand) for hand in referee.state.hands] == [8, 7, 8]
    assert len(of(news, CashPaid)) == 1


def test_one_thief_takes_the_cash_just_paid_for_good_and_of_two_nobody_does():
    referee, news = in_hall({"s0": "Cash:3", "s1": "Cash:3", "s2": "Thief:0"})
    (stolen,) = of(news, CashStolen)
    assert (stolen.seat, stolen.owner, stolen.cash.number) == (2, 1, 20)
    assert stolen.cash.id in referee.state.hands[2]
    assert referee.state.register == ()
    assert card(referee.state, 2, ActionKind.THIEF) in referee.state.hands[2]
    referee, news = in_hall({"s0": "Cash:0", "s1": "Thief:0", "s2": "Thief:1"})
    assert not of(news, CashStolen)
    assert [referee.state.edition.number(c) for c in referee.state.register] == [1]
    assert [len(hand) for hand in referee.state.hands] == [7, 8, 8]


def test_neither_a_detective_nor_a_thief_without_cash_of_this_round_gains():
    referee, _ = in_hall({"s0": "Cash:3"})
    paid = referee.state.register
    actions = plays(referee.state, s1="Cash:0", s2="Thief:0", s0="Cash:0")
    news = referee.round(place=ALL_IN_HALL, action=actions)
    assert [n.cash.number for n in of(news, CashStolen)] == [2]
    assert referee.state.register == paid
    referee, news = in_hall({"s0": "Thief:0"})
    assert of(news, NoSale)
    assert not of(news, Sale) + of(news, CashStolen)
    assert referee.state.collectibles == table(UBER, 3).state.collectibles
    assert len(referee.state.hands[0]) == 8
    referee, news = in_hall({"s0": "Detective", "s1": "Thief:0", "s2": "Cash:0"}, MANUAL)
    assert referee.state.prison == ()
    assert referee.state.figures == (0, 0, 0)
    assert len(referee.state.hands[0]) == 8
    assert len(of(news, CashStolen)) == 1


def test_after_the_sale_the_next_is_turned_up_and_a_window_is_never_refilled():
    referee = table(UBER, 3)
    first, following = referee.state.windows[0][:2]
    referee.until("window", place={0: HALL}, action=plays(referee.state, s0="Cash:0"))
    assert rules.expected(referee.state) == rules.Choose("window", 0)
    referee.apply(game_interface.Chosen("window", 0, 0))
    assert rules.expected(referee.state) == game_interface.Draw((following,))
    fails(UnexpectedEvent, "", rules.apply, referee.state, game_interface.Drawn({following + 1: 5}))
    news = referee.step().news
    (up,) = of(news, TurnedUp)
    assert (up.window, up.piece.slot) == (0, following)
    assert referee.state.windows[0][0] == following != first
    referee = table(UBER, 3)
    state = replace(referee.state, windows=((), referee.state.windows[1]))
    referee.state = state
    referee.until("window", place={0: HALL}, action=plays(state, s0="Cash:0"))
    fails(
        IllegalMove,
        "window-empty",
        rules.apply,
        referee.state,
        game_interface.Chosen("window", 0, 0),
    )
    assert referee.legal("window", 0) == (1,)
    referee.apply(game_interface.Chosen("window", 0, 1))
    assert referee.state.windows[0] == ()


def test_after_the_last_sale_nothing_is_drawn_and_all_are_in_the_castle():
    referee = table(UBER, 3)
    referee.state = replace(referee.state, windows=(referee.state.windows[0][:1], ()))
    news = referee.round(place={0: HALL}, action=plays(referee.state, s0="Cash:0"))
    assert of(news, Sale)
    assert not of(news, TurnedUp)
    assert referee.state.windows_empty
    assert referee.state.places == (CASTLE,) * 3
    assert rules.expected(referee.state).kind == "action"


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
