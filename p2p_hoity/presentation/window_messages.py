"""The messages of `hoity-table-1` that only a window of the program gets, not a program or a film.

A window is the page that `--web` serves. It gets the messages of `table_messages` as well. Here a
part of a reveal comes when it is to be seen, and not before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from .table_messages import Message

Mode = Literal["play", "host", "join", "resume", "watch", "replay", "learn"]
"""The command that has opened the window."""
Part = Literal[
    "track", "hall", "windows", "register", "castle", "prison", "collections", "own", "question"
]
"""A part of the table at which a lesson points."""


@dataclass(frozen=True)
class WindowSettings:
    """The settings of a window that are kept for the next game.

    Attributes:
        light: Whether it is light. None for what the system of the reader has.
        sound: Whether a sound calls the player.
        staged: Whether reveals are shown step by step.
    """

    light: bool | None
    sound: bool
    staged: bool


class StyledText(NamedTuple):
    """A text and its style: an array of two items.

    Attributes:
        style: `plain`, `dim`, `title`, `good`, `warn`, `bad`, or `seat.` before a colour.
    """

    words: str
    style: str


class Entered(Message):
    """The window has the table.

    Attributes:
        token: What the same window sends to enter again. It is valid while the program runs.
    """

    token: str = field(repr=False)


class Page(Message):
    """What the window needs besides the table. It is told again when this changes.

    Attributes:
        labels: The window's own labels in the reader's language, by name.
        languages: The name of each language in itself, by its code.
        has_hints: Whether `open` of `advice` gives a hint.
        may_talk: Whether `talk` is possible.
        by_bot: Whether a bot plays the seat.
    """

    mode: Mode
    labels: Mapping[str, str]
    languages: Mapping[str, str]
    settings: WindowSettings
    has_hints: bool
    may_talk: bool
    by_bot: bool


class Story(Message):
    """The sentences of the log so far, told to a window that enters during a game."""

    words: tuple[str, ...]


class Settled(Message):
    """A question that `reply` or `setup` answers is not open any more."""

    ask: int


class Deal(Message):
    """How far the deal has come.

    Attributes:
        done: The number of steps that are done.
        total: The number of all steps.
        words: What happens in the current step.
        promises: What the deal promises.
    """

    done: int
    total: int
    words: str
    promises: tuple[str, ...]


class Explain(Message):
    """An explanation of the lesson, which goes on after a `reply` to `ask`.

    Attributes:
        points: The parts of the table that it explains.
    """

    ask: int
    words: str
    points: tuple[Part, ...]


class Sheet(Message):
    """A page of text: the answer to `open`.

    Attributes:
        name: The word by which it was opened.
        lines: Each line is an array of texts.
        ticket: A ticket that can be copied. None without one.
        qr: The same as the path of an SVG picture in which a module is a square of 1 × 1.
        size: The width and height of this picture.
    """

    name: str
    title: str
    lines: tuple[tuple[StyledText, ...], ...]
    ticket: str | None = field(default=None, repr=False)
    qr: str | None = field(default=None, repr=False)
    size: int = 0


class Saved(Message):
    """A picture of the game was saved, or why not."""

    words: str


class FilmPosition(Message):
    """Where a replay stands.

    Attributes:
        length: The number of moments.
        at: The number of the moment that is shown, from 0.
        rounds: The moments in which a round begins.
        eyes: The seat whose knowledge is shown. None for what everybody could see.
        verdict: What was found when the file was verified, in few words.
    """

    length: int
    at: int
    rounds: tuple[int, ...]
    eyes: int | None
    verdict: StyledText


class Bye(Message):
    """The program ends.

    Attributes:
        words: What has ended, and how to go on. Empty after a game that came to its end.
    """

    words: str


WINDOW_MESSAGES = (
    Entered,
    Page,
    Story,
    Settled,
    Deal,
    Explain,
    Sheet,
    Saved,
    FilmPosition,
    Bye,
)
"""All kinds of messages that only a window gets."""
