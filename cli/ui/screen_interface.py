"""The interface of all screens.

A further screen is one more file of this folder, and one more line in `screen_of` of
`cli/commands/take_seat.py`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, Generic, Protocol, TypeVar

import trio

from p2p_hoity.presentation.screen_updates import Update
from p2p_hoity.table.player_interface import Player
from p2p_hoity.table.session import Outcome
from protocol.bounds import Quota

from ..words.table_terms import TableOffer

MOST_WAITING: Final[Quota] = 64
"""Answers that wait for a question."""
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


class Screen(Player, Protocol):
    """One seat's screen, and its player: it tells what happens, and asks what is to be asked."""

    @property
    def table_name(self) -> str:
        """The name of the game, once it has begun; empty before."""

    def tell(self, update: Update) -> None:
        """Tell one update."""

    def say(self, words: str) -> None:
        """A remark to a person."""

    def show_ticket(self, ticket: str, offer: TableOffer) -> None:
        """The ticket of the table just opened, and its terms."""

    def show_terms(self, offer: TableOffer) -> None:
        """The terms of a table, before the seat is taken."""

    def allow_hints(self, allowed: bool) -> None:
        """Whether the player may be shown what the hard bot would do: all others are its bots."""

    def agree(self) -> Awaitable[bool]:
        """Whether the terms just shown are accepted."""

    def admit(self, nickname: str, key: str | None) -> Awaitable[bool]:
        """Ask the player whether a guest may sit down.

        Args:
            nickname: The nickname of the guest.
            key: The fingerprint of its long-lived key. None if it shows none.
        """

    def listens(self, is_asked: bool) -> bool:
        """Whether it needs what is typed; `is_asked`: it may have to be answered."""

    def listen(self) -> Awaitable[None]:
        """Hear what is typed, until the input ends."""

    def end(self, outcome: Outcome) -> None:
        """How the table has ended, after all updates."""

    def run(self, main: Callable[..., Awaitable[T]], *args: Any) -> T:
        """Run the peer to its end, with this screen around it; what it returns, or raises."""


@dataclass(frozen=True)
class ScreenOptions:
    """Who sits at a screen, and how it is wanted.

    Attributes:
        leave: Called with the reason when the player leaves.
        as_json: Whether a program plays, by JSON lines.
        plain: Whether lines are wanted instead of the full screen, so that the commands shown keep
            them.
        auto: Whether a bot plays.
        looks_on: Whether it is an onlooker, who is never asked anything.
        again: Whether a program is asked for another game, or told each end as it looks on.
        bell: Whether a full screen may ring.
        stands_in: Whether a bot plays on if the input ends before the first answer.
    """

    leave: Callable[[str], None]
    as_json: bool = False
    plain: bool = False
    auto: bool = False
    looks_on: bool = False
    again: bool = False
    bell: bool = True
    stands_in: bool = False
