"""Tests of the end: the Banquet, final exhibits, and standings."""

from dataclasses import replace

from support.cases import fails
from support.rules_driver import in_play, of, plays, table

from p2p_hoity import rules
from p2p_hoity.editions.load_edition import load
from p2p_hoity.rules.game_state import Claim
from p2p_hoity.rules.happenings import (
    FaultFound,
    FigureMoved,
    FinalExhibit,
    RoundBegan,
    StandingMade,
)
from protocol import game_interface

UBER = load()
FIRST_BANQUET = len(UBER.octagons)
HANDS = {0: "A1 A2 A3 A4", 1: "B1 B2 B3 B4", 2: "C1 C2 C3 C4"}
NONE = "A5 B5 D5 E5"


def end(figures, hands=HANDS, seats=3):
    """A table whose round has just ended with a figure in the Banquet."""
    referee = table(UBER, seats, hands)
    referee.state = replace(referee.state, figures=figures)
    referee.round()
    assert isinstance(rules.expected(referee.state), game_interface.OpenAll)
    return referee


def finished(*args, **more):
    referee = end(*args, **more)
    news = referee.step().news
    assert isinstance(rules.expected(referee.state), game_interface.Over)
    return referee.state, news


def lines(state):
    return [(line.rank, line.seat, line.field) for line in state.standings]


def test_the_game_ends_after_the_round_in_which_a_figure_enters_the_banquet():
    referee = table(UBER, 3, {0: HANDS[0]})
    referee.state = replace(referee.state, figures=(FIRST_BANQUET - 1, 0, 0))
    words = {"s0": "Exhibit", "s1": "Thief:0", "s2": "Detective"}
    news = referee.round(action=plays(referee.state, **words))
    assert {n.seat for n in of(news, FigureMoved)} == {0, 2}
    assert isinstance(rules.expected(referee.state), game_interface.OpenAll)
    referee = table(UBER, 3)
    referee.state = replace(referee.state, figures=(FIRST_BANQUET - 1, 0, 0))
    news = referee.round()
    assert len(of(news, RoundBegan)) == 1
    assert referee.state.round == 2


def test_the_best_final_exhibit_moves_8_the_second_4_and_nobody_past_the_end():
    state, news = finished((FIRST_BANQUET, 20, 36))
    assert {n.seat: n.fields for n in of(news, FigureMoved)} == {1: 8, 2: 4}
    assert [(n.seat, n.placing) for n in of(news, FinalExhibit)] == [(0, 3), (2, 2), (1, 1)]
    assert lines(state) == [(1, 2, 40), (2, 0, 38), (3, 1, 28)]
    hands = {0: HANDS[0], 1: "B1 B2 E1 E2", 2: "C1 C2 F1 F2"}
    _, news = finished((FIRST_BANQUET, 1, 2), hands)
    assert {n.seat: n.fields for n in of(news, FigureMoved)} == {0: 8}
    state, _ = finished((FIRST_BANQUET, UBER.last_field - 1, 0))
    assert lines(state)[0] == (1, 1, UBER.last_field)


def test_what_tells_the_result_comes_last():
    """Each hand with its exhibit from the worst to the best, then 4 fields, then 8, then ranks."""
    _, news = finished((FIRST_BANQUET, 20, 36))
    kinds = [(type(n).__name__, getattr(n, "seat", None)) for n in news]
    assert kinds == [
        *[(kind, seat) for seat in (0, 2, 1) for kind in ("HandOpened", "FinalExhibit")],
        *[("FigureMoved", 2), ("FigureMoved", 1)],
        *[("StandingMade", seat) for seat in (2, 0, 1)],
    ]
    hands = {0: HANDS[0], 1: "B1 B2 E1 E2", 2: "C1 C2 F1 F2"}
    _, news = finished((FIRST_BANQUET, 1, 2), hands)
    opened = [(type(n).__name__, n.seat) for n in news[:4]]
    assert opened == [
        *[("HandOpened", seat) for seat in (1, 2, 0)],
        ("FinalExhibit", 0),
    ]


def test_only_hands_are_opened_at_the_end_and_then_only_presence_changes():
    referee = end((FIRST_BANQUET, 0, 0))
    assert rules.expected(referee.state) == game_interface.OpenAll(tuple(range(12)))
    for cards in ({14: 50}, {0: 99}):
        fails(rules.UnexpectedEvent, "", rules.apply, referee.state, game_interface.Opened(cards))
    state, news = finished((FIRST_BANQUET, 0, 0))
    assert len(of(news, StandingMade)) == 3
    fails(
        rules.UnexpectedEvent, "", rules.apply, state, game_interface.Sealed("place", frozenset())
    )
    gone = rules.apply(state, game_interface.Presence(frozenset({0, 1})))
    assert isinstance(rules.expected(gone), game_interface.Over)
    assert gone.standings == state.standings


def test_a_tie_goes_to_the_better_final_exhibit_and_without_one_is_shared():
    state, _ = finished((FIRST_BANQUET, FIRST_BANQUET - 8, FIRST_BANQUET - 4))
    assert lines(state) == [(1, 1, 38), (2, 2, 38), (3, 0, 38)]
    hands = {0: "A1 A2 C1 E1", 1: "B1 B2 D1 F1", 2: "C2 C3 C4 C5", 3: "A3 B3 D3 E3"}
    state, _ = finished((FIRST_BANQUET, FIRST_BANQUET, FIRST_BANQUET - 8, 1), hands, seats=4)
    assert lines(state) == [(1, 2, 38), (2, 0, 38), (2, 1, 38), (4, 3, 1)]
    assert state.shares == (0, 0, 1, 0)
    hands = {0: "A1 A2 C1 E1", 1: "B1 B2 D1 F1", 2: "A3 B3 D3 E3"}
    state, _ = finished((FIRST_BANQUET, FIRST_BANQUET, 0), hands)
    assert lines(state) == [(1, 0, 38), (1, 1, 38), (3, 2, 0)]
    assert state.shares == (0.5, 0.5, 0)


def test_an_exhibit_played_without_one_is_found_in_what_is_opened_at_the_end():
    referee = end((FIRST_BANQUET, 20, 30))
    referee.open(4, 5, 6)  # three of seat 1's were shown once
    assert rules.expected(referee.state) == game_interface.OpenAll((0, 1, 2, 3, 7, 8, 9, 10, 11))
    referee.apply(game_interface.Opened(referee.cards((0, 1, 2, 3, 8, 9, 10, 11))))
    by_seat = sorted(referee.state.standings, key=lambda line: line.seat)
    assert [len(line.exhibit) for line in by_seat] == [4, 3, 4]
    referee = end((FIRST_BANQUET, 0, 0), {0: HANDS[0], 1: HANDS[1], 2: NONE})
    clean = referee.state
    claimed = replace(clean, claims=(Claim(1, 2, (8, 9, 10, 11)), Claim(1, 1, (4, 5, 6, 7))))
    opened = game_interface.Opened(referee.cards(range(12)))
    assert not of(rules.apply(clean, opened).news, FaultFound)
    found = rules.apply(claimed, opened)
    assert [(n.seat, n.round) for n in of(found.news, FaultFound)] == [(2, 1)]
    assert found.standings == rules.apply(clean, opened).standings
    partly = rules.apply(claimed, game_interface.Opened(referee.cards(range(11))))
    assert not of(partly.news, FaultFound)


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
