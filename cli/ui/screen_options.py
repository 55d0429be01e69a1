"""Which screen is used, its options, and a queue for what a person types."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, Generic, Protocol, TypeVar

import trio

from p2p_hoity.presentation.window_messages import Mode
from p2p_hoity.storage.home import Home
from protocol.units import Quota

from .. import printing
from ..words.translation import _


def uses_full_screen(plain: bool) -> bool:
    """Return whether the full screen is used. If only the size of the terminal is why not, say so.

    `plain` is whether lines are wanted. Then nothing is said.
    """
    size = printing.size_if_too_small(plain)
    if size is not None:
        words = _(
            "This terminal has {width} × {height} cells, and the table on one screen needs"
            " {columns} × {rows}. So everything is told in lines here. For the screen, make the"
            " terminal larger and start again. --plain leaves this message out."
        )
        columns, rows = printing.COLUMNS, printing.ROWS
        told = words.format(width=size[0], height=size[1], columns=columns, rows=rows)
        printing.say(told)
    return printing.is_full(plain)


MOST_WAITING: Final[Quota] = 64
"""The most answers that may wait in a `Box` until somebody asks for them."""
MOST_REQUESTS: Final[Quota] = 16
"""The most requests of a player, such as chat messages, that may wait to be handled."""
T = TypeVar("T")


class Box(Generic[T]):
    """A bounded queue for values that come from the player, such as answers."""

    def __init__(self, most: Quota = MOST_WAITING) -> None:
        self._send, self._receive = trio.open_memory_channel[T](most)

    def put(self, value: T) -> bool:
        """Put a value into the box. Return False, and drop the value, if there is no room."""
        try:
            self._send.send_nowait(value)
        except trio.WouldBlock:
            return False
        return True

    def empty(self) -> None:
        """Remove all values from the queue, unread."""
        with suppress(trio.WouldBlock):
            while True:
                self._receive.receive_nowait()

    async def next(self) -> T:
        """Wait for the next value."""
        return await self._receive.receive()


class PageSocket(Protocol):
    """The socket to a page that has entered."""

    async def send(self, text: str) -> None:
        """Send a text."""

    async def receive(self) -> str:
        """Wait for the next text."""

    async def close(self, code: int) -> None:
        """Close the socket with a code of RFC 6455."""


class ServedPage(Protocol):
    """The page that shows a table: that of this program in a browser, or the one around a worker.

    Attributes:
        mode: The command that has opened the page.
        goes_on: Whether the program goes on after what is shown now, as with a game after a lesson.
        failures: What has failed in the program for the page.
        home: Where the settings are kept that a person changes there.
        has_terminal: Whether the game can go on at a terminal if the page fails.
        address: The URL at which the page leads others to a table, too. "" for a page of this
            program alone.
    """

    mode: Mode
    goes_on: bool
    failures: list[Exception]
    home: Home
    has_terminal: bool
    address: str

    async def serve(self, talk: Callable[[Any], Awaitable[None]], /) -> None:
        """Let the page talk, with one socket after the other, until this is cancelled."""

    def save(self, name: str, text: str) -> str:
        """Save a picture under a name, and return what came of it."""


@dataclass(frozen=True)
class ScreenOptions:
    """The options of a screen.

    Attributes:
        leave: Called with the reason when the player leaves.
        as_json: Whether a program plays, by JSON lines.
        plain: Whether lines are wanted. The commands that the screen shows then contain `--plain`.
        auto: Whether a bot plays the seat.
        looks_on: Whether the screen is an onlooker's, who is never asked anything.
        again: Whether another game may follow. A program that plays is then asked for another game,
            and a program that looks on is told of the end of each game.
        bell: Whether a full screen may ring the terminal's bell.
        sentences: Whether the line prompt tells everything in whole sentences at first.
        stands_in: Whether a bot plays on if the input ends before the first answer.
        talks: Whether chat is shown and sent.
        page: The page in a browser, on which the screen is shown. None for a terminal or a program.
    """

    leave: Callable[[str], None]
    as_json: bool = False
    plain: bool = False
    auto: bool = False
    looks_on: bool = False
    again: bool = False
    bell: bool = True
    stands_in: bool = False
    sentences: bool = False
    talks: bool = True
    page: ServedPage | None = None
