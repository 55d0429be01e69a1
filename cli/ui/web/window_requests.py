"""What a window of the program sends: the lines of a program, and what only a window wants."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, cast, get_args

from ..json_answers import (
    NO_JSON,
    NO_TYPE,
    READERS,
    UNKNOWN_TYPE,
    Fields,
    Line,
    NotUnderstood,
    is_number,
)

if TYPE_CHECKING:
    # A page that shows replays reads requests, but has no sockets.
    from ..screen_options import PageSocket

SheetName = Literal[
    "proofs", "links", "pieces", "rules", "numbers", "log", "recap", "advice", "ticket", "link"
]
"""The name of a page of text."""


@dataclass(frozen=True)
class Setup:
    """The answers of the first run. None as the nickname means a new one at each table."""

    ask: int
    nickname: str | None
    language: str
    level: str | None
    lesson: bool


@dataclass(frozen=True)
class SitDown:
    """The consent to the terms of a table, with a nickname, "" for the one that was offered."""

    ask: int
    nickname: str


@dataclass(frozen=True)
class Hurry:
    """The wish to see the rest of a reveal at once."""


@dataclass(frozen=True)
class Open:
    """The wish to read a page of text."""

    sheet: SheetName


@dataclass(frozen=True)
class Set:
    """Settings to be kept. What is not changed is not in `changed`."""

    changed: Mapping[str, Any]


@dataclass(frozen=True)
class Seek:
    """Where a replay is to stand, and whose knowledge it shows. What is not changed is absent."""

    changed: Mapping[str, int | None]


@dataclass(frozen=True)
class Save:
    """The wish to save a picture of the game."""


@dataclass(frozen=True)
class Done:
    """The window is done with a game that is over."""


WindowLine = Line | Setup | SitDown | Hurry | Open | Set | Seek | Save | Done
MOST_WORDS: Final = 200
"""The greatest length of a text that a window sends."""
BAD_MESSAGE: Final = 4004
"""The code with which a socket is closed that sends what the contract does not know."""


def read_request(text: str) -> WindowLine:
    """Return what a message of a window says.

    Raises:
        NotUnderstood: If it is no message of the contract.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NotUnderstood(NO_JSON) from error
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        raise NotUnderstood(NO_TYPE)
    kind = value.pop("type")
    if kind not in WINDOW_READERS:
        raise NotUnderstood(UNKNOWN_TYPE, type=kind[:MOST_WORDS])
    fields = Fields(value)
    found = WINDOW_READERS[kind](fields)
    fields.end()
    return found


async def next_request(socket: PageSocket) -> WindowLine | None:
    """Return what a window says next. None, with the socket closed, if it is not understood.

    Raises:
        SocketGone: If the window is gone.
    """
    try:
        return read_request(await socket.receive())
    except NotUnderstood:
        await socket.close(BAD_MESSAGE)
        return None


def _is_words(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= MOST_WORDS


def _is_words_or_none(value: Any) -> bool:
    return value is None or _is_words(value)


def _is_switch(value: Any) -> bool:
    return isinstance(value, bool)


def _setup(values: Fields) -> WindowLine:
    """Read the answers of the first run."""
    return Setup(
        values.take("ask", is_number),
        values.take("nickname", _is_words_or_none),
        values.take("language", _is_words),
        values.take("level", _is_words_or_none),
        values.take("lesson", _is_switch),
    )


def _open(values: Fields) -> WindowLine:
    return Open(cast(SheetName, values.take("sheet", lambda value: value in SHEETS)))


SHEETS: Final = get_args(SheetName)
SETTINGS: Final[Mapping[str, Callable[[Any], bool]]] = {
    "light": lambda value: value is None or _is_switch(value),
    "sound": _is_switch,
    "staged": _is_switch,
    "language": _is_words,
}


def _set(values: Fields) -> WindowLine:
    fitting = SETTINGS.items()
    return Set({name: values.take(name, fits) for name, fits in fitting if values.has(name)})


def _seek(values: Fields) -> WindowLine:
    """Read where a replay is to stand."""
    found: dict[str, int | None] = {}
    if values.has("at"):
        found["at"] = values.take("at", is_number)
    if values.has("eyes"):
        found["eyes"] = values.take("eyes", lambda value: value is None or is_number(value))
    return Seek(found)


WINDOW_READERS: Final[Mapping[str, Callable[[Fields], WindowLine]]] = {
    **READERS,
    "setup": _setup,
    "sit": lambda values: SitDown(
        values.take("ask", is_number), values.take("nickname", _is_words)
    ),
    "hurry": lambda values: Hurry(),
    "open": _open,
    "set": _set,
    "seek": _seek,
    "save": lambda values: Save(),
    "bye": lambda values: Done(),
}
"""For each type of message of a window the function that reads its fields."""
