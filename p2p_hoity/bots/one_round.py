"""The fair bot, which looks no further than the present round.

It estimates how many fields each choice brings in this round, if each other seat draws among what
it can play. A piece that is won or lost counts as some fields. What cards and pieces are good for
in later rounds is not considered. The bot draws among its choices by these values, so that it also
makes mistakes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod
from random import Random
from typing import cast

from ..rules import ActionKind, Choice, Edition, Expected, Place, View, legality
from ..rules.choices import Kind
from ..rules.exhibits import by_letter, two_largest
from .castle_odds import Mix, Stakes, guests, rivals, worths
from .rule_bots import mix, owed

HEATS: Mapping[int, float] = {2: 1.03, 3: 1.16, 4: 1.2, 5: 1.42, 6: 1.55}
"""The difference in value, in fields, that makes a choice e times as likely as another one.

It is given by the number of seats: with more of them the values are further apart, because a
Detective moves by up to as many fields as there are seats.
"""
PIECE = 1.6
"""The fields that a piece of the longest run is worth."""
CASH = 0.4
"""The fields that the largest Cash of an edition is worth."""
IN_HALL = 0.5
"""The probability that another seat goes to the Auction Hall."""

Values = Mapping[Choice, float]


def fair_choice(view: View, decision: Expected, rng: Random) -> Choice:
    """Return the choice of the fair bot.

    Raises:
        NothingToChoose: If there is no legal choice.
    """
    kind = owed(view, decision)
    heat = HEATS[view.state.seats]
    if kind == "theft":
        return tuple(mix(one, rng, heat) for one in thefts(view))
    return mix(values(view, kind), rng, heat)


def values(view: View, kind: Kind) -> Values:
    """Return what each legal choice brings in this round, in fields. `kind` is not "theft".

    Exhibits and windows are valued in pieces.
    """
    return _VALUES[kind](view)


# Places and Actions


def _places(view: View) -> Values:
    by_place = {place: _cards(view, place) for place in Place}
    legal = cast("tuple[int, ...]", view.legal("place"))
    return {place: max(by_place[Place(place)].values(), default=0.0) for place in legal}


def _actions(view: View) -> Values:
    found = _cards(view, Place(cast(int, view.state.places[cast(int, view.seat)])))
    return {card: found.get(card, 0.0) for card in cast("tuple[int, ...]", view.legal("action"))}


def _turns(view: View) -> Values:
    by_place = {place: _cards(view, place) for place in Place}
    turns = cast("tuple[tuple[int, int], ...]", view.legal("turn"))
    return {(place, card): by_place[Place(place)].get(card, 0.0) for place, card in turns}


def _cards(view: View, place: Place) -> Mapping[int, float]:
    """Return the value of each Action card in the hand that brings something in a Place."""
    hand = view.state.hands[cast(int, view.seat)]
    if place == Place.CASTLE:
        of_kind = _castle(view)
        return {c: of_kind[kind] for c in hand if (kind := view.state.kind(c)) in of_kind}
    if view.state.windows_empty:
        return {}
    thief = _register(view)
    return {card: _bid(view, card) if _is(view, card, ActionKind.CASH) else thief for card in hand}


def _castle(view: View) -> Mapping[ActionKind, float]:
    """Return the value of each kind of Action in the Castle."""
    state, found = view.state, guests(view)
    at_stake = Stakes(*state.edition.octagons[max(state.figures)], PIECE)
    drawn: list[Mix] = [dict.fromkeys(guest.kinds, 1 / len(guest.kinds)) for guest in found]
    return worths(found, drawn, 0, at_stake)


def _bid(view: View, card: int) -> float:
    """Return the value of a Cash card: the probability that it wins, times what it brings then."""
    state, win = view.state, 1.0
    for seat, chance in rivals(view, Place.AUCTION_HALL, IN_HALL).items():
        held = [c for c in state.hands[seat] if _is(view, c, ActionKind.CASH)]
        larger = sum(state.edition.number(c) > state.edition.number(card) for c in held)
        win *= 1 - chance * _share(view, seat, ActionKind.CASH) * larger / max(1, len(held))
    return win * (PIECE * max(_windows(view).values()) - _price(state.edition, card))


def _register(view: View) -> float:
    """Return the value of a Thief in the Auction Hall, who gets the Cash that is paid if alone."""
    there = rivals(view, Place.AUCTION_HALL, IN_HALL).items()
    unpaid = prod(1 - chance * _share(view, seat, ActionKind.CASH) for seat, chance in there)
    alone = prod(1 - chance * _share(view, seat, ActionKind.THIEF) for seat, chance in there)
    return (1 - unpaid) * alone * CASH


def _share(view: View, seat: int, kind: ActionKind) -> float:
    """Return the probability that a seat in the Auction Hall draws this kind of Action."""
    held = {view.state.kind(card) for card in view.state.hands[seat]}
    here = held & {ActionKind.CASH, ActionKind.THIEF}
    return 1 / len(here) if kind in here else 0.0


def _is(view: View, card: int, kind: ActionKind) -> bool:
    return view.state.kind(card) == kind


def _price(edition: Edition, card: int) -> float:
    largest = max(value for colour in edition.colours for value in colour.cash)
    return CASH * edition.number(card) / largest


# Exhibits, windows and thefts


def _exhibits(view: View) -> Values:
    """Value each exhibit by its number of pieces: the bot shows what it has."""
    options = cast("tuple[tuple[int, ...], ...]", view.legal("exhibit"))
    return {slots: len(slots) - 0.1 * place for place, slots in enumerate(options)}


def _windows(view: View) -> Values:
    """Value each window by how many pieces longer what it sells makes the longest run."""
    state, mine = view.state, [*view.mine().values()]
    tops = {number: window[0] for number, window in enumerate(state.windows) if window}
    cards = {number: state.known[slot] for number, slot in tops.items()}
    return {number: 0 if c is None else _gain(view, mine, c) for number, c in cards.items()}


def thefts(view: View) -> list[Mapping[int, float]]:
    """Return for each exhibit the value of each piece that a Thief can take from it, by slot."""
    return [_loot(view, exhibit) for exhibit in legality.theft_options(view.state)]


def _loot(view: View, exhibit: tuple[int, ...]) -> Mapping[int, float]:
    cards, mine = view.state.open_cards(exhibit), [*view.mine().values()]
    return {slot: PIECE * _gain(view, mine, card) for slot, card in cards.items()}


def _gain(view: View, cards: list[int], card: int) -> int:
    """Return by how many pieces one more Collectible makes the longest run longer."""
    edition = view.state.edition
    longer, now = (
        two_largest([*map(len, by_letter(edition, c))])[0] for c in ([*cards, card], cards)
    )
    return longer - now


_VALUES: Mapping[Kind, Callable[[View], Values]] = {
    "place": _places,
    "action": _actions,
    "turn": _turns,
    "exhibit": _exhibits,
    "window": _windows,
}
