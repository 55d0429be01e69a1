"""The lines that a program writes to a table: answers, replies and requests as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from p2p_hoity.table.playing.player_requests import LeaveForNow, PlayerRequest, Talk, WaitLonger


@dataclass(frozen=True)
class Answer:
    """A choice of the game. `question` is None for the question that is open when it is read."""

    question: int | None
    choice: Any


@dataclass(frozen=True)
class Reply:
    """Yes or no to an `ask`. `ask` is None for the one that is open when it is read."""

    ask: int | None
    yes: bool


@dataclass(frozen=True)
class Check:
    """A request to say what marked pieces would be as the answer to a question."""

    question: int
    picked: tuple[int, ...]


@dataclass(frozen=True)
class BotPlays:
    """The wish that a bot plays this seat, or not any more."""

    plays: bool


Line = Answer | Reply | Check | BotPlays | PlayerRequest

NO_JSON: Final = "no-json"
UNKNOWN_TYPE: Final = "unknown-type"
NO_TYPE: Final = "no-type"
BAD_FIELD: Final = "bad-field"


class NotUnderstood(ValueError):
    """An error: a line is no JSON, or no message of the contract.

    Attributes:
        fields: The details by name.
    """

    def __init__(self, code: str, **fields: Any) -> None:
        super().__init__(code)
        self.code, self.fields = code, fields


def read_line(line: str) -> Line:
    """Return what a line says. A value alone is an answer, `true` or `false` alone a reply.

    Raises:
        NotUnderstood: If the line is no JSON or no message.
    """
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise NotUnderstood(NO_JSON) from error
    if isinstance(value, bool):
        return Reply(None, value)
    if not isinstance(value, dict):
        return Answer(None, value)
    if "type" not in value:
        raise NotUnderstood(NO_TYPE)
    told = value.pop("type")
    if not isinstance(told, str) or told not in READERS:
        raise NotUnderstood(UNKNOWN_TYPE, type=told)
    fields = Fields(value)
    found = READERS[told](fields)
    fields.end()
    return found


class Fields:
    """The fields of a message other than its type, each of which is taken once."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = dict(values)

    def has(self, name: str) -> bool:
        """Return whether a field is there that was not taken yet."""
        return name in self._values

    def take(self, name: str, fits: Callable[[Any], bool], needed: bool = True) -> Any:
        """Return a field, or None if it is not needed and not there.

        Raises:
            NotUnderstood: If it has no value that fits.
        """
        if name not in self._values and not needed:
            return None
        if name not in self._values or not fits(self._values[name]):
            raise NotUnderstood(BAD_FIELD, field=name)
        return self._values.pop(name)

    def end(self) -> None:
        """Check that no other field is there.

        Raises:
            NotUnderstood: If one is.
        """
        if self._values:
            raise NotUnderstood(BAD_FIELD, field=min(self._values))


def is_number(value: Any) -> bool:
    """Return whether a value is a whole number."""
    # Not `isinstance`, because `true` is an int in Python, too.
    return type(value) is int


def _answer(values: Fields) -> Line:
    """Read a choice of the game."""
    question = values.take("question", is_number, needed=False)
    return Answer(question, values.take("choice", lambda value: True))


def _reply(values: Fields) -> Line:
    """Read yes or no."""
    yes = values.take("yes", lambda value: isinstance(value, bool))
    return Reply(values.take("ask", is_number, needed=False), yes)


def _check(values: Fields) -> Line:
    """Read a request to judge marked pieces."""

    def are_slots(value: Any) -> bool:
        return isinstance(value, list) and all(map(is_number, value))

    return Check(values.take("question", is_number), tuple(values.take("picked", are_slots)))


def _talk(values: Fields) -> Line:
    """Read a chat message, which has either words or the number of a phrase."""
    words = values.take("words", lambda value: isinstance(value, str), needed=False)
    phrase = values.take("phrase", is_number, needed=words is None)
    if words is not None and phrase is not None:
        raise NotUnderstood(BAD_FIELD, field="phrase")
    return Talk(phrase if words is None else words)


def _bot(values: Fields) -> Line:
    return BotPlays(values.take("plays", lambda value: isinstance(value, bool)))


READERS: Final[Mapping[str, Callable[[Fields], Line]]] = {
    "answer": _answer,
    "reply": _reply,
    "check": _check,
    "talk": _talk,
    "wait": lambda values: WaitLonger(),
    "leave": lambda values: LeaveForNow(),
    "bot": _bot,
}
"""For each type of message of a program the function that reads its fields."""
