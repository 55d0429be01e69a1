"""The record of a game: the events of the game, as frozen facts in the rulebook's words.

Read in order from `Setup` on they describe a whole game. Whoever knows the rulebook can check every
move from their `as_json` forms alone.
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
    """A slot with the Collectible in it. The other fields are None while it is hidden."""

    slot: int
    card: int | None
    letter: str | None
    year: int | None


@dataclass_transform(frozen_default=True)
class Happening:
    """An event of the game. Each kind of event is a subclass, a frozen dataclass."""

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True)(cls)

    def as_json(self) -> dict[str, object]:
        """Return the fields as JSON can hold them, and as `type` the class's name in kebab case."""
        name = re.sub(r"(?<!^)(?=[A-Z])", "-", type(self).__name__).lower()
        return {"type": name, **_fields(self)}


def _fields(record: object) -> dict[str, object]:
    # The callers have checked, by its class, that it is a dataclass.
    return {f.name: plain(getattr(record, f.name)) for f in fields(record)}  # type: ignore[arg-type]


def plain(value: object) -> object:
    """Return the value of a field in a form that JSON can hold."""
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
    """The game was set up.

    Attributes:
        edition: The name of the edition.
        variant: None for more than two seats.
        action_choice: As in `edition.Switches`, like the next two.
        colours: The name of each seat's colour.
        collectibles: For each seat the slots of its Collectibles.
        windows: The Collectibles of each window, the top first.
        octagons: For each field how far the best and the second-best exhibit move.
        banquet_fields: The number of Banquet fields.
        cells: The number of prison cells.
    """

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
    """Seats have become absent, are present again, or were banned."""

    absent: tuple[int, ...]
    returned: tuple[int, ...]
    banned: tuple[int, ...]


class RoundBegan(Happening):
    """A round has begun.

    Attributes:
        round: From 1.
        sitting_out: The absent seats.
        place: The Place in which all seats are. None if each seat chooses one.
    """

    round: int
    seats: tuple[int, ...]
    sitting_out: tuple[int, ...]
    place: Place | None


class PlaceShown(Happening):
    """A seat has shown its Place card."""

    seat: int
    place: Place


class ActionShown(Happening):
    """A seat has shown its Action card in its Place."""

    seat: int
    place: Place
    card: ActionCard


class SatOut(Happening):
    """A seat is in no Place this round."""

    seat: int
    why: Why


class Passed(Happening):
    """A seat plays no Action card in its Place."""

    seat: int
    place: Place
    why: Why


class Voided(Happening):
    """The choice of a seat was illegal, or could not be opened, and counts for nothing."""

    seat: int
    kind: str


class DefaultTaken(Happening):
    """The rules have chosen for an absent seat.

    Attributes:
        choice: The window, or the slots of the chosen Collectibles. None if nothing could be
            chosen.
    """

    seat: int
    kind: str
    choice: int | tuple[int, ...] | None
    why: Why


class Sale(Happening):
    """The largest Cash, which `seat` has played, has bought the top Collectible of a window."""

    seat: int
    paid: ActionCard
    window: int
    took: Piece


class NoSale(Happening):
    """A round passes without a sale, because nobody in the Auction Hall has played Cash."""

    round: int


class CashStolen(Happening):
    """The only Thief in the Auction Hall has taken the Cash that was just paid.

    Attributes:
        owner: The buyer, who paid the Cash.
    """

    seat: int
    thief: ActionCard
    owner: int
    cash: ActionCard


class CashPaid(Happening):
    """The Cash that the buyer `seat` has just paid stays in the cash register."""

    seat: int
    cash: ActionCard


class Returned(Happening):
    """An Action card has gone back to a hand."""

    seat: int
    card: ActionCard
    why: Why


class TurnedUp(Happening):
    """The Collectible that is now on top of a window was opened to all."""

    window: int
    piece: Piece


class ExhibitShown(Happening):
    """A seat has shown an exhibit.

    Attributes:
        placing: Its place among the exhibits of the round, 1 for the best.
    """

    seat: int
    pieces: tuple[Piece, ...]
    placing: int


class NothingShown(Happening):
    """A seat has played Exhibit and shows nothing, so it is not ranked."""

    seat: int
    why: Why


class FigureMoved(Happening):
    """A figure has moved.

    Attributes:
        end: The field on which it stands now.
        fields: The number of fields that it was to move. At the end of the track it moves fewer.
    """

    seat: int
    start: int
    end: int
    fields: int
    why: Why


class Stolen(Happening):
    """A Thief has taken a Collectible out of an exhibit."""

    seat: int
    thief: ActionCard
    owner: int
    piece: Piece


class DetectiveRanked(Happening):
    """The rank of a Detective's figure, 1 for the first, was determined. It moves `rank` fields."""

    seat: int
    rank: int


class Imprisoned(Happening):
    """A Thief was put into prison cell 1, and the Thieves in prison moved up by one cell.

    Attributes:
        cells: The Thieves in prison after that, cell 1 first.
    """

    seat: int
    thief: ActionCard
    cells: tuple[ActionCard, ...]


class RoundEnded(Happening):
    """A round has ended, with each seat's figure on the field that `figures` names."""

    round: int
    figures: tuple[int, ...]


class BanquetReached(Happening):
    """Figures stand on Banquet fields, so the game ends."""

    seats: tuple[int, ...]


class GameStopped(Happening):
    """The table takes no more steps, so the game ends in this round as it stands."""

    round: int


class HandOpened(Happening):
    """The pieces of a seat were opened at the end. One that could not be opened has no letter."""

    seat: int
    pieces: tuple[Piece, ...]


class FinalExhibit(Happening):
    """The best exhibit of a seat at the end was ranked, with placing 1 for the best."""

    seat: int
    pieces: tuple[Piece, ...]
    placing: int


class FaultFound(Happening):
    """The opened hands show that a seat played Exhibit without a valid exhibit in that round."""

    seat: int
    round: int
    rule: Why


class StandingMade(Happening):
    """A line of the final standings.

    Attributes:
        rank: The rank, 1 for the winner.
        exhibit: The pieces of its final exhibit. Empty if it has none.
    """

    rank: int
    seat: int
    field: int
    exhibit: tuple[Piece, ...]
