"""The records of which the messages of a table consist: its seats, cards, board and standings.

Sentences are in the reader's language, and names are plain text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from ..rules import Place
from .screen_updates import Attending


@dataclass(frozen=True)
class Told:
    """A reason.

    Attributes:
        code: The word by which programs recognize it. It never changes its meaning.
        fields: The details by name. A reason inside it is an object with `code` and `fields`.
    """

    code: str
    fields: Mapping[str, Any]
    words: str


@dataclass(frozen=True)
class Terms:
    """The terms of a table.

    Attributes:
        host: The fingerprint of the host's long-lived key. None if the host shows none.
        quorum: How many seats have to agree to go on without others.
        variant: The rules for two seats. None for more seats.
        switches: The switches of the edition by their names.
        secrecy: How many cheaters together learn nothing of hidden cards.
        progress: How many seats can be gone without ending the game.
        no_fork: How many cheaters together cannot split the game into two histories.
        choice_seconds: How long a choice is awaited.
        step_seconds: How long any other step is awaited.
        rejoins: How often a seat that was absent may come back.
        watched: Whether onlookers are let in.
    """

    host: str | None
    seats: int
    quorum: int
    edition: str
    variant: str | None
    switches: Mapping[str, str | bool]
    secrecy: int
    progress: int
    no_fork: int
    choice_seconds: float
    step_seconds: float
    rejoins: int
    watched: bool


@dataclass(frozen=True)
class SeatIdentity:
    """Who sits at a seat.

    Attributes:
        mark: One letter for the seat, different from all others at the table.
        fingerprint: That of the player's long-lived key. None if the player shows none.
        table_key: The fingerprint of the seat's key of this table.
    """

    seat: int
    nickname: str
    mark: str
    fingerprint: str | None
    table_key: str


@dataclass(frozen=True)
class CollectibleInfo:
    """A Collectible of the edition. `year` is a number below 1000 if `age` of the edition says so.

    Attributes:
        card: Its index.
        name: Its name in the language of the reader.
    """

    card: int
    letter: str
    year: int
    name: str


@dataclass(frozen=True)
class EditionInfo:
    """The data of the edition that is played.

    Attributes:
        changed: The parts that differ from the shipped edition of this name. None if there is none.
        age: What `year` of a Collectible means, `year` or `number`.
        categories: What the Collectibles of each letter are, in the language of the reader.
        octagons: For each field of the track, from 0, what the best and the second-best exhibit
            bring while the leader stands there.
        banquet: The first field of the Dinner Banquet.
        last_field: The last field of the track.
        switches: The switches of the rules by their names.
    """

    name: str
    changed: tuple[str, ...] | None
    age: Literal["year", "number"]
    categories: Mapping[str, str]
    colours: tuple[str, ...]
    collectibles: tuple[CollectibleInfo, ...]
    octagons: tuple[tuple[int, int], ...]
    banquet: int
    last_field: int
    switches: Mapping[str, str | bool]


class HeldPiece(NamedTuple):
    """A Collectible that the reader knows: an array of four items.

    Attributes:
        slot: Its position in the shuffled deck, which never changes.
        letter: Its letter, `A` to `F`.
        secret: Whether the others do not know it.
    """

    slot: int
    letter: str
    year: int
    secret: bool


@dataclass(frozen=True)
class WindowState:
    """A window of the Auction Hall.

    Attributes:
        top: The Collectible on top. None if the window is empty, or it is not turned up yet.
        size: The number of Collectibles in it.
    """

    top: HeldPiece | None
    size: int


@dataclass(frozen=True)
class SeatState:
    """What is known of a seat.

    Attributes:
        colour: The name of its colour. Empty before the deal.
        field: Where its figure stands.
        rank: Its rank on the track, from 1.
        place: Where it is in this round. None before it has shown it.
        action: The id of the Action card that it has shown in this round. None if none.
        got: What it got in the Auction Hall in this round, in few letters.
        hand: The ids of the Action cards in its hand, as everybody knows them.
        pieces: Its Collectibles that the reader knows, by slot.
        unknown: How many of its Collectibles the reader does not know.
        best: The slots of the best exhibit that these pieces allow. None if they allow none.
        shown: The slots of the exhibit that it shows. None if it shows none.
        presence: Whether it is linked, has left, is absent or banned.
        status: What it does now, in few words.
    """

    colour: str
    field: int
    rank: int
    place: Place | None
    action: int | None
    got: str
    hand: tuple[int, ...]
    pieces: tuple[HeldPiece, ...]
    unknown: int
    best: tuple[int, ...] | None
    shown: tuple[int, ...] | None
    presence: Attending
    status: str


@dataclass(frozen=True)
class Board:
    """The game as the reader may see it at one moment.

    Attributes:
        phase: The phase of the round, by the word of the rules.
        headline: What happens now, in few words.
        leader: The field whose octagon pays in this round: the highest one of a figure when the
            round, or its Castle, began.
        octagon: What the best and the second-best exhibit of this round bring.
        windows: The windows of the Auction Hall, the first one first.
        register: The ids of the Cash cards in the register.
        prison: For each cell from 1 the id of the Thief in it, or None.
        awaited: The seats whose input is awaited.
        sealed: The seats that have sealed a choice which is not shown yet.
    """

    round: int
    phase: str
    headline: str
    leader: int
    octagon: tuple[int, int]
    windows: tuple[WindowState, ...]
    register: tuple[int, ...]
    prison: tuple[int | None, ...]
    awaited: tuple[int, ...]
    sealed: tuple[int, ...]
    seats: tuple[SeatState, ...]


@dataclass(frozen=True)
class Entry:
    """A choice that is offered.

    Attributes:
        choice: The choice, in the form of an answer.
        note: What it would bring. Empty if there is nothing to say.
    """

    choice: Any
    words: str
    note: str


@dataclass(frozen=True)
class StandingInfo:
    """A line of the result.

    Attributes:
        exhibit: The last exhibit. Empty if there is none.
        gained: The fields that it brought.
    """

    rank: int
    seat: int
    nickname: str
    field: int
    exhibit: tuple[HeldPiece, ...]
    gained: int
