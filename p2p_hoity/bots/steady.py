"""The steady bot: weighs what each choice may bring, and mixes so that it cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import exp
from random import Random
from typing import TypeVar, cast

from ..rules import ActionKind, Choice, Expected, Place, State, View, best_exhibit, theft_options
from .odds import Rival, beaten_by, none, rivals
from .random_bot import NothingToChoose, kind_of
from .worth import gain, loss

T = TypeVar("T")

PIECE = 1.2
"""Fields that a Collectible is worth."""
THIEF_LOST = 1.0
"""Fields that a Thief in prison costs."""
HEAT = 0.45
"""How widely choices of nearly equal worth are mixed, in fields."""
RIVAL_LOSS = 0.4
"""How much another's loss counts against one's own gain."""


def choose(view: View, decision: Expected, rng: Random) -> Choice:
    """A legal choice for the view's seat. NothingToChoose if it has none."""
    if view.seat is None:
        raise NothingToChoose("an onlooker has nothing to choose")
    return _CHOOSERS[kind_of(decision)](view, rng)


def _mix(options: Mapping[T, float], rng: Random, heat: float = HEAT) -> T:
    """One of the options, likelier the more it is worth."""
    if not options:
        raise NothingToChoose("there is no legal choice")
    top = max(options.values())
    weights = [exp((worth - top) / heat) for worth in options.values()]
    return rng.choices(list(options), weights)[0]


# Places and Actions.


def _place(view: View, rng: Random) -> Choice:
    worths = {place: _place_worth(view, Place(place)) for place in _ints(view.legal("place"))}
    return _mix(worths, rng)


def _place_worth(view: View, place: Place) -> float:
    if place == Place.AUCTION_HALL:
        return max(_hall_worths(view).values(), default=0.0)
    return max(_castle_worths(view).values())


def _action(view: View, rng: Random) -> Choice:
    place = view.state.places[_seat(view)]
    worths = _hall_worths(view) if place == Place.AUCTION_HALL else _castle_worths(view)
    return _card(view, _ints(view.legal("action")), worths, rng)


def _card(view: View, cards: Sequence[int], worths: Mapping[ActionKind, float], rng: Random) -> int:
    """First what kind of Action, then which card of it."""
    held = {view.state.kind(card) for card in cards}
    kind = _mix({kind: worths.get(kind, 0.0) for kind in sorted(held)}, rng)
    of_kind = [card for card in cards if view.state.kind(card) == kind]
    if kind == ActionKind.CASH:
        return _cash(view.state, of_kind, rng)
    return rng.choice(of_kind)


def _turn(view: View, rng: Random) -> Choice:
    turns = cast("tuple[tuple[int, int], ...]", view.legal("turn"))
    places = sorted({place for place, _ in turns})
    place = _mix({p: _place_worth(view, Place(p)) for p in places}, rng)
    worths = _hall_worths(view) if place == Place.AUCTION_HALL else _castle_worths(view)
    return place, _card(view, [card for p, card in turns if p == place], worths, rng)


def _cash(state: State, cards: Sequence[int], rng: Random) -> int:
    """Mostly the larger Cash, the small ones as a bluff or when nobody bids."""
    return _mix({card: 0.12 * state.edition.number(card) for card in cards}, rng, 1.0)


# What the Auction Hall may bring.


def _hall_worths(view: View) -> dict[ActionKind, float]:
    tops = [window[0] for window in view.state.windows if window]
    if not tops:
        return {}
    bidders = _others_in_hall(view)
    gained = max(_top_gain(view, slot) for slot in tops)
    win = _win_chance(view, bidders)
    return {
        ActionKind.CASH: win * gained * PIECE,
        ActionKind.THIEF: 0.5 * min(1.0, bidders),
        ActionKind.DETECTIVE: 0.0,
    }


def _others_in_hall(view: View) -> float:
    """How many others are, or may be expected, in the Auction Hall."""
    state = view.state
    others = [s for s in state.joined & state.present if s != view.seat]
    if all(state.places[s] is None for s in others):
        return 0.45 * len(others)
    return float(sum(state.places[s] == Place.AUCTION_HALL for s in others))


def _win_chance(view: View, bidders: float) -> float:
    cash = _best_cash(view.state, _seat(view))
    if not cash:
        return 0.0
    state = view.state
    others = [s for s in range(state.seats) if s != view.seat]
    stronger = sum(_best_cash(state, seat) > cash for seat in others) / len(others)
    return float((1 - 0.5 * stronger) / (1 + 0.3 * bidders))


def _best_cash(state: State, seat: int) -> int:
    cash = [card for card in state.hands[seat] if state.kind(card) == ActionKind.CASH]
    return max((state.edition.number(card) for card in cash), default=0)


def _top_gain(view: View, slot: int) -> float:
    card = view.state.known[slot]
    return 0.0 if card is None else gain(view.state.edition, _mine(view), card)


# What the Castle may bring.


def _castle_worths(view: View) -> dict[ActionKind, float]:
    state, others = view.state, rivals(view)
    thief = sum(r.exhibit for r in others) * PIECE
    caught = 1 - none([r.detective for r in others])
    rank = state.ranks(state.figures)[_seat(view)]
    worths = {
        ActionKind.THIEF: thief - caught * THIEF_LOST,
        ActionKind.DETECTIVE: (1 - none([r.thief for r in others])) * rank,
    }
    exhibit = _exhibit_worth(view, others)
    if exhibit is not None:
        worths[ActionKind.EXHIBIT] = exhibit
    return worths


def _exhibit_worth(view: View, others: Sequence[Rival]) -> float | None:
    mine = best_exhibit(view.state.edition, _mine(view))
    if mine is None:
        return None
    larger, smaller = view.state.edition.octagons[max(view.state.figures)]
    beaten = [beaten_by(len(mine), rival) for rival in others]
    first = none(beaten)
    second = sum(b * none([*beaten[:i], *beaten[i + 1 :]]) for i, b in enumerate(beaten))
    stolen = sum(rival.thief for rival in others)
    return first * larger + second * smaller - stolen * PIECE * 0.8


# Exhibits, windows, thefts.


def _exhibit(view: View, rng: Random) -> Choice:
    """Alone the one that risks least; against others mostly the best."""
    options = cast("tuple[tuple[int, ...], ...]", view.legal("exhibit"))
    if len(view.state.playing(Place.CASTLE, ActionKind.EXHIBIT)) == 1:
        return min(options, key=lambda slots: _risk(view, slots), default=()) or _nothing(view)
    best = len(options[0]) if options else 0
    return _mix(
        {slots: 1.5 * (len(slots) - best) - 0.1 * i for i, slots in enumerate(options)}, rng
    )


def _nothing(view: View) -> Choice:
    raise NothingToChoose(f"seat {view.seat} holds no valid exhibit")


def _risk(view: View, slots: tuple[int, ...]) -> float:
    cards = view.mine()
    held = list(cards.values())
    return max(loss(view.state.edition, held, cards[slot]) for slot in slots) + 0.1 * len(slots)


def _window(view: View, rng: Random) -> Choice:
    tops = {w: view.state.windows[w][0] for w in _ints(view.legal("window"))}
    return _mix({w: PIECE * _top_gain(view, slot) for w, slot in tops.items()}, rng, 0.1)


def _theft(view: View, rng: Random) -> Choice:
    return tuple(_pick(view, exhibit, rng) for exhibit in theft_options(view.state))


def _pick(view: View, exhibit: tuple[int, ...], rng: Random) -> int:
    state = view.state
    cards = state.open_cards(exhibit)
    owner = next(s for s, held in enumerate(state.collectibles) if exhibit[0] in held)
    theirs, mine = list(view.held(owner).values()), _mine(view)
    worths = {
        slot: gain(state.edition, mine, card) + RIVAL_LOSS * loss(state.edition, theirs, card)
        for slot, card in cards.items()
    }
    return _mix(worths, rng, 0.1)


# The view in short.


def _seat(view: View) -> int:
    return cast(int, view.seat)


def _mine(view: View) -> list[int]:
    return list(view.mine().values())


def _ints(options: tuple[Choice, ...]) -> tuple[int, ...]:
    return cast("tuple[int, ...]", options)


_CHOOSERS: Mapping[str, Callable[[View, Random], Choice]] = {
    "place": _place,
    "action": _action,
    "turn": _turn,
    "exhibit": _exhibit,
    "window": _window,
    "theft": _theft,
}
