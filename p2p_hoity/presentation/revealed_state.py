"""The state of the game between two events of one step, as a screen shows it during a reveal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from .. import rules
from ..rules import happenings
from ..rules.auction_hall import largest_bidder
from ..rules.castle import thieves_in_order
from ..rules.game_state import Claim, State
from ..rules.movement import lay, put


def after(state: State, item: happenings.Happening) -> State:
    """Return the state after one more event of the game, as a screen shows it during a reveal.

    After the last event of a step, all fields are those of the step's last state, except three that
    no event tells: `phase`, `news`, and which seats have `sealed` a new choice.
    """
    follow = FOLLOWED.get(type(item))
    return state if follow is None else follow(state, item)


def _set_up(state: State, item: happenings.Setup) -> State:
    """Return the state after the deal of colours, Action cards and Collectibles."""
    names = [colour.name for colour in state.edition.colours]
    shown = [piece for window in item.windows for piece in window if piece.card is not None]
    return _opened(state, shown).but(
        colours=tuple(names.index(name) for name in item.colours),
        hands=tuple(tuple(card.id for card in hand) for hand in item.hands),
        collectibles=item.collectibles,
        windows=tuple(tuple(piece.slot for piece in window) for window in item.windows),
    )


def _present(state: State, item: happenings.PresenceChanged) -> State:
    """Return the state after seats have gone or come. Who comes in a round rests until the next."""
    present = (state.present - set(item.absent)) | set(item.returned)
    came = item.returned if state.round else ()
    resting = (state.resting & present) | set(came)
    return state.but(present=present, banned=state.banned | set(item.banned), resting=resting)


def _round_began(state: State, item: happenings.RoundBegan) -> State:
    """Return the state at the beginning of a round, with nothing in the Places."""
    seats, nothing = frozenset(item.seats), (None,) * state.seats
    return state.but(
        round=item.round,
        resting=frozenset(),
        joined=seats,
        places=tuple(item.place if seat in seats else None for seat in range(state.seats)),
        actions=nothing,
        sealed=frozenset(),
        exhibits=nothing,
        buyer=None,
        before=state.figures,
    )


def _shown(state: State, seat: int) -> State:
    """Return the state in which a seat has no sealed choice, because it was shown or is void."""
    return state.but(sealed=state.sealed - {seat})


def _action_shown(state: State, item: happenings.ActionShown) -> State:
    state = lay(_shown(state, item.seat), item.seat, item.card.id)
    # Each card that is shown may be the largest Cash so far.
    return state.but(buyer=largest_bidder(state))


def _sold(state: State, item: happenings.Sale) -> State:
    """Return the state after a sale. The Cash still lies in front of the buyer."""
    held = put(state.collectibles, item.seat, _with(state.collectibles[item.seat], item.took.slot))
    left = put(state.windows, item.window, _without(state.windows[item.window], item.took.slot))
    return state.but(collectibles=held, windows=left, buyer=None)


def _exhibit_shown(state: State, item: happenings.ExhibitShown) -> State:
    """Return the state after a seat has shown an exhibit, from which the Thieves may steal."""
    slots = tuple(piece.slot for piece in item.pieces)
    state = _opened(_shown(state, item.seat), item.pieces)
    state = state.but(exhibits=put(state.exhibits, item.seat, slots))
    return state.but(thieves=thieves_in_order(state))


def _nothing_shown(state: State, item: happenings.NothingShown) -> State:
    claim = Claim(state.round, item.seat, state.collectibles[item.seat])
    return state.but(claims=(*state.claims, claim))


def _stolen(state: State, item: happenings.Stolen) -> State:
    """Return the state after a theft. No other Thief follows if nothing is left to steal."""
    thief, owner, slot = item.seat, item.owner, item.piece.slot
    held = put(state.collectibles, owner, _without(state.collectibles[owner], slot))
    exhibits = put(state.exhibits, owner, _without(state.exhibits[owner] or (), slot))
    return state.but(
        collectibles=put(held, thief, _with(held[thief], slot)),
        exhibits=exhibits,
        thieves=_without(state.thieves, thief) if any(exhibits) else (),
    )


def _imprisoned(state: State, item: happenings.Imprisoned) -> State:
    prison = tuple(card.id for card in item.cells)
    return _taken_up(state, item.seat, item.thief.id).but(prison=prison)


def _round_ended(state: State, _item: happenings.RoundEnded) -> State:
    nothing = (None,) * state.seats
    return state.but(places=nothing, exhibits=nothing)


def _standing_made(state: State, item: happenings.StandingMade) -> State:
    slots = tuple(piece.slot for piece in item.exhibit)
    line = rules.Standing(item.rank, item.seat, item.field, slots)
    return state.but(standings=(*state.standings, line))


def _taken_up(state: State, seat: int, card: int) -> State:
    """Return the state without the Action card in front of the seat, if it is this one."""
    return (
        state.but(actions=put(state.actions, seat, None)) if state.actions[seat] == card else state
    )


def _in_hand(state: State, seat: int, card: int) -> State:
    return state.but(hands=put(state.hands, seat, _with(state.hands[seat], card)))


def _opened(state: State, pieces: Sequence[happenings.Piece]) -> State:
    """Return the state after some Collectibles were opened to all."""
    known = list(state.known)
    for piece in pieces:
        known[piece.slot] = piece.card
    return state.but(known=tuple(known))


def _with(row: tuple[int, ...], one: int) -> tuple[int, ...]:
    return tuple(sorted((*row, one)))


def _without(row: tuple[int, ...], one: int) -> tuple[int, ...]:
    return tuple(other for other in row if other != one)


FOLLOWED: Final[Mapping[type[Any], Callable[[State, Any], State]]] = {
    happenings.Setup: _set_up,
    happenings.PresenceChanged: _present,
    happenings.RoundBegan: _round_began,
    happenings.PlaceShown: lambda state, item: _shown(state, item.seat).but(
        places=put(state.places, item.seat, item.place)
    ),
    happenings.ActionShown: _action_shown,
    happenings.Voided: lambda state, item: _shown(state, item.seat),
    happenings.Sale: _sold,
    happenings.CashStolen: lambda state, item: _in_hand(
        _taken_up(state, item.owner, item.cash.id), item.seat, item.cash.id
    ),
    happenings.CashPaid: lambda state, item: _taken_up(state, item.seat, item.cash.id).but(
        register=(*state.register, item.cash.id)
    ),
    happenings.Returned: lambda state, item: _in_hand(
        _taken_up(state, item.seat, item.card.id), item.seat, item.card.id
    ),
    happenings.TurnedUp: lambda state, item: _opened(state, (item.piece,)),
    happenings.ExhibitShown: _exhibit_shown,
    happenings.NothingShown: _nothing_shown,
    happenings.FigureMoved: lambda state, item: state.but(
        figures=put(state.figures, item.seat, item.end)
    ),
    happenings.Stolen: _stolen,
    happenings.Imprisoned: _imprisoned,
    happenings.RoundEnded: _round_ended,
    happenings.HandOpened: lambda state, item: _opened(state, item.pieces),
    happenings.StandingMade: _standing_made,
}
"""For each kind of event the function that changes a state. Other events change no state."""
