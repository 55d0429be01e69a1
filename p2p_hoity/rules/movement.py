"""Changes of state that all phases share: move figures, move cards, and add events.

Each function returns the changed state. `happenings` are added to its news, and `changes` are the
new values of its fields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from protocol.game_interface import Cards

from .choices import Place, UnexpectedEvent, Why
from .exhibits import strength
from .game_state import State
from .happenings import DetectiveRanked, FigureMoved, Happening, Piece, Returned
from .phases import Phase, require

T = TypeVar("T")


def tell(state: State, *happenings: Happening, **changes: object) -> State:
    """Add events of the game, and change some fields."""
    return state.but(news=state.news + happenings, **changes)


def go(state: State, phase: Phase, *happenings: Happening, **changes: object) -> State:
    """Go on to another phase, add events, and change some fields.

    Raises:
        IllegalTransition: If the phase table does not allow this step.
    """
    require(state.phase, phase)
    return tell(state, *happenings, phase=phase, **changes)


def put(row: tuple[T, ...], at: int, value: T) -> tuple[T, ...]:
    """Return a tuple with the item at index `at` changed."""
    return (*row[:at], value, *row[at + 1 :])


def reveal(state: State, cards: Cards) -> State:
    """Make the Collectibles in some slots known to all.

    Raises:
        UnexpectedEvent: If a slot or Collectible does not exist, or is open already.
    """
    if not cards:
        return state
    known = list(state.known)
    seen = set(known)
    for slot, card in cards.items():
        if not 0 <= slot < len(known) or not 0 <= card < len(known):
            raise UnexpectedEvent(f"there is no slot {slot} with Collectible {card}")
        # A Collectible lies in one slot, and what all have seen must not change.
        if known[slot] is not None or card in seen:
            raise UnexpectedEvent(f"slot {slot} or Collectible {card} is open already")
        known[slot] = card
        seen.add(card)
    return state.but(known=tuple(known))


def give_back(state: State, seat: int, card: int, why: Why) -> State:
    """Put an Action card back into a seat's hand."""
    hand = tuple(sorted((*state.hands[seat], card)))
    told = Returned(seat, state.action_card(card), why)
    return tell(state, told, hands=put(state.hands, seat, hand))


def clear(state: State, place: Place, why: Why) -> State:
    """Put every Action card that lies in a Place back into the hand of its seat."""
    for seat in state.at(place):
        card = state.actions[seat]
        if card is not None:
            state = give_back(state, seat, card, why)
            state = state.but(actions=put(state.actions, seat, None))
    return state


def lay(state: State, seat: int, card: int) -> State:
    """Move an Action card from a seat's hand to the table."""
    hand = tuple(c for c in state.hands[seat] if c != card)
    return state.but(hands=put(state.hands, seat, hand), actions=put(state.actions, seat, card))


def advance(state: State, moves: Iterable[tuple[int, int, Why]]) -> State:
    """Move seats by fields, for reasons. No figure moves beyond the last Banquet field ([G-22])."""
    figures = list(state.figures)
    told = []
    for seat, fields, why in moves:
        end = min(figures[seat] + fields, state.edition.last_field)
        told.append(FigureMoved(seat, figures[seat], end, fields, why))
        figures[seat] = end
    return tell(state, *told, figures=tuple(figures)) if told else state


def move_detectives(state: State, seats: Iterable[int]) -> State:
    """Move the figure of each seat that plays a Detective by its rank, 1 for the foremost."""
    is_late = state.edition.switches.detective_rank == "after"
    ranks = state.ranks(state.figures if is_late else state.before)
    # All ranks are found before the first of these figures moves ([G-18]).
    state = tell(state, *(DetectiveRanked(seat, ranks[seat]) for seat in seats))
    return advance(state, [(seat, ranks[seat], Why.DETECTIVE) for seat in seats])


def ranking(state: State, exhibits: Sequence[tuple[int, ...] | None]) -> list[int]:
    """Return the seats that have an exhibit, whose slots are open, the best first."""
    cards = {seat: state.open_cards(one).values() for seat, one in enumerate(exhibits) if one}
    return sorted(cards, key=lambda seat: strength(state.edition, cards[seat]))


def reward(
    state: State,
    exhibits: Sequence[tuple[int, ...] | None],
    shown: Callable[[int, tuple[Piece, ...], int], Happening],
    honours: Iterable[tuple[Why, int]],
) -> tuple[State, list[int]]:
    """Rank exhibits, add an event for each, and move the figures of the best ones.

    Args:
        exhibits: For each seat the slots of its exhibit, or None.
        shown: Makes the event for an exhibit from its seat, its pieces and its placing (1 for the
            best).
        honours: The reason and the fields of the move for the best exhibit, for the next, and so
            on.

    Returns:
        The changed state, and the seats of the exhibits, the best first.
    """
    ranked = ranking(state, exhibits)
    told = [shown(seat, state.pieces(exhibits[seat] or ()), i) for i, seat in enumerate(ranked, 1)]
    # Not strict: there may be fewer exhibits than honours, or more.
    moves = ((seat, n, why) for seat, (why, n) in zip(ranked, honours, strict=False))
    return advance(tell(state, *told), moves), ranked
