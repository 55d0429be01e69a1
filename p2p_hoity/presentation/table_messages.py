"""The messages of a table to a window or a program (`hoity-table-1`), and those that come back.

Each message is a frozen dataclass and one JSON object, whose `type` is the class name in kebab
case. Sentences are in the reader's language, and names and chat are plain text. The same objects
are the lines of `--json`, the lines of a film of a game, and what a page draws. docs/programs.md
explains them, and docs/table.schema.json is made from these classes.

These fields have the same meaning everywhere:

- `round`: the number of the round, 0 before the first one.
- `seat`, `seats`: numbers of seats, from 0 in the order of the roster.
- `words`: sentences for people.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum, StrEnum
from pathlib import Path
from typing import Any, Literal, NamedTuple, dataclass_transform

from ..rules import ActionCard, Happening, Place
from .screen_updates import Attending

NAME = "hoity-table-1"
"""The name of this contract. Fields are added under this name, and never change their meaning."""


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Message:
    """A message. Each kind is a subclass, a frozen dataclass."""

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True)(cls)

    def as_json(self) -> dict[str, Any]:
        """Return the message as a JSON object."""
        return {"type": type_of(type(self)), **_fields(self)}


def type_of(message: type) -> str:
    """Return the word for a class of messages in their key `type`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "-", message.__name__).lower()


def plain(value: object) -> Any:
    """Return a value of a message in a form that JSON can hold.

    Times are rounded to milliseconds.
    """
    match value:
        case Place():
            return value.words
        case Enum():
            return value.value
        case Happening():
            return value.as_json()
        case float():
            return round(value, 3)
        case Path():
            return str(value)
        case Mapping():
            return {str(key): plain(one) for key, one in value.items()}
        case Set():
            return sorted(value)
        case tuple() | list():
            return [plain(one) for one in value]
    return _fields(value) if is_dataclass(value) else value


def _fields(record: Any) -> dict[str, Any]:
    return {one.name: plain(getattr(record, one.name)) for one in fields(record)}


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


# Before the game


class Hello(Message):
    """The first message.

    Attributes:
        schema: The name of this contract.
        program: The version of the program.
        language: The language of all words.
        phrases: The phrases of the chat by their numbers, from 0.
    """

    schema: str
    program: str
    language: str
    phrases: tuple[str, ...]


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


class Lobby(Message):
    """The table while it fills, told anew after each change.

    Attributes:
        names: The nicknames of those who have sat down, the host's first.
        seats: The number of seats, 0 if it is not known yet.
        ticket: The ticket that is valid now. None for guests.
        code: The words that one guest can use instead of the ticket. None without such a code.
        reach: From where the ticket works. None if it is not known yet, and for guests.
        reasons: Why it works from there only, and what the host can do.
        terms: None until they are known.
    """

    names: tuple[str, ...]
    seats: int
    ticket: str | None = field(default=None, repr=False)
    code: str | None = field(default=None, repr=False)
    reach: str | None = None
    reasons: tuple[Told, ...] = ()
    terms: Terms | None = None


class AskForm(StrEnum):
    """What a question is about that no rule of the game asks."""

    AGREE = "agree"
    """Whether to sit down by the terms of the last `lobby`."""
    ADMIT = "admit"
    """Whether a guest may sit down. `fields` has `nickname` and `fingerprint`."""
    AGAIN = "again"
    """Whether to play another game with the same people."""


class Ask(Message):
    """A question that is answered with yes or no, by `reply` with this `id`.

    Attributes:
        seconds: How long the answer is awaited. None for no limit.
    """

    id: int
    form: AskForm
    words: str
    fields: Mapping[str, Any]
    seconds: float | None


# The table


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
        octagons: For each field of the track, from 0, what the best and the second-best exhibit
            bring while the leader stands there.
        banquet: The first field of the Dinner Banquet.
        last_field: The last field of the track.
        switches: The switches of the rules by their names.
    """

    name: str
    changed: tuple[str, ...] | None
    age: Literal["year", "number"]
    colours: tuple[str, ...]
    collectibles: tuple[CollectibleInfo, ...]
    octagons: tuple[tuple[int, int], ...]
    banquet: int
    last_field: int
    switches: Mapping[str, str | bool]


class Table(Message):
    """The table, once for each game, when its roster is complete.

    Attributes:
        game: The name of the game, 16 hexadecimal digits.
        table: The id of the table, in hexadecimal digits.
        seat: The own seat. None for an onlooker and in a film.
        variant: The rules for two seats. None for more seats.
        cards: The Action cards of all colours, by their ids.
    """

    game: str
    table: str
    seat: int | None
    variant: str | None
    seats: tuple[SeatIdentity, ...]
    edition: EditionInfo
    cards: tuple[ActionCard, ...]


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
        gained: What it got in the Auction Hall in this round, in few letters.
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
    gained: str
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
    octagon: tuple[int, int]
    windows: tuple[WindowState, ...]
    register: tuple[int, ...]
    prison: tuple[int | None, ...]
    awaited: tuple[int, ...]
    sealed: tuple[int, ...]
    seats: tuple[SeatState, ...]


class State(Message):
    """The board after a change that is no part of a reveal.

    It is not told for a change of `headline` or `awaited` alone, which `question` and `clock` tell.

    Attributes:
        happenings: The number of happenings so far, which is the index of the next one.
    """

    round: int
    happenings: int
    board: Board


class Step(Message):
    """The chain of the table has grown by one step, whose proofs were checked.

    Attributes:
        step: The number of the step.
        kind: What was done in it, by a word of SPEC.
        seconds: How long the check of its last message took.
        final: How many happenings, from the first on, can no longer be replaced.
    """

    step: int
    kind: str
    seconds: float
    final: int


class Beat(Message):
    """A part of what a step reveals.

    Attributes:
        index: The index of the first of its happenings.
        happenings: What happened, in the form of docs/replay.md.
        words: The same in sentences.
        seconds: How long a person needs to follow it.
        left: How many parts of the same step follow.
        board: The game after this part.
    """

    round: int
    index: int
    happenings: tuple[Happening, ...]
    words: tuple[str, ...]
    seconds: float
    left: int
    board: Board


# Choices


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


class Question(Message):
    """A choice of the game that this seat has to make. It is answered by `answer` with this `id`.

    Attributes:
        id: It rises by one with each question while the program runs.
        again: Whether an earlier choice no longer counts, although others may have seen it.
        entries: The choices, for an exhibit or a theft some of them.
        slots: The slots that may be in an exhibit or a theft.
        groups: For a theft, the slots of each exhibit of which one has to be taken.
        seconds: How long the choice is awaited at most. None for no limit.
    """

    round: int
    id: int
    kind: str
    title: str
    again: bool
    entries: tuple[Entry, ...]
    slots: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...]
    seconds: float | None


class Checked(Message):
    """The answer to `check`: what the marked pieces would be, in words.

    Attributes:
        question: The id of the question.
        is_legal: Whether they are a legal choice.
    """

    question: int
    is_legal: bool
    words: str


class Taken(Message):
    """A choice was taken, by whoever plays the seat. It cannot be changed any more."""

    round: int
    question: int
    kind: str
    choice: Any


class Refused(Message):
    """What was sent is not taken, and why.

    Attributes:
        question: The id of the question that is still open. None if none is.
    """

    question: int | None
    code: str
    fields: Mapping[str, Any]
    words: str


class Closed(Message):
    """A question is not open any more, and was not answered."""

    question: int


# What people are told


class Clock(Message):
    """Who is awaited now, told when this changes.

    Attributes:
        waited: The seconds since the step began.
        left: The seconds until the step times out. None if it waits without end.
        words: What happens then.
    """

    round: int
    awaited: tuple[int, ...]
    waited: float
    left: float | None
    words: str


class Log(Message):
    """Something that happened at the table and not in the game.

    Attributes:
        event: What it is, by a word of the table in docs/programs.md.
        fields: Its details for programs. Each event has its own.
    """

    round: int
    event: str
    fields: Mapping[str, Any]
    words: tuple[str, ...]


class Said(Message):
    """A chat message.

    Attributes:
        seat: None for an onlooker.
        who: The nickname of the seat, or the name of an onlooker.
        phrase: The number of the phrase. None for words of one's own.
        is_own: Whether it was said here.
    """

    seat: int | None
    who: str
    words: str
    phrase: int | None
    is_own: bool


class Alarm(Message):
    """A seat is proven to have cheated."""

    round: int
    seat: int
    code: str
    words: str


# The end


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


class Ending(Message):
    """The end of the table.

    Attributes:
        code: Why there is no result. None if there is one.
        words: Who has won and by how much, or why there is no result.
        standings: The result, the best first. Empty without one.
        paths: For each seat the field of its figure before the first round, after each round, and
            after the last exhibits.
        moments: What decided the game, in sentences.
        transcript: The path of the file. None if none was written.
        seat: The seat that caused an end without a result, if it is known.
        by: The seat on whose word alone `code` and `seat` are known. None if this seat has seen it.
        evidence: The proof that a host has signed two rosters. None in other cases.
        awaited: The seats that have not confirmed the result yet.
        left: For how many seconds this seat stays for them at most.
    """

    round: int
    code: str | None
    words: str
    standings: tuple[StandingInfo, ...]
    paths: tuple[tuple[int, ...], ...]
    moments: tuple[str, ...]
    transcript: Path | None
    seat: int | None = None
    by: int | None = None
    evidence: Mapping[str, Any] | None = None
    awaited: tuple[int, ...] = ()
    left: float = 0.0


MESSAGES = (
    *(
        Hello,
        Lobby,
        Ask,
        Table,
        State,
        Step,
        Beat,
        Question,
        Checked,
        Taken,
        Refused,
        Closed,
        Clock,
    ),
    *(Log, Said, Alarm, Ending),
)
"""All kinds of messages to a window or program."""
FILMED = (Table, State, Beat, Ending)
"""The kinds of messages of which a film of a game consists."""
