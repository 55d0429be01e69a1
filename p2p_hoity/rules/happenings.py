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
    """A slot of the shuffled deck with the Collectible in it.

    Attributes:
        slot: Its position in the shuffled deck, from 0.
        card: The index of the Collectible. None while it is hidden.
        letter: The letter of the Collectible. None while it is hidden.
        year: The year of the Collectible. None while it is hidden.
    """

    slot: int
    card: int | None
    letter: str | None
    year: int | None


@dataclass_transform(frozen_default=True)
class Happening:
    """An event of the game. Each kind of event is a subclass, a frozen dataclass."""

    def __init_subclass__(cls) -> None:
        """Make the subclass a frozen dataclass."""
        dataclass(frozen=True)(cls)

    def as_json(self) -> dict[str, object]:
        """Return the event as a JSON object. Its keys are the names of the fields.

        Returns:
            The fields as plain values, and under `type` the name of the class in kebab case.
        """
        name = re.sub(r"(?<!^)(?=[A-Z])", "-", type(self).__name__).lower()
        return {"type": name, **_fields(self)}


def _fields(record: object) -> dict[str, object]:
    """Return the fields of a dataclass as plain values, by name."""
    # The callers have checked, by its class, that it is a dataclass.
    return {f.name: plain(getattr(record, f.name)) for f in fields(record)}  # type: ignore[arg-type]


def plain(value: object) -> object:
    """Return the value of a field in a form that JSON can hold.

    Args:
        value: Any value that a happening may contain.

    Returns:
        Text, a number, a truth value, null, an array or an object.
    """
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
        variant: The rules for two seats. None for more seats.
        action_choice: `together` if all Actions are sealed at once, `staged` if the Actions in the
            Castle are sealed after the sale.
        detective_in_hall: Whether a Detective may be played in the Auction Hall.
        detective_rank: How far a Detective moves depends on the rank of its owner on the score
            track. The rank is determined `after` or `before` the figures of the best exhibits move.
        colours: The name of each seat's colour.
        hands: For each seat its Action cards.
        collectibles: For each seat the deck slots of its Collectibles.
        windows: For each window (pile of the Auction Hall) its Collectibles, the top first.
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
    """Seats have become absent, are present again, or were banned.

    Attributes:
        absent: The numbers of the seats that have become absent.
        returned: The numbers of the seats that are present again.
        banned: The numbers of the seats that were banned.
    """

    absent: tuple[int, ...]
    returned: tuple[int, ...]
    banned: tuple[int, ...]


class RoundBegan(Happening):
    """A round has begun.

    Attributes:
        round: The number of the round, from 1.
        seats: The seats that take part.
        sitting_out: The absent seats.
        place: The Place in which all seats are in this round. None if each seat chooses a Place.
    """

    round: int
    seats: tuple[int, ...]
    sitting_out: tuple[int, ...]
    place: Place | None


class PlaceShown(Happening):
    """A seat has shown its Place card.

    Attributes:
        seat: Its number, from 0.
        place: The Place, in JSON by its English name.
    """

    seat: int
    place: Place


class ActionShown(Happening):
    """A seat has shown its Action card in its Place.

    Attributes:
        seat: Its number, from 0.
        place: The Place, in JSON by its English name.
        card: The Action card, with its colour and number.
    """

    seat: int
    place: Place
    card: ActionCard


class SatOut(Happening):
    """A seat is in no Place this round.

    Attributes:
        seat: Its number, from 0.
        why: The reason.
    """

    seat: int
    why: Why


class Passed(Happening):
    """A seat plays no Action card in its Place.

    Attributes:
        seat: Its number, from 0.
        place: The Place, in JSON by its English name.
        why: The reason.
    """

    seat: int
    place: Place
    why: Why


class Voided(Happening):
    """A choice turned out to be illegal, or could not be opened, and counts for nothing.

    Attributes:
        seat: The seat that chose.
        kind: The kind of choice, such as `exhibit`.
    """

    seat: int
    kind: str


class DefaultTaken(Happening):
    """The rules have chosen for an absent seat.

    Attributes:
        seat: Its number, from 0.
        kind: The kind of choice, such as `exhibit`.
        choice: The window (a pile in the Auction Hall, 0 or 1), or the deck slots of the chosen
            Collectibles. None if nothing could be chosen.
        why: The reason why the rules have chosen.
    """

    seat: int
    kind: str
    choice: int | tuple[int, ...] | None
    why: Why


class Sale(Happening):
    """The largest Cash has bought the top Collectible of a window (pile of the Auction Hall).

    Attributes:
        seat: The number of the buyer's seat.
        paid: The Cash card, which goes to the cash register.
        window: 0 for the first window, 1 for the second.
        took: The piece on top of the window, which was bought.
    """

    seat: int
    paid: ActionCard
    window: int
    took: Piece


class NoSale(Happening):
    """A round passes without a sale, because nobody in the Auction Hall has played Cash.

    Attributes:
        round: The number of the round.
    """

    round: int


class CashStolen(Happening):
    """The only Thief in the Auction Hall has taken the Cash that was just paid.

    Attributes:
        seat: The number of the Thief's seat.
        thief: The Thief's Action card.
        owner: The seat of the buyer, who paid the Cash.
        cash: The Cash that was played in the Auction Hall.
    """

    seat: int
    thief: ActionCard
    owner: int
    cash: ActionCard


class CashPaid(Happening):
    """The Cash that was just paid stays in the cash register.

    Attributes:
        seat: The buyer.
        cash: The Cash that was played in the Auction Hall.
    """

    seat: int
    cash: ActionCard


class Returned(Happening):
    """An Action card has gone back to a hand.

    Attributes:
        seat: The number of the hand's seat.
        card: The Action card, with its colour and number.
        why: The reason.
    """

    seat: int
    card: ActionCard
    why: Why


class TurnedUp(Happening):
    """The Collectible that is now on top of a window (pile of the Auction Hall) was opened to all.

    Attributes:
        window: 0 for the first window, 1 for the second.
        piece: The Collectible with its slot.
    """

    window: int
    piece: Piece


class ExhibitShown(Happening):
    """A seat has shown an exhibit.

    Attributes:
        seat: Its number, from 0.
        pieces: All pieces of the exhibit, which everybody sees now.
        placing: Its place among the exhibits of the round, 1 for the best.
    """

    seat: int
    pieces: tuple[Piece, ...]
    placing: int


class NothingShown(Happening):
    """A seat has played Exhibit and shows nothing, so it is not ranked.

    Attributes:
        seat: Its number, from 0.
        why: The reason.
    """

    seat: int
    why: Why


class FigureMoved(Happening):
    """A figure has moved.

    Attributes:
        seat: The number of the figure's seat.
        start: The number of the field from which it moved.
        end: The field on which it stands now.
        fields: The number of fields that it was to move. At the end of the track it moves fewer.
        why: The reason.
    """

    seat: int
    start: int
    end: int
    fields: int
    why: Why


class Stolen(Happening):
    """A Thief has taken a Collectible out of an exhibit.

    Attributes:
        seat: The number of the Thief's seat.
        thief: The Thief's Action card.
        owner: The number of the exhibit's seat.
        piece: The piece, which is the Thief's from now on.
    """

    seat: int
    thief: ActionCard
    owner: int
    piece: Piece


class DetectiveRanked(Happening):
    """The rank of a Detective's figure was determined. The figure moves `rank` fields.

    Attributes:
        seat: The number of the Detective's seat.
        rank: The rank on the track, 1 for the first.
    """

    seat: int
    rank: int


class Imprisoned(Happening):
    """A Thief was put into prison cell 1, and the Thieves in prison moved up by one cell.

    Attributes:
        seat: The number of the Thief's seat.
        thief: The Thief's Action card.
        cells: The Thieves in prison after that, cell 1 first.
    """

    seat: int
    thief: ActionCard
    cells: tuple[ActionCard, ...]


class RoundEnded(Happening):
    """A round has ended.

    Attributes:
        round: The number of the round.
        figures: The field of each seat's figure.
    """

    round: int
    figures: tuple[int, ...]


class BanquetReached(Happening):
    """Figures stand on Banquet fields, so the game ends.

    Attributes:
        seats: The seats of these figures.
    """

    seats: tuple[int, ...]


class GameStopped(Happening):
    """The table takes no more steps, so the game ends in this round as it stands.

    Attributes:
        round: The number of the round.
    """

    round: int


class HandOpened(Happening):
    """The Collectibles of a seat were opened at the end.

    Attributes:
        seat: Its number, from 0.
        pieces: Its pieces. One that could not be opened has no letter.
    """

    seat: int
    pieces: tuple[Piece, ...]


class FinalExhibit(Happening):
    """The best exhibit of a seat at the end was ranked.

    Attributes:
        seat: Its number, from 0.
        pieces: All pieces of the exhibit, which everybody sees now.
        placing: Its place among the final exhibits, 1 for the best.
    """

    seat: int
    pieces: tuple[Piece, ...]
    placing: int


class FaultFound(Happening):
    """The opened hands show that a seat once played Exhibit without a valid exhibit.

    Attributes:
        seat: Its number, from 0.
        round: The round in which it did.
        rule: The rule that it broke.
    """

    seat: int
    round: int
    rule: Why


class StandingMade(Happening):
    """A line of the final standings.

    Attributes:
        rank: The rank, 1 for the winner.
        seat: Its number, from 0.
        field: The field of its figure.
        exhibit: The pieces of its final exhibit. Empty if it has none.
    """

    rank: int
    seat: int
    field: int
    exhibit: tuple[Piece, ...]
