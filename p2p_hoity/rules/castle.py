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
    """The sale is over: the figures' fields are taken down, and the Castle's Actions are due.

    SPEC: [G-13].
    """
    state = state.but(before=state.figures)
    if any(card is not None for card in state.actions):
        return resolve(state)
    return go(state, Phase.CASTLE_OPEN if together(state) else Phase.CASTLE_SEAL)


# Exhibits.


def exhibitors(state: State) -> tuple[int, ...]:
    """The seats that play Exhibit in the Castle."""
    return state.playing(CASTLE, ActionKind.EXHIBIT)


def resolve(state: State) -> State:
    """The Actions in the Castle are shown: who has played Exhibit shows one ([G-14])."""
    count = len(exhibitors(state))
    if not count:
        return go(state, Phase.DETECTIVES)
    return go(state, Phase.LONE_SHOW if count == 1 else Phase.EXHIBIT_SEAL)


def show_due(state: State) -> Show | None:
    """The lone exhibitor, if it may be asked."""
    (seat,) = exhibitors(state)
    return Show("exhibit", seat) if state.active(seat) else None


def show_alone(state: State, event: Shown) -> State:
    """The lone exhibitor shows: what it chose, the default (None), or nothing (void)."""
    if event.choice is None:
        return show(state, {}, event.cards)
    return show(state, {event.seat: event.choice or None}, event.cards)


def open_exhibits(state: State, event: Unsealed) -> State:
    """Two or more exhibitors show together."""
    return show(state, event.choices, event.cards)


def show(state: State, choices: Mapping[int, Choice | None], cards: Cards) -> State:
    """All exhibits are shown at once, ranked and rewarded; seats without a choice default.

    UnexpectedEvent if cards are opened that are in no exhibit shown.

    SPEC: [G-15].
    """
    for seat, choice in sorted(choices.items()):
        if choice is not None:
            check(state, "exhibit", seat, choice, cards)
    shown = {slot for choice in choices.values() for slot in cast(tuple[int, ...], choice or ())}
    if not set(cards) <= shown:
        raise UnexpectedEvent("cards are opened that are in no exhibit shown")
    defaults = [seat for seat in exhibitors(state) if seat not in choices]
    state = reveal(state, {s: card for s, card in cards.items() if state.known[s] != card})
    for seat, choice in sorted(choices.items()):
        state = _lay_out(state, seat, cast("tuple[int, ...] | None", choice))
    for seat in defaults:
        state = _lay_out_default(state, seat)
    return _to_thieves(_reward(state.but(sealed=frozenset())))


def _lay_out(state: State, seat: int, slots: tuple[int, ...] | None) -> State:
    if slots is not None:
        return state.but(exhibits=put(state.exhibits, seat, slots))
    told = (happenings.Voided(seat, "exhibit"), happenings.NothingShown(seat, Why.VOID_CHOICE))
    return tell(_claim(state, seat), *told)


def _lay_out_default(state: State, seat: int) -> State:
    """An Exhibit without a choice of its owner shows the best that is open to all already."""
    slots = default_exhibit(state, seat)
    told = happenings.DefaultTaken(seat, "exhibit", slots, Why.NO_CHOICE)
    if slots is not None:
        return tell(state, told, exhibits=put(state.exhibits, seat, slots))
    return tell(_claim(state, seat), told, happenings.NothingShown(seat, Why.NOTHING_OPEN))


def _claim(state: State, seat: int) -> State:
    claim = Claim(state.round, seat, state.collectibles[seat])
    return state.but(claims=(*state.claims, claim))


def _reward(state: State) -> State:
    """The best two move by the octagon of the leader's field before anyone moved."""
    octagon = state.edition.octagons[max(state.before)]
    shown = happenings.ExhibitShown
    return reward(state, state.exhibits, shown, zip(PLACES_OF_HONOUR, octagon, strict=True))[0]


# Thieves.


def _to_thieves(state: State) -> State:
    thieves = state.playing(CASTLE, ActionKind.THIEF)
    descending = sorted(thieves, key=lambda seat: -_number(state, seat))
    return _next_thief(state.but(thieves=tuple(descending)))


def _number(state: State, seat: int) -> int:
    return state.edition.number(state.action(seat))


def _next_thief(state: State) -> State:
    """Go on with the next Thief that has something to steal ([G-16])."""
    if state.thieves and theft_options(state):
        return go(state, Phase.THEFT)
    return go(state, Phase.DETECTIVES, thieves=())


def theft_due(state: State) -> Choose | None:
    """The Thief with the highest number still to come, if its owner may be asked."""
    seat = state.thieves[0]
    return Choose("theft", seat) if state.active(seat) else None


def choose_theft(state: State, event: Chosen) -> State:
    """One Collectible from every exhibit that still has one changes hands ([G-17])."""
    choice = event.choice
    if choice is None:
        choice = default_theft(state)
        state = tell(state, happenings.DefaultTaken(event.seat, "theft", choice, Why.NO_CHOICE))
    check(state, "theft", event.seat, choice)
    for slot in cast(tuple[int, ...], choice):
        state = _steal(state, event.seat, slot)
    return _next_thief(state.but(thieves=state.thieves[1:]))


def _steal(state: State, thief: int, slot: int) -> State:
    owner = next(seat for seat, exhibit in enumerate(state.exhibits) if slot in (exhibit or ()))
    left = tuple(s for s in state.exhibits[owner] or () if s != slot)
    held = list(state.collectibles)
    held[owner] = tuple(s for s in held[owner] if s != slot)
    held[thief] = tuple(sorted((*held[thief], slot)))
    told = happenings.Stolen(
        thief, state.action_card(state.action(thief)), owner, state.piece(slot)
    )
    return tell(state, told, exhibits=put(state.exhibits, owner, left), collectibles=tuple(held))


# Detectives and prison.


def end_round(state: State) -> State:
    """Detectives catch the Thieves, cards go home, and the round is finished ([G-18])."""
    caught = sorted(state.playing(CASTLE, ActionKind.THIEF), key=lambda seat: _number(state, seat))
    detectives = state.playing(CASTLE, ActionKind.DETECTIVE)
    if caught and detectives:
        state = move_detectives(state, detectives)
        for seat in caught:
            state = _imprison(state, seat)
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
    """A Thief enters cell 1, everyone moves up, who leaves the last cell goes home."""
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
