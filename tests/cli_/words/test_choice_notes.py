"""The notes beside the Action cards: true by what is open, and short enough to be read whole."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from support.cli_stage import NICKNAMES, referee, until

from cli.words import choice_notes
from cli.words.card_names import Names
from cli.words.choice_notes import note, placing
from p2p_hoity.editions.load_edition import load
from p2p_hoity.rules import ActionKind, Place, View, best_slots


def held(view: View, seat: int, kind: ActionKind) -> list[int]:
    """The Action cards of this kind in a hand."""
    return [card for card in view.state.hands[seat] if view.state.kind(card) == kind]


def noted(view: View, kind: ActionKind, where: Place, others: Sequence[Place | None]) -> str:
    """The note at the first Action card of a kind, if everyone is where it is said."""
    state = view.state.but(places=(where, *others), actions=(None,) * view.state.seats)
    there = replace(view, state=state)
    names = Names(state.edition, NICKNAMES[: state.seats], 0)
    return note(there, "action", held(there, 0, kind)[0], names)


def views() -> Iterator[View]:
    """Moments of several games in which seat 0 picks an Action with its first Thief in hand."""
    for seed in range(1, 9):
        view = until(referee(4, seed), "action", 0)
        if all(held(view, 0, kind) for kind in ActionKind):
            yield view


NAMES = Names(load(), NICKNAMES[:4], 0)
CASTLE, HALL = Place.CASTLE, Place.AUCTION_HALL


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (ActionKind.THIEF, "no loot"),
        (ActionKind.DETECTIVE, "no gain"),
        (ActionKind.EXHIBIT, "nobody else can exhibit here"),
    ],
)
def test_who_is_alone_in_the_castle_is_told_what_that_means(kind: ActionKind, words: str) -> None:
    able = [v for v in views() if kind != ActionKind.EXHIBIT or best_slots(v.state, v.mine())]
    assert able
    for view in able:
        assert words in noted(view, kind, CASTLE, (HALL,) * 3)
        assert words not in noted(view, kind, CASTLE, (CASTLE,) * 3)


def test_the_rivals_of_a_buyer_stand_with_the_largest_first_and_thieves_are_named() -> None:
    for view in views():
        words = noted(view, ActionKind.CASH, HALL, (HALL,) * 3)
        cash = {seat: held(view, seat, ActionKind.CASH) for seat in (1, 2, 3)}
        number = view.state.edition.number
        most = {seat: max(map(number, cards), default=0) for seat, cards in cash.items()}
        order = sorted((s for s in most if most[s]), key=lambda s: -most[s])
        assert words.endswith(", ".join(f"{NICKNAMES[s]} {most[s]}" for s in order))
    for view in views():
        hands = tuple(
            tuple(c for c in hand if seat == 0 or view.state.kind(c) != ActionKind.CASH)
            for seat, hand in enumerate(view.state.hands)
        )
        poor = replace(view, state=view.state.but(hands=hands))
        thieves = [NICKNAMES[seat] for seat in (1, 2, 3) if held(poor, seat, ActionKind.THIEF)]
        words = noted(poor, ActionKind.CASH, HALL, (HALL,) * 3)
        assert words == f"buys; may steal the Cash: {', '.join(thieves)}"
        assert "nobody else" in noted(poor, ActionKind.CASH, HALL, (CASTLE,) * 3)


@pytest.mark.parametrize(
    ("rivals", "words"),
    [
        ([3], "2nd (+2) against the best of Dan; at most +4"),
        ([1, 3], "3rd (+0) against the best of Bob, Dan; at most +4"),
    ],
)
def test_rivals_with_better_exhibits_are_named(
    rivals: list[int], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = until(referee(4, 5), "exhibit", 0)
    best = best_slots(view.state, view.mine()) or ()
    assert choice_notes.rivals_ahead(view, best) == [3]
    monkeypatch.setattr(choice_notes, "rivals_ahead", lambda *given: rivals)
    assert placing(view, best, NAMES) == words


def test_who_is_absent_still_shows_the_exhibit_it_has_played() -> None:
    for seed in range(1, 9):
        driver = referee(4, seed)
        view = until(driver, "exhibit", 0)
        others = [s for s in (1, 2, 3) if view.state.places[s] == CASTLE and played(view, s)]
        if others:
            driver.away(others[0])
            state = driver.state
            there = replace(view, state=state)
            assert played(there, others[0])
            assert "nobody else" not in placing(there, best_slots(state, view.mine()) or (), NAMES)
            return
    raise AssertionError("nobody shows an exhibit beside")


def played(view: View, seat: int) -> bool:
    """Whether a seat has played its Exhibit."""
    action = view.state.actions[seat]
    return action is not None and view.state.kind(action) == ActionKind.EXHIBIT


@pytest.mark.parametrize(("rank", "words"), [("before", "your rank"), ("after", "move first")])
def test_the_rank_of_a_detective_is_that_of_the_edition(rank: Any, words: str) -> None:
    view = next(views())
    switches = replace(view.state.edition.switches, detective_rank=rank)
    edition = replace(view.state.edition, switches=switches)
    there = replace(view, state=view.state.but(edition=edition))
    assert words in noted(there, ActionKind.DETECTIVE, CASTLE, (CASTLE,) * 3)


def test_a_thief_in_the_hall_is_told_whether_anybody_there_has_cash() -> None:
    for view in views():
        assert "takes the Cash" in noted(view, ActionKind.THIEF, HALL, (HALL, CASTLE, CASTLE))
        assert "nobody else here has Cash" in noted(view, ActionKind.THIEF, HALL, (CASTLE,) * 3)
        hands = tuple(
            tuple(c for c in hand if seat == 0 or view.state.kind(c) != ActionKind.CASH)
            for seat, hand in enumerate(view.state.hands)
        )
        poor = replace(view, state=view.state.but(hands=hands))
        assert "nobody else here has Cash" in noted(poor, ActionKind.THIEF, HALL, (HALL,) * 3)
