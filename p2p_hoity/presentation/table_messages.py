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
from typing import Any, Final, dataclass_transform

from ..rules import ActionCard, Happening, Place
from .message_records import Board, EditionInfo, Entry, SeatIdentity, StandingInfo, Terms, Told

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


class Lobby(Message):
    """The table while it fills, told anew after each change.

    Attributes:
        names: The nicknames of those who have sat down, the host's first.
        seats: The number of seats, 0 if it is not known yet.
        ticket: The ticket that is valid now. None for guests.
        link: The address at which a page leads to the table. None if no relay may serve one.
        code: The words that one guest can use instead of the ticket. None without such a code.
        reach: From where the ticket works. None if it is not known yet, and for guests.
        reasons: Why it works from there only, and what the host can do.
        terms: None until they are known.
        lines: The terms in sentences.
        pages: What the host should know of seats in pages, in sentences.
    """

    names: tuple[str, ...]
    seats: int
    ticket: str | None = field(default=None, repr=False)
    link: str | None = field(default=None, repr=False)
    code: str | None = field(default=None, repr=False)
    reach: str | None = None
    reasons: tuple[Told, ...] = ()
    terms: Terms | None = None
    lines: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()


NO_NICKNAME: Final = "no-nickname"
"""The code with which a nickname is refused."""


class AskForm(StrEnum):
    """What a question is about that no rule of the game asks."""

    AGREE = "agree"
    """Whether to sit down by the terms of the last `lobby`."""
    ADMIT = "admit"
    """Whether a guest may sit down. `fields` has `nickname` and `fingerprint`."""
    AGAIN = "again"
    """Whether to play another game with the same people."""
    SETUP = "setup"
    """The questions of the first run, which `setup` answers. Only a window is asked this."""
    RETURN = "return"
    """Whether to take the seat again after an absence. Only a window is asked this."""
    LEAVE = "leave"
    """Whether to leave, after a `leave`. Only a window is asked this."""
    BOT = "bot"
    """Whether a bot shall play, after a `bot`. Only a window is asked this."""


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


class Question(Message):
    """A choice of the game that this seat has to make. It is answered by `answer` with this `id`.

    Attributes:
        id: It rises by one with each question while the program runs.
        again: Whether an earlier choice no longer counts, although others may have seen it.
        entries: The choices, for an exhibit or a theft some of them.
        slots: The slots that may be in an exhibit or a theft.
        groups: For a theft, the slots of each exhibit of which one has to be taken.
    """

    round: int
    id: int
    kind: str
    title: str
    again: bool
    entries: tuple[Entry, ...]
    slots: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...]


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
