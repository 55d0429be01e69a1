"""Phases I and II of a round, and the choice of Actions in phases III and IV.

The functions say which seats owe a choice, and show the choices when they are opened. A choice in
an event is None if it is void because of a fault of the seat.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, cast

from protocol.game_interface import Seal, Sealed, Unseal, Unsealed

from .choices import Kind, Place, Why
from .game_state import State
from .happenings import ActionShown, Happening, Passed, PlaceShown, RoundBegan, SatOut, Voided
from .legality import check, has_action
from .movement import go, lay, put, tell
from .phases import Phase

NOBODY: frozenset[int] = frozenset()


# The beginning of a round


def round_waits(state: State) -> Seal | None:
    """Return what a round waits for: None, so that it begins by itself, if a seat is present.

    Otherwise it is a `Seal` that asks no seat, with which the game waits for a seat to come back.
    """
    # Without a seat every phase is skipped, so rounds would follow each other without end.
    return None if state.present else Seal("place", NOBODY)


def begin_round(state: State) -> State:
    """Begin a round with all present seats ([G-7]).

    In rounds in which seats cannot choose a Place, they are all sent to the same one.
    """
    fixed = _fixed_place(state, state.round + 1)
    seats = tuple(sorted(state.present))
    out = tuple(seat for seat in range(state.seats) if seat not in state.present)
    places = tuple(fixed if seat in state.present else None for seat in range(state.seats))
    return go(
        state,
        _first_phase(state, fixed),
        RoundBegan(state.round + 1, seats, out, fixed),
        round=state.round + 1,
        resting=NOBODY,
        joined=state.present,
        places=places,
        actions=(None,) * state.seats,
        sealed=NOBODY,
        exhibits=(None,) * state.seats,
        buyer=None,
        before=state.figures,
    )


def _fixed_place(state: State, number: int) -> Place | None:
    """Return the Place to which all seats are sent in round `number`. None if each chooses one."""
    if state.windows_empty:
        return Place.CASTLE
    if state.variant == "confrontation":
        return Place.AUCTION_HALL if number % 2 else Place.CASTLE
    return None


def together(state: State) -> bool:
    """Return whether all seats seal their Actions of a round in the same step. Two seats do not."""
    return state.variant is None and state.edition.switches.action_choice == "together"


def _first_phase(state: State, fixed: Place | None) -> Phase:
    """Return the first phase of a round. `fixed` is None if each seat chooses its Place."""
    if fixed is None:
        return Phase.TURN_SEAL if state.variant == "surprise" else Phase.PLACE_SEAL
    if together(state):
        return Phase.ALL_SEAL
    return Phase.HALL_SEAL if fixed == Place.AUCTION_HALL else Phase.CASTLE


# Places


def seal_of(state: State, kind: Kind, seats: Iterable[int]) -> Seal | None:
    """Return the request that the active ones of some seats seal a choice, or None ([G-6])."""
    owed = frozenset(seat for seat in seats if state.active(seat))
    return Seal(kind, owed) if owed else None


def unseal_of(state: State, kind: Kind, seats: Iterable[int]) -> Unseal | None:
    """Return which sealed choices of some seats are to be opened, None if there are none."""
    due = state.sealed.intersection(seats)
    return Unseal(kind, due, shows=kind == "exhibit") if due else None


def everyone(state: State) -> range:
    """Return all seats, present or not."""
    return range(state.seats)


def seal_places(state: State, event: Sealed) -> State:
    """Return the state after Places, or in the variant `surprise` turns, were sealed.

    Seats that have not sealed a choice sit the round out.
    """
    out = [SatOut(seat, Why.NO_SEALED_CHOICE) for seat in sorted(state.joined - event.seats)]
    end = Phase.TURN_OPEN if event.kind == "turn" else Phase.PLACE_OPEN
    return go(state, end, *out, sealed=event.seats)


def _void(seat: int) -> Happening:
    return SatOut(seat, Why.VOID_CHOICE)


def open_places(state: State, event: Unsealed) -> State:
    """Show the chosen Places. A seat whose choice is void sits the round out ([G-8]).

    Raises:
        IllegalMove: If the rules forbid a choice.
    """
    end = Phase.ALL_SEAL if together(state) else Phase.HALL_SEAL
    return go(_shown(state, event, _void, _stand), end, sealed=NOBODY)


def open_turns(state: State, event: Unsealed) -> State:
    """Show Places and Actions together, in the two-seat variant `surprise`.

    Raises:
        IllegalMove: If the rules forbid a choice.
    """

    def play(state: State, seat: int, turn: tuple[int, int]) -> State:
        return _play(_stand(state, seat, turn[0]), seat, turn[1])

    return _shown(state, event, _void, play).but(sealed=NOBODY)


def _shown(
    state: State,
    event: Unsealed,
    void: Callable[[int], Happening],
    play: Callable[[State, int, Any], State],
) -> State:
    """Apply the opened choices of all seats to the state.

    Args:
        void: Returns the event to add for a seat whose choice is void.
        play: Returns the state after a legal choice of a seat.
    """
    # Sorted, so that every peer adds the same events in the same order.
    for seat, choice in sorted(event.choices.items()):
        if choice is None:
            state = tell(state, Voided(seat, event.kind), void(seat))
        else:
            check(state, cast(Kind, event.kind), seat, choice)
            state = play(state, seat, choice)
    return state


def _stand(state: State, seat: int, place: int) -> State:
    where = Place(place)
    return tell(state, PlaceShown(seat, where), places=put(state.places, seat, where))


# Actions


def owing_action(state: State, *places: Place) -> tuple[int, ...]:
    """Return the seats in some Places that have a card to play there, by Place and then seat."""
    at = [(seat, place) for place in places for seat in state.at(place)]
    return tuple(seat for seat, place in at if has_action(state, seat, place))


def seal_actions(state: State, event: Sealed, end: Phase, *places: Place) -> State:
    """Return the state after Actions were sealed. All other seats in these Places pass."""
    passed = [
        Passed(
            seat, place, Why.NO_SEALED_CHOICE if has_action(state, seat, place) else Why.NO_ACTION
        )
        for place in places
        for seat in state.at(place)
        if seat not in event.seats
    ]
    return go(state, end, *passed, sealed=event.seats)


def open_actions(state: State, event: Unsealed, place: Place) -> State:
    """Show the Actions in one Place. A seat whose choice is void passes ([G-9]).

    Raises:
        IllegalMove: If the rules forbid a choice.
    """
    shown = _shown(state, event, lambda seat: Passed(seat, place, Why.VOID_CHOICE), _play)
    # If all Actions were sealed together, those of the Castle stay sealed while the Hall is open.
    return shown.but(sealed=state.sealed - frozenset(event.choices))


def _play(state: State, seat: int, card: int) -> State:
    where = state.places[seat]
    shown = ActionShown(seat, cast(Place, where), state.action_card(card))
    return tell(lay(state, seat, card), shown)
