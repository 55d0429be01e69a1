"""The record of a game: what each event made happen, as frozen facts in the rulebook's words.

Read in order from `Setup` on they hold a whole game: whoever knows the rulebook can referee it
from their `as_json` forms alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from typing import dataclass_transform

from .choices import Place, Why
from .edition import ActionCard


@dataclass(frozen=True, slots=True)
class Piece:
    """A Collectible in its slot; card, letter and year are None while it is hidden."""

    slot: int
    card: int | None
    letter: str | None
    year: int | None


@dataclass_transform(frozen_default=True)
class Happening:
    """Something that happened. Each kind is a subclass, which becomes a frozen dataclass."""

    def __init_subclass__(cls) -> None:
        """Make the subclass a frozen dataclass."""
        dataclass(frozen=True)(cls)

    def as_json(self) -> dict[str, object]:
        """Its name and fields as plain JSON values; keys are stable."""
        name = re.sub(r"(?<!^)(?=[A-Z])", "-", type(self).__name__).lower()
        return {"type": name, **_fields(self)}


def _fields(record: object) -> dict[str, object]:
    return {f.name: plain(getattr(record, f.name)) for f in fields(record)}  # type: ignore[arg-type]


def plain(value: object) -> object:
    """A field's value as JSON holds it."""
    if isinstance(value, Place):
        return value.words
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value):
        return _fields(value)
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if isinstance(value, frozenset):
        return sorted(value)
    return value


class Setup(Happening):
    """The setup: colours and Action hands by seat, windows top first, octagons by field."""

    edition: str
    variant: str | None
    action_choice: str
    detective_in_hall: bool
    detective_rank: str
    colours: tuple[str, ...]
    hands: tuple[tuple[ActionCard, ...], ...]
    collectibles: tuple[tuple[int, ...], ...]
    windows: tuple[tuple[Piece, ...], ...]
    octagons: tuple[tuple[int, int], ...]
    banquet_fields: int
    cells: int


class PresenceChanged(Happening):
    """Seats left, came back or were banned."""

    absent: tuple[int, ...]
    returned: tuple[int, ...]
    banned: tuple[int, ...]


class RoundBegan(Happening):
    """A round begins with these seats; `place` is where all of them are, if none is chosen."""

    round: int
    seats: tuple[int, ...]
    sitting_out: tuple[int, ...]
    place: Place | None


class PlaceShown(Happening):
    """A seat shows its Place card."""

    seat: int
    place: Place


class ActionShown(Happening):
    """A seat shows its Action card in its Place."""

    seat: int
    place: Place
    card: ActionCard


class SatOut(Happening):
    """A seat has no Place this round."""

    seat: int
    why: Why


class Passed(Happening):
    """A seat plays no Action card in its Place."""

    seat: int
    place: Place
    why: Why


class Voided(Happening):
    """A choice opened as illegal, or could not be opened: it counts for nothing."""

    seat: int
    kind: str


class DefaultTaken(Happening):
    """The rules chose for an absent seat: a window (0 or 1) or slots."""

    seat: int
    kind: str
    choice: int | tuple[int, ...] | None
    why: Why


class Sale(Happening):
    """The largest Cash buys the top Collectible of a window (0 or 1)."""

    seat: int
    paid: ActionCard
    window: int
    took: Piece


class NoSale(Happening):
    """Nobody in the Auction Hall played Cash."""

    round: int


class CashStolen(Happening):
    """The one Thief in the Auction Hall takes the Cash just paid."""

    seat: int
    thief: ActionCard
    owner: int
    cash: ActionCard


class CashPaid(Happening):
    """The Cash just paid stays in the cash register."""

    seat: int
    cash: ActionCard


class Returned(Happening):
    """An Action card goes back to a hand."""

    seat: int
    card: ActionCard
    why: Why


class TurnedUp(Happening):
    """The next Collectible of a window."""

    window: int
    piece: Piece


class ExhibitShown(Happening):
    """An exhibit and its placing among those of the round."""

    seat: int
    pieces: tuple[Piece, ...]
    placing: int


class NothingShown(Happening):
    """An Exhibit was played and nothing is shown; it does not rank."""

    seat: int
    why: Why


class FigureMoved(Happening):
    """A figure moves; `fields` is what it was given, `end` where it stands."""

    seat: int
    start: int
    end: int
    fields: int
    why: Why


class Stolen(Happening):
    """A Thief takes a Collectible out of an exhibit."""

    seat: int
    thief: ActionCard
    owner: int
    piece: Piece


class DetectiveRanked(Happening):
    """A Detective's rank on the track, which is how far it moves."""

    seat: int
    rank: int


class Imprisoned(Happening):
    """A Thief enters cell 1; `cells` are all cells after everyone moved up, cell 1 first."""

    seat: int
    thief: ActionCard
    cells: tuple[ActionCard, ...]


class RoundEnded(Happening):
    """The round is finished; the field of each figure."""

    round: int
    figures: tuple[int, ...]


class BanquetReached(Happening):
    """These figures stand on Banquet fields: the game ends."""

    seats: tuple[int, ...]


class GameStopped(Happening):
    """The table takes no more steps: the game ends in this round, as it stands."""

    round: int


class HandOpened(Happening):
    """All Collectibles of a seat at the end; what could not be opened has no letter."""

    seat: int
    pieces: tuple[Piece, ...]


class FinalExhibit(Happening):
    """A seat's best exhibit at the end and its placing."""

    seat: int
    pieces: tuple[Piece, ...]
    placing: int


class FaultFound(Happening):
    """The final opening shows that a seat once played Exhibit without a valid exhibit."""

    seat: int
    round: int
    rule: Why


class StandingMade(Happening):
    """A seat's rank at the end."""

    rank: int
    seat: int
    field: int
    exhibit: tuple[Piece, ...]
