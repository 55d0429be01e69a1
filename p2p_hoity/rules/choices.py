"""The shape of a choice as it travels: plain ints and tuples of ints, nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from protocol.game import ChoiceForm

from .edition import CARDS_PER_COLOUR, COLOURS
from .events import Choice, Kind
from .exhibits import MIN_EXHIBIT
from .state import MAX_SEATS

ACTION_IDS = CARDS_PER_COLOUR * len(COLOURS)
MAX_SLOTS = 256
"""No edition has more Collectibles than this."""
FEWEST = "an exhibit is of three or more Collectibles"
THEFT = "a Thief takes one Collectible from every exhibit that still has one"


FORMS: Final[Mapping[Kind, ChoiceForm]] = {
    "place": ChoiceForm(0, 1),
    "action": ChoiceForm(0, ACTION_IDS - 1),
    "turn": ChoiceForm(0, ACTION_IDS - 1, (2, 2)),
    "window": ChoiceForm(0, 1),
    "exhibit": ChoiceForm(0, MAX_SLOTS - 1, (MIN_EXHIBIT, MAX_SLOTS)),
    "theft": ChoiceForm(0, MAX_SLOTS - 1, (1, MAX_SEATS - 1)),
}
"""The form of each kind of choice, as the table asks for it."""


class MalformedChoice(ValueError):
    """A value that has not the shape of a choice of its kind."""


def choice_from_wire(kind: Kind, value: object) -> Choice:
    """The choice this wire value stands for; arrays may be lists or tuples.

    place 0 Castle, 1 Auction Hall; action an Action card's id; turn (place, action); window 0 or
    1; exhibit three or more rising slots; theft one to five distinct slots. Raises
    MalformedChoice for anything else (True is no number).
    """
    if kind not in _SHAPES:
        raise MalformedChoice(f"there is no choice of kind {kind!r}")
    return _SHAPES[kind](value)


def _number(value: object, limit: int, what: str) -> int:
    if type(value) is not int or not 0 <= value < limit:
        raise MalformedChoice(f"{what} is a number from 0 to {limit - 1}")
    return value


def _place(value: object) -> int:
    return _number(value, 2, "a Place")


def _action(value: object) -> int:
    return _number(value, ACTION_IDS, "an Action card")


def _window(value: object) -> int:
    return _number(value, 2, "a window")


def _turn(value: object) -> tuple[int, ...]:
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise MalformedChoice("a turn is a Place and an Action card, [place, action]")
    return (_place(value[0]), _action(value[1]))


def _slots(value: object, most: int, form: str) -> tuple[int, ...]:
    if not isinstance(value, list | tuple) or len(value) > most:
        raise MalformedChoice(form)
    slots = tuple(_number(slot, MAX_SLOTS, "a slot") for slot in value)
    if len(set(slots)) != len(slots):
        raise MalformedChoice(f"no Collectible is named twice, and {_twice(slots)} is")
    return slots


def _twice(slots: tuple[int, ...]) -> str:
    return f"slot {next(slot for slot in slots if slots.count(slot) > 1)}"


def _exhibit(value: object) -> tuple[int, ...]:
    slots = _slots(value, MAX_SLOTS, FEWEST)
    if len(slots) < MIN_EXHIBIT:
        raise MalformedChoice(FEWEST)
    if list(slots) != sorted(slots):
        raise MalformedChoice("the Collectibles of an exhibit are named by rising slot")
    return slots


def _theft(value: object) -> tuple[int, ...]:
    slots = _slots(value, MAX_SEATS - 1, THEFT)
    if not slots:
        raise MalformedChoice(THEFT)
    return slots


_SHAPES: Mapping[str, Callable[[object], Choice]] = {
    "place": _place,
    "action": _action,
    "turn": _turn,
    "exhibit": _exhibit,
    "window": _window,
    "theft": _theft,
}
