"""Words of the rulebook that all rules use: the two Places, the kinds of choices, and reasons.

What a state expects and what happens to it is said in the words of `protocol.game_interface`.
"""

from __future__ import annotations

from enum import IntEnum, StrEnum
from typing import Literal

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
