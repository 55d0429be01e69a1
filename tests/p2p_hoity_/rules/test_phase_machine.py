"""Tests of the phase machine: the events it takes, presence, and every transition in games."""

from dataclasses import replace
from itertools import product

import pytest
from support.cases import fails
from support.rules_driver import Referee, card, in_play, of, plays, table
from support.unruly_games import TABLES, play_unruly

from p2p_hoity import rules
from p2p_hoity.editions.load_edition import load
from p2p_hoity.rules import ActionKind, IllegalMove, UnexpectedEvent, movement, phases
from p2p_hoity.rules.phases import TABLE
from protocol import game_interface

UBER = load()
HALL = 1
RUN_A = "A1 A2 A3 A4"


def test_illegal_and_unexpected_events_leave_the_state_as_it_was():
    referee = table(UBER, 3)
    state = referee.state
    referee.until("action", place={0: HALL})
    begun = referee.state
    sealed = rules.apply(begun, game_interface.Sealed("action", frozenset({0})))
    with pytest.raises(IllegalMove):
        rules.apply(
            sealed, game_interface.Unsealed("action", {0: card(begun, 0, ActionKind.EXHIBIT)})
        )
    for event in (
        game_interface.Sealed("place", frozenset({0})),
        game_interface.Sealed("action", frozenset({0, 1})),
        game_interface.Unsealed("action", {0: 0}),
        game_interface.Chosen("window", 0, 0),
    ):
        fails(UnexpectedEvent, "", rules.apply, begun, event)
    fails(UnexpectedEvent, "", rules.apply, sealed, game_interface.Unsealed("action", {0: 0, 1: 0}))
    assert referee.state == begun
    assert state.places == (None, None, None)
    with pytest.raises(IllegalMove, match=r"^not-in-hand \(card=\d+\)$"):
        rules.check(referee.state, "action", 0, card(referee.state, 1, ActionKind.CASH))


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


def test_random_games_walk_every_transition_of_the_table(monkeypatch):
    walked = set()
    permit = phases.require

    def note(begin, end):
        walked.add((begin, end))
        permit(begin, end)

    monkeypatch.setattr(movement, "require", note)
    sold_out = table(load("reference-manual"), 3)  # windows seldom empty before the end there
    sold_out.state = replace(sold_out.state, windows=(sold_out.state.windows[0][:1], ()))
    sold_out.round(place={0: 1}, action=plays(sold_out.state, s0="Cash"))
    every = {(row.start, row.end) for row in TABLE}
    for seed, (name, seats, variant) in product(range(4), TABLES):
        if walked != every:
            play_unruly(name, seats, variant, seed)
    assert walked == every


def test_unseal_asks_only_those_who_sealed():
    referee = Referee.seat(load("reference-manual"), 5, 3)
    sealed = frozenset()
    while not isinstance(due := rules.expected(referee.state), game_interface.Over):
        if isinstance(due, game_interface.Unseal):
            assert due.seats <= sealed
        event = referee.answer()
        if isinstance(event, game_interface.Sealed):
            sealed = event.seats
        referee.apply(event)
    assert referee.state.phase == rules.Phase.OVER


def test_a_game_is_stopped_in_any_round_and_neither_before_nor_after():
    referee = table(UBER, 3)
    stopped = rules.apply(referee.state, game_interface.Stopped())
    assert stopped.phase == rules.Phase.FINAL
    assert [n.round for n in of(stopped.news, rules.happenings.GameStopped)] == [1]
    assert isinstance(rules.expected(stopped), game_interface.OpenAll)
    for state in (rules.start(UBER, 3), stopped):
        fails(UnexpectedEvent, "is not stopped", rules.apply, state, game_interface.Stopped())
