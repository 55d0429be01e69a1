"""How far figures move, and other changes of state that all phases share."""

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
    """The state with these fields changed and these happenings added to its news."""
    return state.but(news=state.news + happenings, **changes)


def go(state: State, phase: Phase, *happenings: Happening, **changes: object) -> State:
    """Like `tell`, and on to `phase`, which the phase table must allow."""
    require(state.phase, phase)
    return tell(state, *happenings, phase=phase, **changes)


def put(row: tuple[T, ...], at: int, value: T) -> tuple[T, ...]:
    """The tuple with one place changed."""
    return (*row[:at], value, *row[at + 1 :])


def reveal(state: State, cards: Cards) -> State:
    """These slots become open to all. UnexpectedEvent for a slot or Collectible that does not
    exist, or is open already."""
    if not cards:
        return state
    known = list(state.known)
    seen = set(known)
    for slot, card in cards.items():
        if not 0 <= slot < len(known) or not 0 <= card < len(known):
            raise UnexpectedEvent(f"there is no slot {slot} with Collectible {card}")
        if known[slot] is not None or card in seen:
            raise UnexpectedEvent(f"slot {slot} or Collectible {card} is open already")
        known[slot] = card
        seen.add(card)
    return state.but(known=tuple(known))


def give_back(state: State, seat: int, card: int, why: Why) -> State:
    """An Action card returns to `seat`'s hand."""
    hand = tuple(sorted((*state.hands[seat], card)))
    told = Returned(seat, state.action_card(card), why)
    return tell(state, told, hands=put(state.hands, seat, hand))


def clear(state: State, place: Place, why: Why) -> State:
    """Return the state once every Action card in a Place has gone back to its hand."""
    for seat in state.at(place):
        card = state.actions[seat]
        if card is not None:
            state = give_back(state, seat, card, why)
            state = state.but(actions=put(state.actions, seat, None))
    return state


def lay(state: State, seat: int, card: int) -> State:
    """An Action card leaves `seat`'s hand for the table."""
    hand = tuple(c for c in state.hands[seat] if c != card)
    return state.but(hands=put(state.hands, seat, hand), actions=put(state.actions, seat, card))


def advance(state: State, moves: Iterable[tuple[int, int, Why]]) -> State:
    """Figures move on; each move is (seat, fields, why). Nobody passes the last Banquet field."""
    figures = list(state.figures)
    told = []
    for seat, fields, why in moves:
        end = min(figures[seat] + fields, state.edition.last_field)
        told.append(FigureMoved(seat, figures[seat], end, fields, why))
        figures[seat] = end
    return tell(state, *told, figures=tuple(figures)) if told else state


def move_detectives(state: State, seats: Iterable[int]) -> State:
    """Move each Detective as many fields as the rank of its figure. All ranks are of one moment."""
    is_late = state.edition.switches.detective_rank == "after"
    ranks = state.ranks(state.figures if is_late else state.before)
    state = tell(state, *(DetectiveRanked(seat, ranks[seat]) for seat in seats))
    return advance(state, [(seat, ranks[seat], Why.DETECTIVE) for seat in seats])


def reward(
    state: State,
    exhibits: Sequence[tuple[int, ...] | None],
    shown: Callable[[int, tuple[Piece, ...], int], Happening],
    honours: Iterable[tuple[Why, int]],
) -> tuple[State, list[int]]:
    """Rank exhibits, tell each with its placing, and move the figures of the best on.

    Args:
        state: The state before.
        exhibits: By seat the slots of its exhibit, if it has one.
        shown: What is told of an exhibit: its seat, its pieces, its placing.
        honours: Of the best, the second best and so on why it moves, and how far.

    Returns:
        The state, and the seats of the exhibits, the best first.
    """
    slots = {seat: exhibit for seat, exhibit in enumerate(exhibits) if exhibit}
    cards = {seat: state.open_cards(exhibit).values() for seat, exhibit in slots.items()}
    ranked = sorted(slots, key=lambda seat: strength(state.edition, cards[seat]))
    told = [shown(seat, state.pieces(slots[seat]), i) for i, seat in enumerate(ranked, 1)]
    moves = ((seat, n, why) for seat, (why, n) in zip(ranked, honours, strict=False))
    return advance(tell(state, *told), moves), ranked
