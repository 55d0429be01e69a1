"""The interface of all screens, and the choice of the screen for a terminal.

A further screen is one more file of this folder, and one more line in `seated`.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Final, Generic, Protocol, TypeVar

import trio

from p2p_hoity.game_adapter import HoityToity
from p2p_hoity.presentation.screen_updates import Update
from p2p_hoity.table.player_interface import Player
from p2p_hoity.table.session import Outcome
from protocol import Terms
from protocol.bounds import Quota

from ..local.lesson_screen import Room
from ..printing import is_small

MOST_WAITING: Final[Quota] = 64
"""Answers that wait for a question."""
Leave = Callable[[str], None]
T = TypeVar("T")


class Box(Generic[T]):
    """What comes from the player, in its order, until somebody asks for it."""

    def __init__(self, most: Quota = MOST_WAITING) -> None:
        """Make an empty box.

        Args:
            most: How many may wait.
        """
        self._send, self._receive = trio.open_memory_channel[T](most)

    def put(self, value: T) -> bool:
        """Put one in. Return False, and leave it out, if too many wait."""
        try:
            self._send.send_nowait(value)
        except trio.WouldBlock:
            return False
        return True

    def empty(self) -> None:
        """Forget what came before."""
        with suppress(trio.WouldBlock):
            while True:
                self._receive.receive_nowait()

    async def next(self) -> T:
        """Return the next one, whenever it comes."""
        return await self._receive.receive()


class Screen(Protocol):
    """One seat's screen: it tells what happens, asks what is to be asked, and has the player."""

    player: Player
    """Who decides for the seat."""

    @property
    def table_name(self) -> str:
        """The name of the game, once it has begun; empty before."""

    def tell(self, update: Update) -> None:
        """Tell one update."""

    def say(self, words: str) -> None:
        """A remark to a person."""

    def show_ticket(
        self, ticket: str, terms: Terms, game: HoityToity, nickname: str, watched: bool = True
    ) -> None:
        """The ticket of the table just opened, and its terms."""

    def show_terms(
        self, terms: Terms, game: HoityToity, names: tuple[str, ...], watched: bool = True
    ) -> None:
        """The terms of a table, before the seat is taken; `watched`: onlookers are let in."""

    def allow_hints(self, allowed: bool) -> None:
        """Whether the player may be shown what the hard bot would do: all others are its bots."""

    def agree(self) -> Awaitable[bool]:
        """Whether the terms just shown are accepted."""

    def admit(self, nickname: str, key: str) -> Awaitable[bool]:
        """Whether a guest, of this key's fingerprint, may sit down."""

    def listens(self, is_asked: bool) -> bool:
        """Whether it needs what is typed; `is_asked`: it may have to be answered."""

    def listen(self) -> Awaitable[None]:
        """Hear what is typed, until the input ends."""

    def end(self, outcome: Outcome) -> None:
        """How the table has ended, after all updates."""

    def run(self, main: Callable[..., Awaitable[T]], *args: Any) -> T:
        """Run the peer to its end, with this screen around it; what it returns, or raises."""


def is_full(plain: bool) -> bool:
    """Whether there is a terminal that a full screen can be shown on, and nobody wants lines."""
    if plain or os.environ.get("TERM", "") in ("", "dumb"):
        return False
    if not all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):
        return False
    return not is_small(*shutil.get_terminal_size())


def seated(
    as_json: bool,
    auto: bool,
    leave: Leave,
    plain: bool = True,
    again: bool = False,
    bell: bool = True,
    stands_in: bool = False,
) -> Screen:
    """Return the screen of a seat.

    Args:
        as_json: Whether a program plays, by JSON lines.
        auto: Whether a bot plays.
        leave: Called with the reason when the player leaves.
        plain: Whether lines are wanted instead of the full screen.
        again: Whether a program is asked for another game.
        bell: Whether a full screen may ring.
        stands_in: Whether a bot plays on if the input ends before the first answer.
    """
    if as_json:
        from .json_screen import JsonSeat

        return JsonSeat(auto, leave, again, stands_in)
    if is_full(plain or auto):
        from .full_screen.human_player import FullSeat

        return FullSeat(auto, leave, bell=bell)
    from .lines.line_seat import LineSeat

    return LineSeat(auto, leave, stands_in, plain)


def classroom(plain: bool, leave: Leave) -> Room:
    """The screen of the lesson; `leave` is called with the reason when its player goes."""
    if is_full(plain):
        from .full_screen.human_player import FullSeat

        return FullSeat(False, leave)
    from .lines.line_seat import LineSeat

    return LineSeat(False, leave)


def looking_on(as_json: bool, plain: bool, leave: Leave, again: bool) -> Screen:
    """The screen of an onlooker: nothing is ever asked. `again`: a program is told each end."""
    if as_json:
        from .json_screen import JsonSeat

        return JsonSeat(False, leave, again)
    if is_full(plain):
        from .full_screen.human_player import FullSeat

        return FullSeat(True, leave, looks_on=True)
    from .lines.line_seat import LineWatch

    return LineWatch(leave)
