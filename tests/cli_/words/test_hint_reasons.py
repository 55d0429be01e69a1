"""One reason beside a hint: it is true by what lies open, for every choice in whole games."""

from dataclasses import replace
from typing import Any

import pytest
from support.cli_stage import NICKNAMES, referee, until

from cli.words import translation
from cli.words.card_names import Names
from cli.words.choice_names import advice, ordered
from cli.words.choice_notes import note
from cli.words.hint_reasons import reason
from p2p_hoity import rules
from p2p_hoity.rules import ActionKind, Place, View, best_slots
from protocol import game_interface

CASTLE, HALL = Place.CASTLE, Place.AUCTION_HALL
SEEDS = range(1, 30)


def names_of(view: View) -> Names:
    return Names(view.state.edition, NICKNAMES[: view.state.seats], 0)


def held(view: View, seat: int, kind: ActionKind) -> list[int]:
    """The Action cards of this kind in a hand."""
    return [card for card in view.state.hands[seat] if view.state.kind(card) == kind]


def there(where: Place) -> View:
    """A view in which everybody is in one Place, and seat 0 has each kind of Action."""
    for seed in SEEDS:
        view = until(referee(4, seed), "action", 0)
        if all(held(view, 0, kind) for kind in ActionKind):
            state = view.state.but(places=(where,) * 4, actions=(None,) * 4)
            return replace(view, state=state)
    raise AssertionError("nobody has each kind")


def without(view: View, kind: ActionKind) -> View:
    """The same view, in which the others have no card of a kind."""
    hands = tuple(
        frozenset(hand) - frozenset(held(view, seat, kind)) if seat else hand
        for seat, hand in enumerate(view.state.hands)
    )
    return replace(view, state=view.state.but(hands=hands))


def told(view: View, kind: ActionKind) -> str:
    """The reason for the highest card of a kind."""
    card = max(held(view, 0, kind), key=view.state.edition.number)
    return reason(view, "action", card, names_of(view))


@pytest.mark.parametrize(
    ("where", "played", "missing", "words"),
    [
        (HALL, ActionKind.CASH, ActionKind.CASH, "nobody else here can pay more"),
        (HALL, ActionKind.THIEF, ActionKind.THIEF, "nobody else here has a Thief, so that"),
        (CASTLE, ActionKind.THIEF, ActionKind.DETECTIVE, "nobody else here has a Detective"),
    ],
)
def test_a_reason_is_told_exactly_while_it_holds(
    where: Place, played: ActionKind, missing: ActionKind, words: str
) -> None:
    view = there(where)
    assert words in told(without(view, missing), played)
    others = [seat for seat in (1, 2, 3) if held(view, seat, missing)]
    if others and missing is not ActionKind.CASH:
        assert words not in told(view, played)


def test_a_detective_counts_the_thieves_that_may_be_played_here() -> None:
    view = there(CASTLE)
    number = sum(len(held(view, seat, ActionKind.THIEF)) for seat in (1, 2, 3))
    assert told(view, ActionKind.DETECTIVE).startswith(f"{number} Thie")
    none = told(without(view, ActionKind.THIEF), ActionKind.DETECTIVE)
    assert none == "no gain: nobody else here has a Thief"


def test_cash_is_weighed_against_the_largest_of_the_others() -> None:
    for seed in SEEDS:
        view = until(referee(4, seed), "place", 0)
        everybody = view.state.but(places=(HALL,) * 4, actions=(None,) * 4)
        view = replace(view, state=everybody)
        number = view.state.edition.number
        own = held(view, 0, ActionKind.CASH)
        rivals = [number(c) for seat in (1, 2, 3) for c in held(view, seat, ActionKind.CASH)]
        for card in own:
            words = reason(view, "action", card, names_of(view))
            is_largest = number(card) > max(rivals, default=0)
            assert (words == "nobody else here can pay more") is is_largest
            assert words


def test_a_smaller_exhibit_than_the_best_hides_pieces() -> None:
    view = until(referee(4, 3), "exhibit", 0)
    best = best_slots(view.state, view.mine())
    assert best is not None
    if len(best) > 3:
        words = reason(view, "exhibit", best[:3], names_of(view))
        assert words == "no Thief can take what is not shown"
    assert reason(view, "exhibit", best, names_of(view)) != words


@pytest.mark.parametrize("language", translation.LANGUAGES)
@pytest.mark.parametrize("seats", [2, 4, 6])
def test_every_hint_of_a_whole_game_has_its_reason_in_words(seats: int, language: str) -> None:
    translation.speak(language)
    driver, found = referee(seats, 5, "surprise" if seats == 2 else None), set[str]()
    while not isinstance(rules.expected(driver.state), game_interface.Over):
        due = rules.expected(driver.state)
        seats_due = getattr(due, "seats", {getattr(due, "seat", None)})
        if isinstance(due, rules.Seal | rules.Show | rules.Choose) and 0 in seats_due:
            view, kind = driver.view(0), due.kind
            for line in advice(view, kind, names_of(view), 9)[1:]:
                assert "{" not in line
            for choice in ordered(view, kind):
                found.add(reason(view, kind, choice, names_of(view)))
        driver.step()
    assert len(found) > 5
    assert not any("{" in words for words in found)


def test_of_a_window_and_of_a_theft_the_note_is_the_reason() -> None:
    kinds: tuple[Any, ...] = ("window",)
    for kind in kinds:
        view = until(referee(4, 3), kind, 0)
        for choice in ordered(view, kind):
            assert reason(view, kind, choice, names_of(view)) == note(
                view, kind, choice, names_of(view)
            )
