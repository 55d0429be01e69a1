"""How the table stood partway through a step: what is open to all behind each happening of it.

`machine.apply` gives the state at the end of a step only, and a step may reach into the next
round. A screen that reveals a step bit by bit shows the states of this module meanwhile.
"""

from __future__ import annotations

from typing import Final

from . import happenings
from .game_state import State
from .movement import give_back, lay, put
from .vocabulary import Why

FOLLOWED: Final = (
    "round",
    "before",
    "figures",
    "hands",
    "collectibles",
    "windows",
    "known",
    "register",
    "prison",
    "places",
    "actions",
)
"""The fields of a state that `after` follows; the others change with the step as a whole."""


def has_arrived(state: State, end: State) -> bool:
    """Return whether a state that was followed stands as at the end of its step."""
    return all(getattr(state, name) == getattr(end, name) for name in FOLLOWED)


def after(state: State, item: happenings.Happening) -> State:
    """Return the state once this has happened too, in the fields of `FOLLOWED`."""
    match item:
        case happenings.RoundBegan(number, seats, _out, place):
            places = tuple(place if s in seats else None for s in range(state.seats))
            return state.but(round=number, before=state.figures, places=places)
        case happenings.PlaceShown(seat, where):
            return state.but(places=put(state.places, seat, where))
        case happenings.ActionShown(seat, _where, card):
            return lay(state, seat, card.id)
        case happenings.Sale(seat, _paid, window, took):
            held = put(state.collectibles, seat, _with(state.collectibles[seat], took.slot))
            left = _without(state.windows[window], took.slot)
            return state.but(collectibles=held, windows=put(state.windows, window, left))
        case happenings.CashStolen(seat, _thief, owner, cash):
            return give_back(_taken_up(state, owner, cash.id), seat, cash.id, Why.SALE_OVER)
        case happenings.CashPaid(seat, cash):
            return _taken_up(state, seat, cash.id).but(register=(*state.register, cash.id))
        case happenings.Returned(seat, card, why):
            return give_back(_taken_up(state, seat, card.id), seat, card.id, why)
        case happenings.TurnedUp(_window, piece):
            return _opened(state, (piece,))
        case happenings.ExhibitShown(pieces=pieces) | happenings.HandOpened(pieces=pieces):
            return _opened(state, pieces)
        case happenings.FigureMoved(seat, _start, end):
            return state.but(figures=put(state.figures, seat, end))
        case happenings.Stolen(seat, _thief, owner, piece):
            held = put(state.collectibles, owner, _without(state.collectibles[owner], piece.slot))
            return state.but(collectibles=put(held, seat, _with(held[seat], piece.slot)))
        case happenings.Imprisoned(seat, thief, cells):
            return _taken_up(state, seat, thief.id).but(prison=tuple(card.id for card in cells))
        case happenings.RoundEnded():
            return state.but(places=(None,) * state.seats)
    return state


def _taken_up(state: State, seat: int, card: int) -> State:
    """An Action card lies before its seat no more, if it did."""
    return (
        state.but(actions=put(state.actions, seat, None)) if state.actions[seat] == card else state
    )


def _opened(state: State, pieces: tuple[happenings.Piece, ...]) -> State:
    """What these pieces are is open to all."""
    known = list(state.known)
    for piece in pieces:
        known[piece.slot] = piece.card
    return state.but(known=tuple(known))


def _with(slots: tuple[int, ...], slot: int) -> tuple[int, ...]:
    return tuple(sorted((*slots, slot)))


def _without(slots: tuple[int, ...], slot: int) -> tuple[int, ...]:
    return tuple(other for other in slots if other != slot)
