"""What a state expects next, and the events that may happen to it; frozen on both sides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Literal

Kind = Literal["place", "action", "turn", "exhibit", "window", "theft"]
Choice = int | tuple[int, ...]
Cards = Mapping[int, int]
"""Slot to Collectible index."""


class Place(IntEnum):
    """The two Places; on the wire the plain numbers."""

    CASTLE = 0
    AUCTION_HALL = 1

    @property
    def words(self) -> str:
        """Its name in the game's words."""
        return self.name.replace("_", " ").title()


class IllegalChoice(ValueError):
    """A choice the rules forbid: names the seat, the rule and the choice."""

    def __init__(self, seat: int, rule: str, choice: object, words: str = "") -> None:
        super().__init__(f"seat {seat} may not choose {words or 'that'}: {rule}")
        self.seat = seat
        self.rule = rule
        self.choice = choice


class UnexpectedEvent(ValueError):
    """An event that is not what the state expects; the caller's mistake, no seat's fault."""


# What a state expects next.


@dataclass(frozen=True, slots=True)
class Deal:
    """The deal: the joint coin, and the window tops in `slots` opened to all."""

    slots: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Seal:
    """Each of `seats` owes a sealed choice. Nobody at all: no seat is present, and only a
    `Presence` moves the table on."""

    kind: Kind
    seats: frozenset[int]


@dataclass(frozen=True, slots=True)
class Unseal:
    """The sealed choices of `seats` have to be opened."""

    kind: Kind
    seats: frozenset[int]


@dataclass(frozen=True, slots=True)
class Show:
    """The lone exhibitor shows its exhibit."""

    seat: int


@dataclass(frozen=True, slots=True)
class Choose:
    """One seat makes an open choice."""

    kind: Kind
    seat: int


@dataclass(frozen=True, slots=True)
class Draw:
    """These slots are opened to all."""

    slots: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class OpenAll:
    """The end: these still hidden slots are opened to all (there may be none)."""

    slots: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Over:
    """The game is over."""


Expected = Deal | Seal | Unseal | Show | Choose | Draw | OpenAll | Over

# What happens to a state.


@dataclass(frozen=True, slots=True)
class Dealt:
    """The joint coin (32 bytes) that draws the colours, and the open window tops."""

    coin: bytes
    cards: Cards


@dataclass(frozen=True, slots=True)
class Sealed:
    """Who sealed a choice; a seat that owed one and is missing here owes it no more."""

    kind: Kind
    seats: frozenset[int]


@dataclass(frozen=True, slots=True)
class Unsealed:
    """The opened choices. None is void: a pass, or showing nothing. `cards`: the hidden slots of
    the exhibits shown."""

    kind: Kind
    choices: Mapping[int, Choice | None]
    cards: Cards = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Shown:
    """What the lone exhibitor shows. None: it is absent and the default applies; the empty tuple:
    its choice is void and it shows nothing."""

    seat: int
    slots: tuple[int, ...] | None
    cards: Cards = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Chosen:
    """One seat's open choice; None: it is absent or its choice void, and the default applies."""

    kind: Kind
    seat: int
    choice: Choice | None


@dataclass(frozen=True, slots=True)
class Drawn:
    """The Collectibles turned up."""

    cards: Cards


@dataclass(frozen=True, slots=True)
class Opened:
    """The last Collectibles; a slot that nobody could open is missing."""

    cards: Cards


@dataclass(frozen=True, slots=True)
class Presence:
    """The seats present from now on, and those banned for good."""

    present: frozenset[int]
    banned: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Stopped:
    """The table ends the game here, in whatever phase it is: the hands are opened next."""


Event = Dealt | Sealed | Unsealed | Shown | Chosen | Drawn | Opened | Presence | Stopped
