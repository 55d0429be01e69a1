"""The steps of the phase machine: what each phase waits for, and what the answer does.

If a seat that has to choose cannot be asked, for example because it is absent, `apply` makes the
choice by the rules. It then goes on, through several phases if need be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from protocol import game_interface as game

from . import auction_hall, banquet, castle, game_setup
from . import place_and_action as choices
from .choices import Kind, Place, UnexpectedEvent
from .game_state import State
from .happenings import GameStopped, PresenceChanged
from .movement import go, tell
from .phases import Phase

CASTLE, HALL = Place.CASTLE, Place.AUCTION_HALL
NOBODY: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class PhaseRules:
    """The rules of one phase.

    Attributes:
        due: Returns what the phase waits for. None to go on to the next phase at once.
        take: Returns the state after the event that the phase waits for.
        skip: Returns the state after a phase that waits for nothing.
    """

    due: Callable[[State], game.Expected | None]
    take: Callable[[State, Any], State]
    skip: Callable[[State], State]


def expected(state: State) -> game.Expected:
    """Return what has to happen next, `Over` after the end."""
    return STEPS[state.phase].due(state) or game.Over()


def apply(state: State, event: game.Event) -> State:
    """Return the state after an event ([G-3]). Its `news` say what happened.

    Raises:
        IllegalMove: If the rules forbid a choice in the event.
        UnexpectedEvent: If the event is not what `expected` asks for.
    """
    # Empty, or the events of earlier steps would be told again.
    fresh = state.but(news=())
    # Before what is expected: seats come and go, and games stop, in any phase.
    if isinstance(event, game.Presence):
        return _settle(_change_presence(fresh, event))
    if isinstance(event, game.Stopped):
        return _settle(_stop(fresh))
    due = expected(state)
    if not _fits(due, event):
        raise UnexpectedEvent(f"expected is {due}, not {event}")
    return _settle(STEPS[state.phase].take(fresh, event))


def _settle(state: State) -> State:
    """Skip the phases that wait for nothing, and return the state of the first phase that waits."""
    while STEPS[state.phase].due(state) is None:
        state = STEPS[state.phase].skip(state)
    return state


# Events that answer what is expected, and the end of the game


def _fits(due: game.Expected, event: game.Event) -> bool:
    """Return whether an event answers what is expected."""
    match due, event:
        case (game.Deal(), game.Dealt()) | (game.Draw(), game.Drawn()):
            return True
        case (game.OpenAll(), game.Opened()):
            return True
        case (game.Seal(), game.Sealed()):
            # A `Seal` that asks no seat waits for a seat to be present. No sealing answers it.
            return due.kind == event.kind and event.seats <= due.seats and bool(due.seats)
        case (game.Unseal(), game.Unsealed()):
            return due.kind == event.kind and set(event.choices) == due.seats
        case (game.Show(), game.Shown()):
            return due.kind == event.kind and due.seat == event.seat
        case (game.Choose(), game.Chosen()):
            return due.kind == event.kind and due.seat == event.seat
    return False


def _stop(state: State) -> State:
    """Go to the end of the game from any phase. The rest of the round is not played ([G-5])."""
    if state.phase in (Phase.DEAL, Phase.FINAL, Phase.OVER):
        raise UnexpectedEvent(f"a game in phase {state.phase} is not stopped")
    # Not by `go`: the phase table has no step to the end from every phase.
    return tell(state, GameStopped(state.round), phase=Phase.FINAL)


# Presence


def _change_presence(state: State, event: game.Presence) -> State:
    """Change who is present. Who comes back in a round sits out until the next ([E-14], [G-4])."""
    seats = frozenset(range(state.seats))
    # A ban is final, or a seat that was caught could play on.
    if not event.present <= seats or not state.banned <= event.banned <= seats:
        raise UnexpectedEvent(f"{event} names no seats of this table, or lifts a ban")
    if event.present & event.banned:
        raise UnexpectedEvent("a banned seat cannot be present")
    came = event.present - state.present
    resting = (state.resting & event.present) | (came if state.round else NOBODY)
    told = PresenceChanged(
        absent=tuple(sorted(state.present - event.present)),
        returned=tuple(sorted(came)),
        banned=tuple(sorted(event.banned - state.banned)),
    )
    return tell(state, told, present=event.present, banned=event.banned, resting=resting)


# Rules of the phases


def _never(state: State, event: object = None) -> State:
    raise UnexpectedEvent(f"nothing can happen in phase {state.phase}")


def _sealing(
    kind: Kind, seats: Callable[[State], Iterable[int]], take: Callable[[State, game.Sealed], State]
) -> PhaseRules:
    """Make the rules of a phase in which seats seal choices of a kind.

    `seats` returns the seats that owe a choice. `take` returns the state after the sealing.
    """
    return PhaseRules(
        lambda state: choices.seal_of(state, kind, seats(state)),
        take,
        lambda state: take(state, game.Sealed(kind, NOBODY)),
    )


def _opening(
    kind: Kind,
    seats: Callable[[State], Iterable[int]],
    take: Callable[[State, game.Unsealed], State],
) -> PhaseRules:
    """Make the rules of a phase in which sealed choices of those of `seats` are opened."""
    return PhaseRules(
        lambda state: choices.unseal_of(state, kind, seats(state)),
        take,
        lambda state: take(state, game.Unsealed(kind, {})),
    )


def _passage(skip: Callable[[State], State]) -> PhaseRules:
    return PhaseRules(lambda state: None, _never, skip)


def _seal_in(end: Phase, *places: Place) -> PhaseRules:
    """Make the rules of a phase in which Actions are sealed in some Places. `end` follows it."""
    return _sealing(
        "action",
        lambda state: choices.owing_action(state, *places),
        lambda state, event: choices.seal_actions(state, event, end, *places),
    )


def _open_in(place: Place, resolve: Callable[[State], State]) -> PhaseRules:
    """Make the rules of a phase that opens the Actions in a Place and applies `resolve` then."""
    return _opening(
        "action",
        lambda state: state.at(place),
        lambda state, event: resolve(choices.open_actions(state, event, place)),
    )


STEPS: Mapping[Phase, PhaseRules] = {
    Phase.DEAL: PhaseRules(lambda state: game.Deal(), game_setup.deal, _never),
    Phase.ROUND: PhaseRules(choices.round_waits, _never, choices.begin_round),
    Phase.PLACE_SEAL: _sealing("place", choices.everyone, choices.seal_places),
    Phase.PLACE_OPEN: _opening("place", choices.everyone, choices.open_places),
    Phase.TURN_SEAL: _sealing("turn", choices.everyone, choices.seal_places),
    Phase.TURN_OPEN: _opening(
        "turn",
        choices.everyone,
        lambda state, event: auction_hall.resolve(choices.open_turns(state, event)),
    ),
    Phase.ALL_SEAL: _seal_in(Phase.HALL_OPEN, HALL, CASTLE),
    Phase.HALL_SEAL: _seal_in(Phase.HALL_OPEN, HALL),
    Phase.HALL_OPEN: _open_in(HALL, auction_hall.resolve),
    Phase.WINDOW: PhaseRules(
        auction_hall.window_due,
        auction_hall.choose_window,
        lambda state: auction_hall.choose_window(
            state, game.Chosen("window", state.buyer or 0, None)
        ),
    ),
    Phase.DRAW: PhaseRules(auction_hall.draw_due, auction_hall.draw, _never),
    Phase.CASTLE: _passage(castle.begin),
    Phase.CASTLE_SEAL: _seal_in(Phase.CASTLE_OPEN, CASTLE),
    Phase.CASTLE_OPEN: _open_in(CASTLE, castle.resolve),
    Phase.LONE_SHOW: PhaseRules(
        castle.show_due, castle.show_alone, lambda state: castle.show(state, {}, {})
    ),
    Phase.EXHIBIT_SEAL: _sealing(
        "exhibit",
        castle.exhibitors,
        lambda state, event: go(state, Phase.EXHIBIT_OPEN, sealed=event.seats),
    ),
    Phase.EXHIBIT_OPEN: _opening("exhibit", castle.exhibitors, castle.open_exhibits),
    Phase.THEFT: PhaseRules(
        castle.theft_due,
        castle.choose_theft,
        lambda state: castle.choose_theft(state, game.Chosen("theft", state.thieves[0], None)),
    ),
    Phase.DETECTIVES: _passage(castle.end_round),
    Phase.FINAL: PhaseRules(banquet.opening_due, banquet.finish, _never),
    Phase.OVER: PhaseRules(lambda state: game.Over(), _never, _never),
}
