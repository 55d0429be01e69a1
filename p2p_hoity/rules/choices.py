"""Basic terms that all rules use, such as `Place`, and the form of each kind of choice.

A choice is a number, or a tuple of numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum, StrEnum
from typing import Final, Literal

from protocol.game_interface import NOT_OF_FORM, Choice, ChoiceForm, IllegalMove

from .edition import CARDS_PER_COLOUR, MAX_COLOURS
from .exhibits import MIN_EXHIBIT
from .illegal_moves import Rule

Kind = Literal["place", "action", "turn", "exhibit", "window", "theft"]


class Place(IntEnum):
    """The two Places. Their numbers are those on the wire."""

    CASTLE = 0
    AUCTION_HALL = 1

    @property
    def words(self) -> str:
        """The name of the Place in the game's words."""
        return self.name.replace("_", " ").title()


class Why(StrEnum):
    """Why something happened in a game. Records of games contain these words."""

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
    """An error: an event does not answer what the state expects.

    It is a mistake of the caller and no fault of a seat.
    """


MIN_SEATS, MAX_SEATS = 2, 6
ACTION_IDS: Final = CARDS_PER_COLOUR * MAX_COLOURS
"""The most Action cards that an edition may have."""
MAX_SLOTS: Final = 256
"""The most Collectibles that an edition may have."""

FORMS: Final[Mapping[Kind, ChoiceForm]] = {
    "place": ChoiceForm(0, max(Place)),
    "action": ChoiceForm(0, ACTION_IDS - 1),
    "turn": ChoiceForm(0, ACTION_IDS - 1, (2, 2)),
    "window": ChoiceForm(0, 1),
    "exhibit": ChoiceForm(0, MAX_SLOTS - 1, (MIN_EXHIBIT, MAX_SLOTS)),
    "theft": ChoiceForm(0, MAX_SLOTS - 1, (1, MAX_SEATS - 1)),
}
"""The form of each kind of choice.

- place: 0 for the Castle, 1 for the Auction Hall.
- action: the id of an Action card.
- turn: a place and an action.
- window: 0 or 1.
- exhibit: three or more slots.
- theft: one slot for each exhibit of another seat.
"""

OUT_OF_FORM: Final[Mapping[Kind, Rule]] = {
    "place": Rule.NOT_A_PLACE,
    "action": Rule.NOT_AN_ACTION,
    "turn": Rule.NOT_A_TURN,
    "window": Rule.NOT_A_WINDOW,
    "exhibit": Rule.TOO_SMALL,
    "theft": Rule.ONE_OF_EACH,
}
"""For each kind of choice the rule that a value of a wrong form breaks."""


def choice_from_wire(kind: Kind, value: object) -> Choice:
    """Check the form of a decoded value, and return it as a choice, with tuples for lists.

    An exhibit or a theft must not name a slot twice. The slots of an exhibit must rise. True and
    False are no numbers.

    Raises:
        IllegalMove: If the value is no choice of this kind.
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
    """Return the error if a choice is illegal in every state of the game, or None."""
    if isinstance(choice, int):
        return None
    if kind == "turn":
        # The form of a turn bounds both numbers alike, by the highest id of an Action card.
        return None if choice[0] <= max(Place) else Rule.NOT_A_PLACE.broken()
    twice = next((slot for slot in choice if choice.count(slot) > 1), None)
    if twice is not None:
        return Rule.NAMED_TWICE.broken(slot=twice)
    # Rising, so that one exhibit has one encoding.
    if kind == "exhibit" and list(choice) != sorted(choice):
        return Rule.NOT_RISING.broken()
    return None
