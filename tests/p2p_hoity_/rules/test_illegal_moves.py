"""Tests of every rule that a choice can break: each is told by its code and its fields."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from support.cases import each
from support.rules_driver import Referee, card, plays, table

from p2p_hoity.editions.load_edition import load
from p2p_hoity.rules import ActionKind, IllegalMove, Rule, check

UBER = load("uberplay-2004")


def fresh() -> Referee:
    """Three seats that choose their Places."""
    made = table(UBER, 3, {0: "A1 A2 A3 D1", 1: "A4 A5 C1 D2"})
    made.until("place")
    return made


def castle() -> Referee:
    """All in the Castle, choosing Actions."""
    made = fresh()
    made.until("action")
    return made


def shop() -> Referee:
    """Seat 0 alone in the Auction Hall, the buyer; window 2 is empty."""
    made = fresh()
    first, _ = made.state.windows
    made.state = replace(made.state, windows=(first, ()))
    made.until("window", place={0: 1}, action=plays(made.state, s0="Cash"))
    return made


def closed() -> Referee:
    """No window holds a Collectible."""
    made = fresh()
    made.state = replace(made.state, windows=((), ()))
    return made


def penniless() -> Referee:
    """Seat 0 has Action cards for the Castle alone."""
    made = fresh()
    castle_only = (ActionKind.EXHIBIT, ActionKind.DETECTIVE)
    kept = tuple(c for c in made.state.hands[0] if made.state.kind(c) in castle_only)
    made.state = replace(made.state, hands=(kept, *made.state.hands[1:]))
    return made


def show() -> Referee:
    """Seat 0 shows alone."""
    made = fresh()
    made.until("show", action=plays(made.state, s0="Exhibit"))
    return made


def theft() -> Referee:
    """Seat 1 steals from seat 0's exhibit of slots 0, 1 and 2."""
    made = fresh()
    actions = plays(made.state, s0="Exhibit", s1="Thief:0")
    made.until("theft", action=actions, exhibit={0: (0, 1, 2)})
    return made


def held(seat: int, kind: ActionKind) -> int:
    return card(fresh().state, seat, kind)


BROKEN: dict[Rule, tuple[Callable[[], Referee], str, int, Any]] = {
    Rule.NOT_A_PLACE: (fresh, "place", 0, 2),
    Rule.NOT_AN_ACTION: (castle, "action", 0, 48),
    Rule.NOT_A_TURN: (fresh, "turn", 0, (0,)),
    Rule.NOT_A_WINDOW: (shop, "window", 0, 2),
    Rule.TOO_SMALL: (show, "exhibit", 0, (0, 1)),
    Rule.NAMED_TWICE: (show, "exhibit", 0, (0, 1, 1)),
    Rule.NOT_RISING: (show, "exhibit", 0, (0, 2, 1)),
    Rule.HALL_CLOSED: (closed, "place", 0, 1),
    Rule.HALL_WITHOUT_ACTION: (penniless, "place", 0, 1),
    Rule.IN_NO_PLACE: (fresh, "action", 0, 0),
    Rule.NOT_IN_HAND: (castle, "action", 0, 8),
    Rule.NOT_PLAYED_THERE: (castle, "action", 0, held(0, ActionKind.CASH)),
    Rule.WITHOUT_EXHIBIT: (castle, "action", 1, held(1, ActionKind.EXHIBIT)),
    Rule.NOT_HELD: (show, "exhibit", 0, (0, 1, 4)),
    Rule.NOT_SHOWN: (show, "exhibit", 0, (0, 1, 2)),
    Rule.NO_RUN: (show, "exhibit", 0, (0, 1, 3)),
    Rule.WINDOW_EMPTY: (shop, "window", 0, 1),
    Rule.ONE_OF_EACH: (theft, "theft", 1, (0, 1)),
    Rule.NOT_OF_ITS_EXHIBIT: (theft, "theft", 1, (3,)),
}


def test_every_rule_is_broken_here_and_told_by_its_code_and_fields() -> None:
    assert set(BROKEN) == set(Rule)
    assert str(Rule.WINDOW_EMPTY.broken(window=1)) == "window-empty (window=1)"
    assert str(Rule.HALL_CLOSED.broken()) == "hall-closed"


@each(Rule)
def test_a_broken_rule_is_named_with_its_fields(rule: Rule) -> None:
    made, kind, seat, choice = BROKEN[rule]
    referee = made()
    private = {} if rule is Rule.NOT_SHOWN else referee.private(seat)
    with pytest.raises(IllegalMove) as caught:
        check(referee.state, kind, seat, choice, private)  # type: ignore[arg-type]
    assert caught.value.code == rule
    assert set(caught.value.fields) == set(rule.fields)


@pytest.mark.parametrize(
    ("made", "kind", "seat", "choice"),
    [
        (fresh, "place", 0, 1),
        (castle, "action", 0, held(0, ActionKind.EXHIBIT)),
        (shop, "window", 0, 0),
        (show, "exhibit", 0, (0, 1, 2)),
        (theft, "theft", 1, (2,)),
    ],
)
def test_kept_rules_pass(made: Callable[[], Referee], kind: str, seat: int, choice: Any) -> None:
    referee = made()
    check(referee.state, kind, seat, choice, referee.private(seat))  # type: ignore[arg-type]


def test_a_rule_has_the_fields_of_its_gaps_and_those_without_a_gap() -> None:
    assert Rule.NOT_PLAYED_THERE.fields == {"action", "place"}
    assert Rule.NAMED_TWICE.fields == {"slot"}
    assert Rule.NOT_IN_HAND.fields == {"card"}
    assert Rule.NOT_IN_HAND.template == "the Action card is not in its hand"
    for rule in Rule:
        told = rule.template.format(**dict.fromkeys(rule.fields, "it"))
        assert told
        assert "{" not in told
