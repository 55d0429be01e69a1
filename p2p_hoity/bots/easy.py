"""The easy bot plays as beginners do: it shows all it has, pays the most, takes what is old."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import cast

from ..rules import ActionKind, Choice, Expected, Place, View, theft_options
from ..rules.exhibits import oldest
from .random_bot import NothingToChoose, kind_of

EAGER: Mapping[ActionKind, float] = {
    ActionKind.EXHIBIT: 5.0,
    ActionKind.CASH: 4.0,
    ActionKind.THIEF: 1.5,
    ActionKind.DETECTIVE: 1.0,
}
"""How it likes the Actions, whatever the others may do."""
TO_CASTLE = 0.6


def choose(view: View, decision: Expected, rng: Random) -> Choice:
    """A legal choice for the view's seat. NothingToChoose if it has none."""
    kind = kind_of(decision)
    if view.seat is None or (kind != "theft" and not view.legal(kind)):
        raise NothingToChoose(f"seat {view.seat} has no legal {kind}")
    return _CHOOSERS[kind](view, rng)


def _place(view: View, rng: Random) -> Choice:
    places = view.legal("place")
    stays = len(places) == 1 or rng.random() < TO_CASTLE
    return int(Place.CASTLE if stays else Place.AUCTION_HALL)


def _action(view: View, rng: Random) -> Choice:
    return _liked(view, cast("tuple[int, ...]", view.legal("action")), rng)


def _turn(view: View, rng: Random) -> Choice:
    turns = cast("tuple[tuple[int, int], ...]", view.legal("turn"))
    places = {place for place, _ in turns}
    castle = len(places) > 1 and rng.random() < TO_CASTLE
    place = int(Place.CASTLE) if castle else max(places)
    return place, _liked(view, tuple(card for where, card in turns if where == place), rng)


def _liked(view: View, cards: tuple[int, ...], rng: Random) -> int:
    """The kind it likes, and of that kind the highest number."""
    kinds = sorted({view.state.kind(card) for card in cards})
    kind = rng.choices(kinds, [EAGER[kind] for kind in kinds])[0]
    of_kind = [card for card in cards if view.state.kind(card) == kind]
    return max(of_kind, key=view.state.edition.number)


def _exhibit(view: View, rng: Random) -> Choice:
    """All it can show, alone or not."""
    return view.legal("exhibit")[0]


def _window(view: View, rng: Random) -> Choice:
    """The older of the two tops."""
    windows = cast("tuple[int, ...]", view.legal("window"))
    tops = {window: view.state.windows[window][0] for window in windows}
    age = view.state.edition.seniority
    return min(windows, key=lambda window: age[cast(int, view.state.known[tops[window]])])


def _theft(view: View, rng: Random) -> Choice:
    """The oldest piece of each exhibit."""
    return tuple(_oldest(view, exhibit) for exhibit in theft_options(view.state))


def _oldest(view: View, exhibit: tuple[int, ...]) -> int:
    cards = view.state.open_cards(exhibit)
    wanted = oldest(view.state.edition, cards.values())
    return next(slot for slot, card in cards.items() if card == wanted)


_CHOOSERS: Mapping[str, Callable[[View, Random], Choice]] = {
    "place": _place,
    "action": _action,
    "turn": _turn,
    "exhibit": _exhibit,
    "window": _window,
    "theft": _theft,
}
