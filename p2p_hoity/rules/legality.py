"""The choices that the rules allow, and the choice that is made for an absent seat.

`cards` and `private` are Collectibles by slot that are known in addition to `State.known`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import product
from typing import Any

from protocol.game_interface import Cards, Choice, IllegalMove

from .choices import Kind, Place, choice_from_wire
from .edition import ActionKind
from .exhibits import best_by_size, best_exhibit, is_exhibit, may_hold_exhibit
from .game_state import State
from .illegal_moves import Rule

NO_CARDS: Cards = {}
Broken = IllegalMove | None


def check(state: State, kind: Kind, seat: int, choice: object, cards: Cards = NO_CARDS) -> None:
    """Check that the rules allow a choice of a seat ([G-19]).

    A choice that is to be sealed is checked by the rules that apply when it is opened. It is not
    checked whether the seat owes the choice at all.

    Args:
        choice: The choice, of any form.
        cards: The Collectibles that are shown with an exhibit, or the seat's own.

    Raises:
        IllegalMove: If the rules forbid the choice.
    """
    value = choice_from_wire(kind, choice)
    broken = _RULES[kind](state, seat, value, cards)
    if broken is not None:
        raise broken


def legal(state: State, kind: Kind, seat: int, private: Cards = NO_CARDS) -> tuple[Choice, ...]:
    """Return the legal choices of a seat.

    There may be too many exhibits. So for each unbroken run of letters only the best exhibit of
    each size is listed, the best of all first. An Exhibit card is listed only if the seat has a
    valid exhibit.
    """
    rule, found = _RULES[kind], _CANDIDATES[kind](state, seat, private)
    return tuple(choice for choice in found if rule(state, seat, choice, private) is None)


def has_action(state: State, seat: int, place: Place) -> bool:
    """Return whether a seat, by all that is open, may have a card to play in a Place."""
    # No private cards: all peers must agree on who owes an Action.
    return any(_action_rule(state, seat, place, c, NO_CARDS) is None for c in state.hands[seat])


def theft_options(state: State) -> tuple[tuple[int, ...], ...]:
    """Return the slots that are still in each exhibit, without empty ones, by rising seat."""
    return tuple(exhibit for exhibit in state.exhibits if exhibit)


def default_window(state: State) -> int:
    """Return the window from which an absent buyer buys: the first that is not empty."""
    return next(i for i, window in enumerate(state.windows) if window)


def default_theft(state: State) -> tuple[int, ...]:
    """Return the slots that are taken for an absent Thief: the oldest piece of each exhibit."""
    return tuple(_oldest_slot(state, exhibit) for exhibit in theft_options(state))


def default_exhibit(state: State, seat: int) -> tuple[int, ...] | None:
    """Return the slots, rising, of the best open exhibit, which an absent seat shows, or None."""
    return best_slots(state, state.open_cards(state.collectibles[seat]))


def best_slots(state: State, cards: Cards) -> tuple[int, ...] | None:
    """Return the slots, rising, of the best exhibit among Collectibles by slot, or None."""
    best = best_exhibit(state.edition, cards.values())
    return None if best is None else _slots_of(cards, best)


def holds_exhibit(state: State, seat: int, cards: Cards = NO_CARDS) -> bool:
    """Return whether a seat has a valid exhibit, or may have one with what is unknown of it."""
    slots = state.collectibles[seat]
    seen = _seen(state, slots, cards)
    hidden = len(slots) - len(seen)
    unseen: set[int] = set()
    if hidden:
        unseen = set(range(len(state.known))) - {c for c in state.known if c is not None}
        unseen -= set(cards.values())
    return may_hold_exhibit(state.edition, list(seen.values()), hidden, unseen)


def _oldest_slot(state: State, slots: tuple[int, ...]) -> int:
    cards = state.open_cards(slots)
    return min(cards, key=lambda slot: state.edition.collectibles[cards[slot]].age)


def _slots_of(cards: Cards, wanted: tuple[int, ...]) -> tuple[int, ...]:
    chosen = set(wanted)
    return tuple(sorted(slot for slot, card in cards.items() if card in chosen))


def _seen(state: State, slots: tuple[int, ...], cards: Cards) -> dict[int, int]:
    more = {slot: cards[slot] for slot in slots if slot in cards}
    # What is open to all wins, or a choice could show another Collectible in an open slot.
    return {**more, **state.open_cards(slots)}


# Rules of each kind of choice
#
# Each function returns the error for a choice that breaks its rule, or None. The rules are those of
# SPEC 9.5, *Legal choices*.


def _place_rule(state: State, seat: int, choice: int, cards: Cards) -> Broken:
    """Return the rule that the choice of a Place breaks, or None.

    The Castle is always legal. The Auction Hall is legal if something is for sale and the seat has
    an Action card that may be played there.
    """
    if choice == Place.CASTLE:
        return None
    if state.windows_empty:
        return Rule.HALL_CLOSED.broken()
    belongs = any(_belongs(state, card, Place.AUCTION_HALL) for card in state.hands[seat])
    return None if belongs else Rule.HALL_WITHOUT_ACTION.broken()


def _belongs(state: State, card: int, place: Place) -> bool:
    """Return whether an Action card may be played in a Place.

    Cash is for the Auction Hall, Exhibit and Detective are for the Castle, and a Thief is for both.
    A switch of the edition allows a Detective in the Auction Hall, too.
    """
    kind = state.kind(card)
    if place == Place.CASTLE:
        return kind != ActionKind.CASH
    if kind == ActionKind.DETECTIVE:
        return state.edition.switches.detective_in_hall
    return kind != ActionKind.EXHIBIT


def _action_rule(state: State, seat: int, place: Place | None, card: int, cards: Cards) -> Broken:
    """Return the rule that is broken if the seat plays an Action card, or None ([G-2]).

    If some of the seat's Collectibles are unknown, it is enough that it may have a valid exhibit.
    """
    if place is None:
        return Rule.IN_NO_PLACE.broken()
    if card not in state.hands[seat]:
        return Rule.NOT_IN_HAND.broken(card=card)
    kind = state.kind(card)
    if not _belongs(state, card, place):
        return Rule.NOT_PLAYED_THERE.broken(action=kind.value, place=int(place))
    if kind == ActionKind.EXHIBIT and not holds_exhibit(state, seat, cards):
        return Rule.WITHOUT_EXHIBIT.broken()
    return None


def _turn_rule(state: State, seat: int, choice: tuple[int, ...], cards: Cards) -> Broken:
    """Return the rule that a choice of a Place and an Action card breaks, or None."""
    place, card = choice
    return _place_rule(state, seat, place, cards) or _action_rule(
        state, seat, Place(place), card, cards
    )


def _exhibit_rule(state: State, seat: int, choice: tuple[int, ...], cards: Cards) -> Broken:
    """Return the rule that a choice of Collectibles to exhibit breaks, or None."""
    if not set(choice) <= set(state.collectibles[seat]):
        return Rule.NOT_HELD.broken(slots=choice)
    seen = _seen(state, choice, cards)
    if len(seen) < len(choice):
        return Rule.NOT_SHOWN.broken(slots=choice)
    if not is_exhibit(state.edition, seen.values()):
        return Rule.NO_RUN.broken(slots=choice)
    return None


def _window_rule(state: State, seat: int, choice: int, cards: Cards) -> Broken:
    return None if state.windows[choice] else Rule.WINDOW_EMPTY.broken(window=choice)


def _theft_rule(state: State, seat: int, choice: tuple[int, ...], cards: Cards) -> Broken:
    """Return the rule that a choice of one piece of each exhibit breaks, or None."""
    options = theft_options(state)
    if len(choice) != len(options):
        return Rule.ONE_OF_EACH.broken()
    if all(slot in exhibit for slot, exhibit in zip(choice, options, strict=True)):
        return None
    return Rule.NOT_OF_ITS_EXHIBIT.broken(slots=choice)


_RULES: Mapping[str, Callable[[State, int, Any, Cards], Broken]] = {
    "place": _place_rule,
    "action": lambda state, seat, choice, cards: _action_rule(
        state, seat, state.places[seat], choice, cards
    ),
    "turn": _turn_rule,
    "exhibit": _exhibit_rule,
    "window": _window_rule,
    "theft": _theft_rule,
}


# Candidates, of which `legal` lists those that break no rule


def _exhibits(state: State, seat: int, private: Cards) -> Iterable[Choice]:
    seen = _seen(state, state.collectibles[seat], private)
    runs = best_by_size(state.edition, list(seen.values()))
    return (_slots_of(seen, run) for run in runs)


def _thefts(state: State, seat: int, private: Cards) -> Iterable[Choice]:
    options = theft_options(state)
    return product(*options) if options else ()


_CANDIDATES: Mapping[str, Callable[[State, int, Cards], Iterable[Choice]]] = {
    "place": lambda state, seat, private: (0, 1),
    "action": lambda state, seat, private: state.hands[seat],
    "turn": lambda state, seat, private: product((0, 1), state.hands[seat]),
    "exhibit": _exhibits,
    "window": lambda state, seat, private: (0, 1),
    "theft": _thefts,
}
