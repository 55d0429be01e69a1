"""The words of the rulebook that all rules use, and the form of each kind of choice.

A choice is a plain number, or a tuple of numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum, StrEnum
from typing import Final, Literal

from protocol.game_interface import NOT_OF_FORM, Choice, ChoiceForm, IllegalMove

from .edition import CARDS_PER_COLOUR, COLOURS
from .exhibits import MIN_EXHIBIT
from .illegal_moves import Rule

Kind = Literal["place", "action", "turn", "exhibit", "window", "theft"]


class Place(IntEnum):
    """The two Places; on the wire the plain numbers."""

    CASTLE = 0
    AUCTION_HALL = 1

    @property
    def words(self) -> str:
        """Its name in the game's words."""
        return self.name.replace("_", " ").title()


class Why(StrEnum):
    """Why something happened. Records of games have these words, and are read by them."""

    NO_SEALED_CHOICE = "no sealed choice"
    VOID_CHOICE = "void choice"
    NO_ACTION = "no legal Action card"
    NO_CHOICE = "no choice of its own"
    SALE_OVER = "the sale is over"
    LAST_CELL = "it leaves the last prison cell"
    CASTLE_OVER = "the Castle phase is over"
    NOTHING_OPEN = "no exhibit open to all"
    BEST = "best exhibit"
    SECOND_BEST = "second-best exhibit"
    BEST_FINAL = "best final exhibit"
    SECOND_BEST_FINAL = "second-best final exhibit"
    DETECTIVE = "Detective"
    WITHOUT_EXHIBIT = "Exhibit needs a valid exhibit"


class UnexpectedEvent(ValueError):
    """An event that is not what the state expects; the caller's mistake, no seat's fault."""


MIN_SEATS, MAX_SEATS = 2, 6
"""Seats of a table."""
ACTION_IDS: Final = CARDS_PER_COLOUR * len(COLOURS)
MAX_SLOTS: Final = 256
"""No edition has more Collectibles than this."""

FORMS: Final[Mapping[Kind, ChoiceForm]] = {
    "place": ChoiceForm(0, max(Place)),
    "action": ChoiceForm(0, ACTION_IDS - 1),
    "turn": ChoiceForm(0, ACTION_IDS - 1, (2, 2)),
    "window": ChoiceForm(0, 1),
    "exhibit": ChoiceForm(0, MAX_SLOTS - 1, (MIN_EXHIBIT, MAX_SLOTS)),
    "theft": ChoiceForm(0, MAX_SLOTS - 1, (1, MAX_SEATS - 1)),
}
"""place 0 Castle, 1 Auction Hall; action an Action card's id; turn (place, action); window 0 or 1;
exhibit three or more slots; theft one slot for each exhibit of another seat."""

OUT_OF_FORM: Final[Mapping[Kind, Rule]] = {
    "place": Rule.NOT_A_PLACE,
    "action": Rule.NOT_AN_ACTION,
    "turn": Rule.NOT_A_TURN,
    "window": Rule.NOT_A_WINDOW,
    "exhibit": Rule.TOO_SMALL,
    "theft": Rule.ONE_OF_EACH,
}


def choice_from_wire(kind: Kind, value: object) -> Choice:
    """The choice this value stands for; arrays may be lists or tuples.

    Raises IllegalMove for anything that is no choice of this kind (True is no number): besides
    its form, an exhibit names its slots rising, and no slot stands twice.
    """
    if kind not in FORMS:
        raise IllegalMove(NOT_OF_FORM, kind=kind)
    choice = tuple(value) if isinstance(value, list) else value
    if not FORMS[kind].admits(choice) or not isinstance(choice, int | tuple):
        raise OUT_OF_FORM[kind].broken()
    broken = _broken(kind, choice)
    if broken is not None:
        raise broken
    return choice


def _broken(kind: Kind, choice: Choice) -> IllegalMove | None:
    if isinstance(choice, int):
        return None
    if kind == "turn":
        return None if choice[0] <= max(Place) else Rule.NOT_A_PLACE.broken()
    twice = next((slot for slot in choice if choice.count(slot) > 1), None)
    if twice is not None:
        return Rule.NAMED_TWICE.broken(slot=twice)
    if kind == "exhibit" and list(choice) != sorted(choice):
        return Rule.NOT_RISING.broken()
    return None
