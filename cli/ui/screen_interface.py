"""The interface that all screens have, the options of a screen, and a queue for answers.

A new kind of screen needs one more file in this folder, and one more line in `screen_of` of
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
"""The most answers that may wait in a `Box` until somebody asks for them."""
T = TypeVar("T")


class Box(Generic[T]):
    """A bounded queue for values that come from the player, such as answers."""

    def __init__(self, most: Quota = MOST_WAITING) -> None:
        """Make an empty queue.

        Args:
            most: How many values may wait.
        """
        self._send, self._receive = trio.open_memory_channel[T](most)

    def put(self, value: T) -> bool:
        """Put a value into the box.

        Args:
            value: The value.

        Returns:
            Whether there was room. If not, the value is dropped.
        """
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
        """Wait for the next value.

        Returns:
            The value.
        """
        return await self._receive.receive()


class Screen(Player, Protocol):
    """The screen of one seat together with its player: it shows what happens and asks questions."""

    @property
    def table_name(self) -> str:
        """The id of the game. "" before it has begun."""

    def tell(self, update: Update) -> None:
        """Show an update.

        Args:
            update: The update.
        """

    def say(self, words: str) -> None:
        """Show a message to a person.

        Args:
            words: The message.
        """

    def show_ticket(self, ticket: str, offer: TableOffer) -> None:
        """Show the ticket and the terms of a table that was just opened.

        Args:
            ticket: The ticket.
            offer: The table with its terms.
        """

    def show_terms(self, offer: TableOffer) -> None:
        """Show the terms of a table before the seat is taken.

        Args:
            offer: The table with its terms.
        """

    def allow_hints(self, allowed: bool) -> None:
        """Allow or forbid hints from the hard bot.

        Hints are allowed if all other seats are played by the player's own bots.

        Args:
            allowed: Whether hints are allowed.
        """

    def agree(self) -> Awaitable[bool]:
        """Ask the player to accept the terms that were just shown.

        Returns:
            Whether the player accepts the terms.
        """

    def admit(self, nickname: str, key: str | None) -> Awaitable[bool]:
        """Ask the player whether a guest may sit down.

        Args:
            nickname: The nickname of the guest.
            key: The fingerprint of the guest's long-lived key. None if the guest shows no key.

        Returns:
            Whether the guest may sit down.
        """

    def listens(self, is_asked: bool) -> bool:
        """Return whether `listen` has to run for this screen.

        Args:
            is_asked: Whether the player may be asked something.

        Returns:
            True if `listen` has to run.
        """

    def listen(self) -> Awaitable[None]:
        """Read what is typed until the input ends.

        Returns:
            An awaitable that ends with the input.
        """

    def end(self, outcome: Outcome) -> None:
        """Show how the table has ended, after all updates.

        Args:
            outcome: The outcome of the table.
        """

    def run(self, main: Callable[..., Awaitable[T]], *args: Any) -> T:
        """Run a function to its end, and show this screen meanwhile.

        Args:
            main: The function to run, for example the function that plays at a table.
            args: The arguments of `main`.

        Returns:
            The result of `main`.
        """


@dataclass(frozen=True)
class ScreenOptions:
    """The options of a screen.

    Attributes:
        leave: Called with the reason when the player leaves.
        as_json: Whether a program plays, by JSON lines.
        plain: Whether lines are wanted instead of the full screen. The commands that the screen
            shows then contain `--plain`.
        auto: Whether a bot plays the seat.
        looks_on: Whether the screen is an onlooker's, who is never asked anything.
        again: Whether another game may follow. A program that plays is then asked for another game,
            and a program that looks on is told of the end of each game.
        bell: Whether a full screen may ring the terminal's bell.
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
