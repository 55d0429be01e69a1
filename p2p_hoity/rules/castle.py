"""Phase IV, the Castle: Exhibits, Thieves, Detectives and the prison, in this order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from protocol.game_interface import Cards, Choice, Choose, Chosen, Show, Shown, Unsealed

from . import happenings
from .choices import Place, UnexpectedEvent, Why
from .edition import ActionKind
from .game_state import Claim, State
from .legality import check, default_exhibit, default_theft, theft_options
from .movement import clear, give_back, go, move_detectives, put, reveal, reward, tell
from .phases import Phase
from .place_and_action import together

CASTLE = Place.CASTLE
PLACES_OF_HONOUR = (Why.BEST, Why.SECOND_BEST)


def begin(state: State) -> State:
    """Begin the Castle phase after the sale, and store where the figures stand ([G-13])."""
    # These fields choose the octagon: the moves that it pays must not change it.
    state = state.but(before=state.figures)
    # The sale has left no card in the Auction Hall. So these cards were shown in the Castle.
    if any(card is not None for card in state.actions):
        return resolve(state)
    return go(state, Phase.CASTLE_OPEN if together(state) else Phase.CASTLE_SEAL)


# Exhibits


def exhibitors(state: State) -> tuple[int, ...]:
    """Return the seats that play Exhibit in the Castle, rising."""
    return state.playing(CASTLE, ActionKind.EXHIBIT)


def resolve(state: State) -> State:
    """Begin the phase that follows when the Actions in the Castle have been shown ([G-14])."""
    count = len(exhibitors(state))
    if not count:
        return go(state, Phase.DETECTIVES)
    return go(state, Phase.LONE_SHOW if count == 1 else Phase.EXHIBIT_SEAL)


def show_due(state: State) -> Show | None:
    """Return what the only exhibitor is asked to show, None if it is absent or sits out."""
    (seat,) = exhibitors(state)
    return Show("exhibit", seat) if state.active(seat) else None


def show_alone(state: State, event: Shown) -> State:
    """Show the exhibit of the only exhibitor, then go on to the Thieves.

    Args:
        event: Its choice is None if the seat is absent, and empty if the choice is void.

    Raises:
        IllegalMove: If the rules forbid the exhibit.
    """
    if event.choice is None:
        return show(state, {}, event.cards)
    return show(state, {event.seat: event.choice or None}, event.cards)


def open_exhibits(state: State, event: Unsealed) -> State:
    """Show the exhibits of two or more exhibitors together, then go on to the Thieves.

    Raises:
        IllegalMove: If the rules forbid an exhibit.
    """
    return show(state, event.choices, event.cards)


def show(state: State, choices: Mapping[int, Choice | None], cards: Cards) -> State:
    """Show all exhibits at once, rank them, and move the figures of the best ([G-15]).

    A seat without a choice shows the best exhibit among its Collectibles that are open to all.

    Args:
        choices: For each seat that chose, the slots of its exhibit. None for a void choice.

    Raises:
        IllegalMove: If the rules forbid an exhibit.
        UnexpectedEvent: If `cards` opens slots that are in no exhibit.
    """
    for seat, choice in sorted(choices.items()):
        if choice is not None:
            check(state, "exhibit", seat, choice, cards)
    shown = {slot for choice in choices.values() for slot in cast(tuple[int, ...], choice or ())}
    if not set(cards) <= shown:
        raise UnexpectedEvent("cards are opened that are in no exhibit shown")
    defaults = [seat for seat in exhibitors(state) if seat not in choices]
    # A slot that is open with this very card already may be shown again. `reveal` rejects any
    # other.
    state = reveal(state, {s: card for s, card in cards.items() if state.known[s] != card})
    # Sorted, so that every peer adds the same events in the same order.
    for seat, choice in sorted(choices.items()):
        state = _lay_out(state, seat, cast("tuple[int, ...] | None", choice))
    for seat in defaults:
        state = _lay_out_default(state, seat)
    return _to_thieves(_reward(state.but(sealed=frozenset())))


def _lay_out(state: State, seat: int, slots: tuple[int, ...] | None) -> State:
    """Lay out a seat's exhibit. It shows nothing if `slots` is None, because its choice is void."""
    if slots is not None:
        return state.but(exhibits=put(state.exhibits, seat, slots))
    told = (happenings.Voided(seat, "exhibit"), happenings.NothingShown(seat, Why.VOID_CHOICE))
    return tell(_claim(state, seat), *told)


def _lay_out_default(state: State, seat: int) -> State:
    """Lay out an exhibit for a seat without a choice: the best of its open Collectibles."""
    slots = default_exhibit(state, seat)
    told = happenings.DefaultTaken(seat, "exhibit", slots, Why.NO_CHOICE)
    if slots is not None:
        return tell(state, told, exhibits=put(state.exhibits, seat, slots))
    return tell(_claim(state, seat), told, happenings.NothingShown(seat, Why.NOTHING_OPEN))


def _claim(state: State, seat: int) -> State:
    """Record that a seat played Exhibit but shows nothing (see `Claim`)."""
    claim = Claim(state.round, seat, state.collectibles[seat])
    return state.but(claims=(*state.claims, claim))


def _reward(state: State) -> State:
    """Move the best two figures by the octagon of the field that was foremost in `before`."""
    octagon = state.edition.octagons[max(state.before)]
    shown = happenings.ExhibitShown
    return reward(state, state.exhibits, shown, zip(PLACES_OF_HONOUR, octagon, strict=True))[0]


# Thieves


def _to_thieves(state: State) -> State:
    return _next_thief(state.but(thieves=thieves_in_order(state)))


def thieves_in_order(state: State) -> tuple[int, ...]:
    """Return the seats that play a Thief in the Castle, by falling number of the card."""
    thieves = state.playing(CASTLE, ActionKind.THIEF)
    return tuple(sorted(thieves, key=lambda seat: -_number(state, seat)))


def _number(state: State, seat: int) -> int:
    return state.edition.number(state.action(seat))


def _next_thief(state: State) -> State:
    """Give the turn to the next Thief, if there is something to steal ([G-16])."""
    if state.thieves and theft_options(state):
        return go(state, Phase.THEFT)
    return go(state, Phase.DETECTIVES, thieves=())


def theft_due(state: State) -> Choose | None:
    """Return the choice of loot that the next Thief owes, None if it is absent or sits out."""
    seat = state.thieves[0]
    return Choose("theft", seat) if state.active(seat) else None


def choose_theft(state: State, event: Chosen) -> State:
    """Move one Collectible from each exhibit that still has one to the Thief's seat ([G-17]).

    Args:
        event: Its choice is None to move the oldest Collectible of each exhibit.

    Raises:
        IllegalMove: If the rules forbid the choice.
    """
    choice = event.choice
    if choice is None:
        choice = default_theft(state)
        state = tell(state, happenings.DefaultTaken(event.seat, "theft", choice, Why.NO_CHOICE))
    check(state, "theft", event.seat, choice)
    for slot in cast(tuple[int, ...], choice):
        state = _steal(state, event.seat, slot)
    return _next_thief(state.but(thieves=state.thieves[1:]))


def _steal(state: State, thief: int, slot: int) -> State:
    """Move the Collectible in a slot from its owner's exhibit to the Thief's seat."""
    owner = next(seat for seat, exhibit in enumerate(state.exhibits) if slot in (exhibit or ()))
    left = tuple(s for s in state.exhibits[owner] or () if s != slot)
    held = list(state.collectibles)
    held[owner] = tuple(s for s in held[owner] if s != slot)
    held[thief] = tuple(sorted((*held[thief], slot)))
    told = happenings.Stolen(
        thief, state.action_card(state.action(thief)), owner, state.piece(slot)
    )
    return tell(state, told, exhibits=put(state.exhibits, owner, left), collectibles=tuple(held))


# Detectives and prison


def end_round(state: State) -> State:
    """End a round: Detectives imprison the Thieves, and Action cards go back to hands ([G-18])."""
    # By rising number, since each takes cell 1 and moves the others up ([G-18]).
    caught = sorted(state.playing(CASTLE, ActionKind.THIEF), key=lambda seat: _number(state, seat))
    detectives = state.playing(CASTLE, ActionKind.DETECTIVE)
    if caught and detectives:
        state = move_detectives(state, detectives)
        for seat in caught:
            state = _imprison(state, seat)
    # After the imprisonment, which takes the Thieves off the table. The others go back to hands.
    state = clear(state, CASTLE, Why.CASTLE_OVER)
    state = tell(state, happenings.RoundEnded(state.round, state.figures))
    state = state.but(places=(None,) * state.seats, exhibits=(None,) * state.seats)
    arrived = tuple(
        seat for seat, field in enumerate(state.figures) if state.edition.in_banquet(field)
    )
    if arrived:
        return go(state, Phase.FINAL, happenings.BanquetReached(arrived))
    return go(state, Phase.ROUND)


def _imprison(state: State, seat: int) -> State:
    """Put a Thief into cell 1, and move the other Thieves in prison up by one cell.

    A Thief that leaves the last cell goes back to the hand of its seat.
    """
    thief = state.action(seat)
    cells = (thief, *state.prison)
    kept, freed = cells[: state.seats], cells[state.seats :]
    shown = tuple(state.action_card(card) for card in kept)
    state = tell(
        state,
        happenings.Imprisoned(seat, state.action_card(thief), shown),
        prison=kept,
        actions=put(state.actions, seat, None),
    )
    for card in freed:
        state = give_back(state, state.owner(card), card, Why.LAST_CELL)
    return state
