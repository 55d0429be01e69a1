"""Words of the rulebook that all rules use: the two Places and the kinds of choices.

What a state expects and what happens to it is said in the words of `protocol.game_interface`.
"""

from __future__ import annotations

from enum import IntEnum
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


class UnexpectedEvent(ValueError):
    """An event that is not what the state expects; the caller's mistake, no seat's fault."""
