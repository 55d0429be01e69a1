"""Which choices the rules allow, and which one they make for an absent seat."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

from .choices import MalformedChoice, choice_from_wire
from .edition import ActionKind
from .events import Cards, Choice, IllegalChoice, Kind, Place
from .exhibits import best_by_size, best_exhibit, is_exhibit, may_hold_exhibit, oldest
from .state import State

NO_CARDS: Cards = {}


def check(state: State, kind: Kind, seat: int, choice: object, cards: Cards = NO_CARDS) -> None:
    """Raise IllegalChoice if `seat` may not make this choice of this kind in this state.

    `cards` (slot to Collectible) are known besides `state.known`: those shown with an exhibit, or
    one's own. A sealed choice is judged as it will be when it is opened. Whether the seat owes
    the choice at all is not judged here.
    """
    try:
        value = choice_from_wire(kind, choice)
    except MalformedChoice as malformed:
        raise IllegalChoice(seat, str(malformed), choice) from malformed
    rule = _RULES[kind](state, seat, value, cards)
    if rule:
        raise IllegalChoice(seat, rule, choice, in_words(state, kind, value))


def in_words(state: State, kind: Kind, choice: Choice) -> str:
    """A choice of the right shape in the game's words."""
    return _WORDS[kind](state, choice)


def legal(state: State, kind: Kind, seat: int, private: Cards = NO_CARDS) -> tuple[Choice, ...]:
    """The legal choices of `seat`, given what it knows privately (slot to Collectible).

    All of them, except for exhibits: there the best of each size of each unbroken run, best
    first (`check` judges any other). An Exhibit card is listed only with a valid exhibit.
    """
    return _LISTS[kind](state, seat, private)


def hall_open(state: State, seat: int) -> bool:
    """Whether the Auction Hall is a legal Place for this seat."""
    if state.windows_empty:
        return False
    return any(_belongs(state, card, Place.AUCTION_HALL) for card in state.hands[seat])


def has_action(state: State, seat: int, place: Place) -> bool:
    """Whether the seat has an Action card to play in this Place, as far as is open to all."""
    return any(_action_rule(state, seat, place, c, NO_CARDS) is None for c in state.hands[seat])


def theft_options(state: State) -> tuple[tuple[int, ...], ...]:
    """The slots still in each exhibit, by rising seat of the exhibitor."""
    return tuple(exhibit for exhibit in state.exhibits if exhibit)


def default_window(state: State) -> int:
    """The lowest-numbered window that is not empty."""
    return next(i for i, window in enumerate(state.windows) if window)


def default_theft(state: State) -> tuple[int, ...]:
    """The oldest piece of each exhibit."""
    return tuple(_oldest_slot(state, exhibit) for exhibit in theft_options(state))


def default_exhibit(state: State, seat: int) -> tuple[int, ...] | None:
    """The slots of the best exhibit among the seat's Collectibles that are open to all."""
    return best_slots(state, state.open_cards(state.collectibles[seat]))


def best_slots(state: State, cards: Cards) -> tuple[int, ...] | None:
    """The slots of the best exhibit among these cards, rising; None if there is none."""
    best = best_exhibit(state.edition, cards.values())
    return None if best is None else _slots_of(cards, best)


def holds_exhibit(state: State, seat: int, cards: Cards = NO_CARDS) -> bool:
    """Whether the seat can hold a valid exhibit, given what is open to all and `cards`; exact
    once no Collectible of the seat is hidden."""
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
    return _slots_of(cards, (oldest(state.edition, cards.values()),))[0]


def _slots_of(cards: Cards, wanted: tuple[int, ...]) -> tuple[int, ...]:
    chosen = set(wanted)
    return tuple(sorted(slot for slot, card in cards.items() if card in chosen))


def _seen(state: State, slots: tuple[int, ...], cards: Cards) -> dict[int, int]:
    more = {slot: cards[slot] for slot in slots if slot in cards}
    return {**more, **state.open_cards(slots)}


# The rule each kind of choice breaks, in words; None if it breaks none.


def _place_rule(state: State, seat: int, choice: int, cards: Cards) -> str | None:
    if choice == Place.CASTLE or hall_open(state, seat):
        return None
    if state.windows_empty:
        return "the Auction Hall is open only while a window holds a Collectible"
    return "the Auction Hall needs an Action card that may be played there"


def _belongs(state: State, card: int, place: Place) -> bool:
    kind = state.kind(card)
    if place == Place.CASTLE:
        return kind != ActionKind.CASH
    if kind == ActionKind.DETECTIVE:
        return state.edition.switches.detective_in_hall
    return kind != ActionKind.EXHIBIT


def _action_rule(
    state: State, seat: int, place: Place | None, card: int, cards: Cards
) -> str | None:
    if place is None:
        return "it is in no Place this round"
    if card not in state.hands[seat]:
        return "the Action card is not in its hand"
    kind = state.kind(card)
    if not _belongs(state, card, place):
        return f"{kind} may not be played in the {place.words}"
    if kind == ActionKind.EXHIBIT and not holds_exhibit(state, seat, cards):
        return "Exhibit needs a valid exhibit"
    return None


def _shown_action_rule(state: State, seat: int, choice: int, cards: Cards) -> str | None:
    return _action_rule(state, seat, state.places[seat], choice, cards)


def _turn_rule(state: State, seat: int, choice: tuple[int, ...], cards: Cards) -> str | None:
    place, card = choice
    return _place_rule(state, seat, place, cards) or _action_rule(
        state, seat, Place(place), card, cards
    )


def _exhibit_rule(state: State, seat: int, choice: tuple[int, ...], cards: Cards) -> str | None:
    if not set(choice) <= set(state.collectibles[seat]):
        return "it holds no Collectible in one of these slots"
    seen = _seen(state, choice, cards)
    if len(seen) < len(choice):
        return "every Collectible of an exhibit is shown"
    if not is_exhibit(state.edition, seen.values()):
        return "the letters of an exhibit form an unbroken run"
    return None


def _window_rule(state: State, seat: int, choice: int, cards: Cards) -> str | None:
    return None if state.windows[choice] else "that window is empty"


def _theft_rule(state: State, seat: int, choice: tuple[int, ...], cards: Cards) -> str | None:
    options = theft_options(state)
    if len(choice) != len(options):
        return "a Thief takes one Collectible from every exhibit that still has one"
    if all(slot in exhibit for slot, exhibit in zip(choice, options, strict=True)):
        return None
    return "the Collectibles are named by rising seat of the exhibitor, each from its exhibit"


_RULES: Mapping[str, Callable[[State, int, Any, Cards], str | None]] = {
    "place": _place_rule,
    "action": _shown_action_rule,
    "turn": _turn_rule,
    "exhibit": _exhibit_rule,
    "window": _window_rule,
    "theft": _theft_rule,
}


# The lists.


def _places(state: State, seat: int, private: Cards) -> tuple[Choice, ...]:
    return (0, 1) if hall_open(state, seat) else (0,)


def _actions_at(state: State, seat: int, place: Place, private: Cards) -> tuple[int, ...]:
    hand = state.hands[seat]
    return tuple(c for c in hand if _action_rule(state, seat, place, c, private) is None)


def _actions(state: State, seat: int, private: Cards) -> tuple[Choice, ...]:
    place = state.places[seat]
    return () if place is None else _actions_at(state, seat, place, private)


def _turns(state: State, seat: int, private: Cards) -> tuple[Choice, ...]:
    return tuple(
        (place, card)
        for place in (0, 1)
        if _place_rule(state, seat, place, private) is None
        for card in _actions_at(state, seat, Place(place), private)
    )


def _exhibits(state: State, seat: int, private: Cards) -> tuple[Choice, ...]:
    seen = _seen(state, state.collectibles[seat], private)
    runs = best_by_size(state.edition, list(seen.values()))
    return tuple(_slots_of(seen, run) for run in runs)


def _windows(state: State, seat: int, private: Cards) -> tuple[Choice, ...]:
    return tuple(i for i, window in enumerate(state.windows) if window)


def _thefts(state: State, seat: int, private: Cards) -> tuple[Choice, ...]:
    options = theft_options(state)
    return tuple(product(*options)) if options else ()


_LISTS: Mapping[str, Callable[[State, int, Cards], tuple[Choice, ...]]] = {
    "place": _places,
    "action": _actions,
    "turn": _turns,
    "exhibit": _exhibits,
    "window": _windows,
    "theft": _thefts,
}


# The words.


def _card_words(state: State, card: int) -> str:
    if card >= len(state.edition.action_cards):
        return f"Action card {card}"
    face = state.action_card(card)
    return " ".join(filter(None, (face.colour, face.kind.value, str(face.number or ""))))


def _slot_words(state: State, slots: tuple[int, ...]) -> str:
    pieces = (state.piece(slot) for slot in slots if slot < len(state.known))
    return ", ".join(f"{p.letter} {p.year}" if p.letter else f"slot {p.slot}" for p in pieces)


_WORDS: Mapping[str, Callable[[State, Any], str]] = {
    "place": lambda state, choice: f"the {Place(choice).words}",
    "action": _card_words,
    "turn": lambda state, turn: f"{_card_words(state, turn[1])} in the {Place(turn[0]).words}",
    "exhibit": lambda state, slots: f"the exhibit {_slot_words(state, slots)}",
    "window": lambda state, choice: f"window {choice + 1}",
    "theft": lambda state, slots: f"the theft of {_slot_words(state, slots)}",
}
