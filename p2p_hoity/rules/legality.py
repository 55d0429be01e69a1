"""The choices that the rules allow, and the choice that is made for an absent seat."""

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
    """Check that the rules allow a choice of a seat.

    A choice that is to be sealed is checked by the rules that apply when it is opened. This
    function does not check whether the seat owes the choice at all.

    Args:
        choice: The choice, of any form.
        cards: The Collectibles by deck slot that are known in addition to `state.known`: those
            shown with an exhibit, or the seat's own.

    Raises:
        IllegalMove: If the rules forbid the choice.

    SPEC: [G-19].
    """
    value = choice_from_wire(kind, choice)
    broken = _RULES[kind](state, seat, value, cards)
    if broken is not None:
        raise broken


def legal(state: State, kind: Kind, seat: int, private: Cards = NO_CARDS) -> tuple[Choice, ...]:
    """Return the legal choices of a seat.

    All legal choices are listed, except that there may be too many exhibits. For each unbroken run
    of letters only the best exhibit of each size is listed, the best of all first. An Exhibit card
    is listed only if the seat has a valid exhibit.

    Args:
        private: The Collectibles by deck slot that only this seat knows.
    """
    rule, found = _RULES[kind], _CANDIDATES[kind](state, seat, private)
    return tuple(choice for choice in found if rule(state, seat, choice, private) is None)


def has_action(state: State, seat: int, place: Place) -> bool:
    """Return whether a seat has an Action card that may be played in a Place.

    Only public knowledge is used. If some of the seat's Collectibles are hidden, it is enough that
    the seat may have a valid exhibit.

    Returns:
        True if the seat has such a card.
    """
    return any(_action_rule(state, seat, place, c, NO_CARDS) is None for c in state.hands[seat])


def theft_options(state: State) -> tuple[tuple[int, ...], ...]:
    """Return what a Thief may take: the Collectibles that are still in each exhibit.

    Returns:
        For each exhibit that is not empty, by rising seat, the deck slots of its Collectibles.
    """
    return tuple(exhibit for exhibit in state.exhibits if exhibit)


def default_window(state: State) -> int:
    """Return the window (pile of the Auction Hall) from which an absent buyer buys.

    It is the first window that is not empty.

    Returns:
        The window, 0 or 1.
    """
    return next(i for i, window in enumerate(state.windows) if window)


def default_theft(state: State) -> tuple[int, ...]:
    """Return what is taken for an absent Thief: the oldest piece of each exhibit.

    Returns:
        The deck slots, by rising seat of the exhibit.
    """
    return tuple(_oldest_slot(state, exhibit) for exhibit in theft_options(state))


def default_exhibit(state: State, seat: int) -> tuple[int, ...] | None:
    """Return the exhibit that is shown for an absent seat.

    It is the best one among the seat's Collectibles that are open to all.

    Returns:
        The deck slots, rising, or None if there is none.
    """
    return best_slots(state, state.open_cards(state.collectibles[seat]))


def best_slots(state: State, cards: Cards) -> tuple[int, ...] | None:
    """Return the best exhibit that can be made of some Collectibles.

    Args:
        cards: The Collectibles, by slot (position in the deck).

    Returns:
        The slots of the Collectibles in the exhibit, rising. None if no exhibit can be made.
    """
    best = best_exhibit(state.edition, cards.values())
    return None if best is None else _slots_of(cards, best)


def holds_exhibit(state: State, seat: int, cards: Cards = NO_CARDS) -> bool:
    """Return whether a seat can have a valid exhibit.

    If all Collectibles of the seat are known, this says whether it has one.

    Args:
        cards: The Collectibles by deck slot that are known in addition to `state.known`.

    Returns:
        True if it can have one.
    """
    slots = state.collectibles[seat]
    seen = _seen(state, slots, cards)
    hidden = len(slots) - len(seen)
    unseen: set[int] = set()
    if hidden:
        unseen = set(range(len(state.known))) - {c for c in state.known if c is not None}
        unseen -= set(cards.values())
    return may_hold_exhibit(state.edition, list(seen.values()), hidden, unseen)


def _oldest_slot(state: State, slots: tuple[int, ...]) -> int:
    """Return the deck slot of the oldest Collectible among some slots. Hidden ones do not count."""
    cards = state.open_cards(slots)
    return min(cards, key=lambda slot: state.edition.collectibles[cards[slot]].age)


def _slots_of(cards: Cards, wanted: tuple[int, ...]) -> tuple[int, ...]:
    """Return the deck slots in which some Collectibles are, rising."""
    chosen = set(wanted)
    return tuple(sorted(slot for slot, card in cards.items() if card in chosen))


def _seen(state: State, slots: tuple[int, ...], cards: Cards) -> dict[int, int]:
    """Return the index of each known Collectible in some slots of the deck, by slot.

    Args:
        state: The state of the game, which has the Collectibles that are open to all.
        slots: The slots (positions in the deck).
        cards: The indices of further known Collectibles, by slot.
    """
    more = {slot: cards[slot] for slot in slots if slot in cards}
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

    Cash is for the Auction Hall and Exhibit for the Castle. A Thief may be played in both. A
    Detective may be played in the Castle. The switch `detective_in_hall` of the edition allows it
    in the Auction Hall.
    """
    kind = state.kind(card)
    if place == Place.CASTLE:
        return kind != ActionKind.CASH
    if kind == ActionKind.DETECTIVE:
        return state.edition.switches.detective_in_hall
    return kind != ActionKind.EXHIBIT


def _action_rule(state: State, seat: int, place: Place | None, card: int, cards: Cards) -> Broken:
    """Return the rule that is broken if the seat plays an Action card, or None.

    The card must be in the seat's hand and be allowed in the seat's Place. The card Exhibit needs a
    valid exhibit. If some of the seat's Collectibles are unknown, it is enough that the seat may
    have a valid exhibit ([G-2]).
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
    """Return the rule that a choice of a Place and an Action card breaks, or None.

    The Place must be legal, and the card must be legal in that Place.
    """
    place, card = choice
    return _place_rule(state, seat, place, cards) or _action_rule(
        state, seat, Place(place), card, cards
    )


def _exhibit_rule(state: State, seat: int, choice: tuple[int, ...], cards: Cards) -> Broken:
    """Return the rule that a choice of Collectibles to exhibit breaks, or None.

    All of these Collectibles must belong to the seat and be open to all or given in `cards`.
    Together they must be a valid exhibit.
    """
    if not set(choice) <= set(state.collectibles[seat]):
        return Rule.NOT_HELD.broken(slots=choice)
    seen = _seen(state, choice, cards)
    if len(seen) < len(choice):
        return Rule.NOT_SHOWN.broken(slots=choice)
    if not is_exhibit(state.edition, seen.values()):
        return Rule.NO_RUN.broken(slots=choice)
    return None


def _window_rule(state: State, seat: int, choice: int, cards: Cards) -> Broken:
    """Return the rule that the choice of a window breaks, or None.

    The window (pile of the Auction Hall) must not be empty.
    """
    return None if state.windows[choice] else Rule.WINDOW_EMPTY.broken(window=choice)


def _theft_rule(state: State, seat: int, choice: tuple[int, ...], cards: Cards) -> Broken:
    """Return the rule that a choice of pieces to steal breaks, or None.

    The choice must name one piece of each exhibit that is not empty, by rising seat. `seat` and
    `cards` are not used here. All such functions have these parameters.
    """
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
    """Return the best exhibits of each size from a seat's known Collectibles, best first.

    Each exhibit is given by its deck slots. A Collectible is known if it is open to all, or if
    `private` has its slot.
    """
    seen = _seen(state, state.collectibles[seat], private)
    runs = best_by_size(state.edition, list(seen.values()))
    return (_slots_of(seen, run) for run in runs)


def _thefts(state: State, seat: int, private: Cards) -> Iterable[Choice]:
    """Return all possible thefts: each takes one Collectible from each exhibit that has any.

    A theft is a tuple of deck slots. The result does not depend on `seat` and `private`.
    """
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
