"""The notes beside the Action cards: true by what is open, and short enough to be read whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from support.cli_stage import NICKNAMES, referee, until

from cli.words.cards import Names
from cli.words.notes import note
from p2p_hoity.rules import ActionKind, Place, View, best_slots


def noted(view: View, kind: ActionKind, where: Place, others: Sequence[Place | None]) -> str:
    """The note at the first Action card of a kind, if everyone is where it is said."""
    state = view.state.but(places=(where, *others), actions=(None,) * view.state.seats)
    there = replace(view, state=state)
    card = next(c for c in state.hands[0] if state.kind(c) == kind)
    return note(there, "action", card, Names(state.edition, NICKNAMES[: state.seats], 0))


def views() -> Iterator[View]:
    """Moments of several games in which seat 0 picks an Action with its first Thief in hand."""
    for seed in range(1, 9):
        view = until(referee(4, seed), "action", 0)
        if all(any(view.state.kind(c) == kind for c in view.state.hands[0]) for kind in ActionKind):
            yield view


CASTLE, HALL = Place.CASTLE, Place.AUCTION_HALL


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (ActionKind.THIEF, "nothing to steal"),
        (ActionKind.DETECTIVE, "no gain"),
        (ActionKind.EXHIBIT, "nobody else here can show an exhibit"),
    ],
)
def test_who_is_alone_in_the_castle_is_told_what_that_means(kind: ActionKind, words: str) -> None:
    able = [v for v in views() if kind != ActionKind.EXHIBIT or best_slots(v.state, v.mine())]
    assert able
    for view in able:
        assert words in noted(view, kind, CASTLE, (HALL,) * 3)
        assert words not in noted(view, kind, CASTLE, (CASTLE,) * 3)


def test_the_rivals_of_a_buyer_stand_with_the_largest_first() -> None:
    for view in views():
        words = noted(view, ActionKind.CASH, HALL, (HALL,) * 3)
        state = view.state
        most = {
            seat: max(
                (
                    state.edition.number(c)
                    for c in state.hands[seat]
                    if state.kind(c) == ActionKind.CASH
                ),
                default=0,
            )
            for seat in (1, 2, 3)
        }
        order = sorted((s for s in most if most[s]), key=lambda s: -most[s])
        assert words.endswith(", ".join(f"{NICKNAMES[s]} {most[s]}" for s in order))


def test_a_thief_in_the_hall_is_named_where_nobody_else_has_cash() -> None:
    for view in views():
        hands = tuple(
            tuple(c for c in hand if seat == 0 or view.state.kind(c) != ActionKind.CASH)
            for seat, hand in enumerate(view.state.hands)
        )
        poor = replace(view, state=view.state.but(hands=hands))
        thieves = [
            NICKNAMES[seat]
            for seat in (1, 2, 3)
            if any(view.state.kind(c) == ActionKind.THIEF for c in hands[seat])
        ]
        words = noted(poor, ActionKind.CASH, HALL, (HALL,) * 3)
        assert words == f"buys; {', '.join(thieves)} may steal the Cash"
        assert "nobody else" in noted(poor, ActionKind.CASH, HALL, (CASTLE,) * 3)
