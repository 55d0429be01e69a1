"""The bots that follow rules: a random one, an easy one and a normal one.

The random bot makes any legal choice with equal probability. The easy bot plays as beginners do: it
shows all it has, pays the most, and takes the oldest piece. The normal bot estimates what each
choice may bring, in fields of the track. It draws among choices of nearly equal value, so that
nobody can predict it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import exp
from random import Random
from typing import TypeVar, cast

from ..rules import ActionKind, Choice, Choose, Expected, Place, Seal, Show, State, View, legality
from ..rules.choices import Kind
from . import castle_odds
from .castle_odds import gain, guests, loss, mixtures, piece_worth, rivals, stakes, worths


class NothingToChoose(ValueError):
    """An error: the seat of a bot owes no choice, or has no legal one."""


def kind_of(decision: Expected) -> Kind:
    """Return the kind of choice for which a decision asks.

    Raises:
        NothingToChoose: If the decision asks no seat for a choice.
    """
    if isinstance(decision, Seal | Choose | Show):
        return cast(Kind, decision.kind)
    raise NothingToChoose(f"{decision} asks no seat for a choice")


def owed(view: View, decision: Expected) -> Kind:
    """Return the kind of choice that the view's seat owes.

    Raises:
        NothingToChoose: If it owes none, or has no legal one.
    """
    kind = kind_of(decision)
    if view.seat is None or (kind != "theft" and not view.legal(kind)):
        raise NothingToChoose(f"seat {view.seat} has no legal {kind}")
    return kind


def random_choice(view: View, decision: Expected, rng: Random) -> Choice:
    """Return one of the legal choices, each with equal probability.

    An exhibit is drawn only from the exhibits that `rules.legality.legal` lists.

    Raises:
        NothingToChoose: If there is no legal choice.
    """
    kind = owed(view, decision)
    if kind == "theft":
        return tuple(rng.choice(exhibit) for exhibit in legality.theft_options(view.state))
    return rng.choice(view.legal(kind))


EAGER: Mapping[ActionKind, float] = {
    ActionKind.EXHIBIT: 5.0,
    ActionKind.CASH: 4.0,
    ActionKind.THIEF: 1.5,
    ActionKind.DETECTIVE: 1.0,
}
"""The weight of each kind of Action when the easy bot draws one."""
TO_CASTLE = 0.6
"""The probability with which the easy bot goes to the Castle, if it can choose."""


def easy_choice(view: View, decision: Expected, rng: Random) -> Choice:
    """Return the choice of the easy bot.

    Raises:
        NothingToChoose: If there is no legal choice.
    """
    return _EASY[owed(view, decision)](view, rng)


def _easy_place(view: View, rng: Random) -> Choice:
    places = view.legal("place")
    stays = len(places) == 1 or rng.random() < TO_CASTLE
    return int(Place.CASTLE if stays else Place.AUCTION_HALL)


def _easy_action(view: View, rng: Random) -> Choice:
    return _easy_liked(view, cast("tuple[int, ...]", view.legal("action")), rng)


def _easy_turn(view: View, rng: Random) -> Choice:
    """Draw a Place, and choose an Action card for it."""
    turns = cast("tuple[tuple[int, int], ...]", view.legal("turn"))
    places = {place for place, _ in turns}
    castle = len(places) > 1 and rng.random() < TO_CASTLE
    place = int(Place.CASTLE) if castle else max(places)
    return place, _easy_liked(view, tuple(card for where, card in turns if where == place), rng)


def _easy_liked(view: View, cards: tuple[int, ...], rng: Random) -> int:
    """Draw a kind of Action by `EAGER`, and return the highest of the cards of this kind."""
    # Sorted, so that the same random numbers make the same choice in every process.
    kinds = sorted({view.state.kind(card) for card in cards})
    kind = rng.choices(kinds, [EAGER[kind] for kind in kinds])[0]
    of_kind = [card for card in cards if view.state.kind(card) == kind]
    return max(of_kind, key=view.state.edition.number)


def _easy_window(view: View, rng: Random) -> Choice:
    """Choose the window whose top Collectible is older."""
    windows = cast("tuple[int, ...]", view.legal("window"))
    tops = {window: view.state.windows[window][0] for window in windows}
    age = view.state.edition.seniority
    return min(windows, key=lambda window: age[cast(int, view.state.known[tops[window]])])


_EASY: Mapping[str, Callable[[View, Random], Choice]] = {
    "place": _easy_place,
    "action": _easy_action,
    "turn": _easy_turn,
    "exhibit": lambda view, rng: view.legal("exhibit")[0],  # The best one.
    "window": _easy_window,
    "theft": lambda view, rng: legality.default_theft(view.state),  # The oldest pieces.
}


T = TypeVar("T")

HEAT = 0.4
"""The difference in value, in fields, that makes a choice e times as likely as another one."""
RIVAL_LOSS = 0.4
"""The weight of another seat's loss, compared with a gain of the bot's own seat."""
CASH_SPENT = 0.5
"""The fields that a Cash card in the hand is worth while there is much to buy."""
IN_HALL = 0.4
"""The probability that another seat goes to the Auction Hall."""
OTHER_THIEF = 0.35
"""The probability that a seat in the Auction Hall plays a Thief."""


def normal_choice(view: View, decision: Expected, rng: Random) -> Choice:
    """Return the choice of the normal bot.

    Raises:
        NothingToChoose: If there is no legal choice.
    """
    return _NORMAL[owed(view, decision)](view, rng)


def mix(options: Mapping[T, float], rng: Random, heat: float = HEAT) -> T:
    """Draw one of some options, with a probability that grows with the option's value.

    `heat` is the difference in value that makes an option e times as likely as another one.
    """
    top = max(options.values())
    # The exponents are at most 0, so that `exp` cannot overflow.
    weights = [exp((worth - top) / heat) for worth in options.values()]
    return rng.choices(list(options), weights)[0]


# Places and Actions


def _place(view: View, rng: Random) -> Choice:
    worths = {place: _place_worth(view, Place(place)) for place in _ints(view.legal("place"))}
    return mix(worths, rng)


def _worths(view: View, place: Place | None) -> dict[ActionKind, float]:
    return _hall_worths(view) if place == Place.AUCTION_HALL else _castle_worths(view)


def _place_worth(view: View, place: Place) -> float:
    return max(_worths(view, place).values(), default=0.0)


def _action(view: View, rng: Random) -> Choice:
    worths = _worths(view, view.state.places[_seat(view)])
    return _card(view, _ints(view.legal("action")), worths, rng)


def _card(view: View, cards: Sequence[int], worths: Mapping[ActionKind, float], rng: Random) -> int:
    """Draw a kind of Action among `cards` by its value, and return a card of this kind."""
    held = {view.state.kind(card) for card in cards}
    # Sorted, so that the same random numbers make the same choice in every process.
    weighed = {kind: worths[kind] for kind in sorted(held & worths.keys())}
    kind = mix(weighed or dict.fromkeys(sorted(held), 0.0), rng)
    of_kind = [card for card in cards if view.state.kind(card) == kind]
    if kind == ActionKind.CASH:
        # Prefer the Cash that wins against the others there, or a small one if that is not
        # worth it.
        return mix({card: _bid_worth(view, card) for card in of_kind}, rng, 0.3)
    if kind == ActionKind.THIEF:
        return max(of_kind, key=view.state.edition.number)
    return rng.choice(of_kind)


def _turn(view: View, rng: Random) -> Choice:
    """Draw a Place, and choose an Action card for it."""
    turns = cast("tuple[tuple[int, int], ...]", view.legal("turn"))
    places = sorted({place for place, _ in turns})
    place = mix({p: _place_worth(view, Place(p)) for p in places}, rng)
    worths = _worths(view, Place(place))
    return place, _card(view, [card for p, card in turns if p == place], worths, rng)


# Values in the Auction Hall


def _bid_worth(view: View, card: int) -> float:
    """Return the value of playing one Cash card: the probability that it wins, times the net gain.

    The net gain is what the better Collectible for sale brings, less what the card is worth
    unspent.
    """
    edition = view.state.edition
    win = 1.0
    for seat, chance in rivals(view, Place.AUCTION_HALL, IN_HALL).items():
        values = [edition.number(c) for c in _cash_of(view.state, seat)]
        larger = sum(value > edition.number(card) for value in values)
        bids = (1 - OTHER_THIEF) * chance
        win *= 1 - bids * larger / max(1, len(values))
    return win * (_best_gain(view) - _spent(view, card))


def _spent(view: View, card: int) -> float:
    """Return the value of keeping a Cash card, which falls with the last eight Collectibles."""
    left = sum(map(len, view.state.windows))
    weight = min(1.0, left / 8)
    edition = view.state.edition
    highest = max(value for colour in edition.colours for value in colour.cash)
    return CASH_SPENT * weight * (0.5 + edition.number(card) / highest)


def _hall_worths(view: View) -> dict[ActionKind, float]:
    """Return the value of each kind of Action in the Auction Hall."""
    if view.state.windows_empty:
        return {}
    own = _cash_of(view.state, _seat(view))
    # A Thief gets the Cash if somebody pays and no other Thief is there.
    sale = alone = 1.0
    for chance in rivals(view, Place.AUCTION_HALL, IN_HALL).values():
        sale *= 1 - chance * (1 - OTHER_THIEF)
        alone *= 1 - chance * OTHER_THIEF
    return {
        ActionKind.CASH: max((_bid_worth(view, card) for card in own), default=0.0),
        ActionKind.THIEF: (1 - sale) * alone * 2 * CASH_SPENT,
        ActionKind.DETECTIVE: 0.0,
    }


def _is_cash(state: State, card: int) -> bool:
    return state.kind(card) == ActionKind.CASH


def _cash_of(state: State, seat: int) -> list[int]:
    return [card for card in state.hands[seat] if _is_cash(state, card)]


def _best_gain(view: View) -> float:
    tops = [window[0] for window in view.state.windows if window]
    return piece_worth(view) * max((_top_gain(view, slot) for slot in tops), default=0.0)


def _top_gain(view: View, slot: int) -> float:
    card = view.state.known[slot]
    return 0.0 if card is None else gain(view.state.edition, _mine(view), card)


# Values in the Castle


def _castle_worths(view: View) -> dict[ActionKind, float]:
    """Return the value of each kind of Action that this seat can play in the Castle.

    A Detective is left out if no other seat can steal anything, unless this seat can play nothing
    else.
    """
    found, at_stake = guests(view), stakes(view)
    worth = worths(found, mixtures(found, at_stake), 0, at_stake)
    if len(worth) > 1 and not any(castle_odds.can_steal(found, j) for j in range(1, len(found))):
        worth.pop(ActionKind.DETECTIVE, None)
    return worth or {ActionKind.DETECTIVE: 0.0}


# Exhibits, windows and thefts


def _exhibit(view: View, rng: Random) -> Choice:
    """Choose the exhibit that risks least if nobody else exhibits. Otherwise draw a large one."""
    options = cast("tuple[tuple[int, ...], ...]", view.legal("exhibit"))
    if len(view.state.playing(Place.CASTLE, ActionKind.EXHIBIT)) == 1:
        return min(options, key=lambda slots: _risk(view, slots))
    best = len(options[0])
    return mix({slots: 1.5 * (len(slots) - best) - 0.1 * i for i, slots in enumerate(options)}, rng)


def _risk(view: View, slots: tuple[int, ...]) -> float:
    """Return how much value, in pieces, a Thief could take from an exhibit in these slots."""
    cards = view.mine()
    held = list(cards.values())
    return max(loss(view.state.edition, held, cards[slot]) for slot in slots) + 0.1 * len(slots)


def _window(view: View, rng: Random) -> Choice:
    """Draw a window for the normal bot, by what the top piece of each would bring it."""
    tops = {w: view.state.windows[w][0] for w in _ints(view.legal("window"))}
    return mix({w: _top_gain(view, slot) for w, slot in tops.items()}, rng, 0.1)


def _theft(view: View, rng: Random) -> Choice:
    return tuple(_pick(view, exhibit, rng) for exhibit in legality.theft_options(view.state))


def _pick(view: View, exhibit: tuple[int, ...], rng: Random) -> int:
    """Draw one Collectible of an exhibit to steal, and return its slot.

    The more the thief gains and the owner loses, the more probable a Collectible is.
    """
    state = view.state
    cards = state.open_cards(exhibit)
    owner = next(s for s, held in enumerate(state.collectibles) if exhibit[0] in held)
    theirs, mine = list(view.held(owner).values()), _mine(view)
    worths = {
        slot: gain(state.edition, mine, card) + RIVAL_LOSS * loss(state.edition, theirs, card)
        for slot, card in cards.items()
    }
    return mix(worths, rng, 0.1)


# Parts of the view


def _seat(view: View) -> int:
    return cast(int, view.seat)


def _mine(view: View) -> list[int]:
    return list(view.mine().values())


def _ints(options: tuple[Choice, ...]) -> tuple[int, ...]:
    return cast("tuple[int, ...]", options)


_NORMAL: Mapping[str, Callable[[View, Random], Choice]] = {
    "place": _place,
    "action": _action,
    "turn": _turn,
    "exhibit": _exhibit,
    "window": _window,
    "theft": _theft,
}
