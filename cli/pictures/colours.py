"""The colours of pictures, and how a seat is told apart: by colour, letter and kind of line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ..table_view.seat_looks import SEATS, looks
from ..table_view.seats import letters

GROUND: Final = "#faf6ec"
PANEL: Final = "#fffdf7"
INK: Final = "#2a2a30"
DIM: Final = "#6b6862"
RULE: Final = "#dcd5c4"
GOLD: Final = "#f3d88a"
GOLD_INK: Final = "#7a4b00"
GOOD: Final = "#1c7a35"
BAD: Final = "#b3261e"

DASHES: Final = ("none", "12 6", "2 6", "14 6 2 6", "6 5", "20 6 6 6")
"""For each seat how its line is drawn: lengths that are drawn and left out in turn."""


@dataclass(frozen=True)
class SeatLook:
    """How a seat is told apart from the others.

    Attributes:
        dashes: The dashes of its line, as `Drawing.line` takes them.
    """

    letter: str
    ink: str
    dashes: str


def seat_looks(
    nicknames: Sequence[str], colours: Sequence[str], of_edition: Sequence[str]
) -> tuple[SeatLook, ...]:
    """Return the look of each seat, whose `colours` are among those `of_edition`."""
    marks = letters(nicknames, lambda letter: len(letter) == 1)
    inks = looks(tuple(of_edition))
    return tuple(
        SeatLook(mark, SEATS[inks[colour]][1], dashes)
        for mark, colour, dashes in zip(marks, colours, DASHES, strict=False)
    )
