"""Whoever plays one seat now: the person at a window, a bot in the person's place, or nobody.

The peer asks a `PersonSeat`, and the `PersonSeat` asks its window or the bot. If the seat changes
hands during a question, or the window is replaced, the question is asked anew.
"""

from __future__ import annotations

import contextlib
import math
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any, Final, TypeVar

import trio

from p2p_hoity import rules
from p2p_hoity.game_adapter import table_name
from p2p_hoity.presentation.screen_updates import Clock, Started, Update
from p2p_hoity.presentation.window_messages import Part
from p2p_hoity.table.beside_game.rematch import ANSWER
from p2p_hoity.table.playing.player_interface import BotPlayer, Player
from p2p_hoity.table.playing.player_requests import PlayerRequest
from p2p_hoity.table.playing.session import Outcome
from protocol.units import Seconds

from .. import printing
from ..words.card_names import Names
from ..words.choice_names import forced
from ..words.table_terms import TableOffer
from ..words.translation import N_
from .screen_options import MOST_REQUESTS, Box, ScreenOptions

T = TypeVar("T")
PAUSE: Final[Seconds] = 2.0
"""The time that a bot on a person's seat waits before each choice, in seconds."""
NO_OTHER: Final = N_("You have no other choice:")
ANOTHER: Final = N_("Another game with the same people?")


def pause(now: Clock | None) -> Seconds:
    """Return how long a bot on a person's seat waits. 0 if little time is left on the clock."""
    return 0.0 if now is not None and now.left < 5 * PAUSE else PAUSE


class Window(ABC):
    """What shows a game to whoever plays or looks on, and asks them: a terminal, or a program.

    Attributes:
        seat: Who plays the seat.
    """

    def __init__(self, seat: PersonSeat) -> None:
        self.seat = seat

    # What is shown

    @abstractmethod
    def tell(self, update: Update) -> None:
        """Show an update.

        Args:
            update: The update.
        """

    @abstractmethod
    def show_ticket(self, ticket: str, offer: TableOffer) -> None:
        """Show the ticket and the terms of a table that was just opened.

        Args:
            ticket: The ticket.
            offer: The table with its terms.
        """

    @abstractmethod
    def show_terms(self, offer: TableOffer) -> None:
        """Show the terms of a table before the seat is taken.

        Args:
            offer: The table with its terms.
        """

    def end(self, outcome: Outcome) -> Sequence[str]:
        """Tell how the table has ended, as far as no update has told it.

        Args:
            outcome: The outcome of the table.

        Returns:
            The lines to print on the terminal once the window has closed.
        """
        return ()

    # What is asked

    @abstractmethod
    async def choose(self, view: rules.View, kind: rules.Kind, again: bool) -> rules.Choice:
        """Ask for a choice.

        Args:
            view: What the seat may know of the game.
            kind: The kind of choice, by the word of the rules for it.
            again: Whether an earlier choice, which others may have seen, no longer counts.

        Returns:
            The choice.
        """

    @abstractmethod
    async def agree(self) -> bool:
        """Ask whether to accept the terms that were just shown.

        Returns:
            Whether they are accepted.
        """

    @abstractmethod
    async def admit(self, nickname: str, key: str | None) -> bool:
        """Ask whether a guest may sit down.

        Args:
            nickname: The nickname of the guest.
            key: The fingerprint of the guest's long-lived key. None if the guest shows no key.

        Returns:
            Whether the guest may sit down.
        """

    @abstractmethod
    async def again(self, seconds: Seconds) -> bool:
        """Ask whether to play another game.

        Args:
            seconds: The time that is left for the answer, after which the peer stops waiting.
                Infinite if no time runs.

        Returns:
            Whether to play it.
        """

    def takes_only(self, view: rules.View, kind: rules.Kind, choice: rules.Choice) -> bool:
        """Show that a choice is made without a question, because no other one is legal.

        Args:
            view: What the seat may know of the game.
            kind: The kind of choice, by the word of the rules for it.
            choice: The only legal choice.

        Returns:
            False if the question is asked all the same, as a program is asked.
        """
        return False

    async def returning(self) -> None:
        """Return once whoever plays here is back after an absence. A program is always there."""
        await trio.lowlevel.checkpoint()

    def pause(self) -> Seconds:
        """Return how long the bot waits before a choice, so that a person can follow.

        Returns:
            The seconds.
        """
        return 0.0

    # How it runs

    def listener(self, is_asked: bool) -> Callable[[], Awaitable[None]] | None:
        """Return the function that reads what is typed until the input ends.

        Args:
            is_asked: Whether the player may be asked something.

        Returns:
            The function. None if nothing has to be read.
        """
        return None

    def run(self, main: Callable[..., Awaitable[T]], *args: Any) -> T:
        """Run a function to its end, and show this window meanwhile.

        Args:
            main: The function, for example the one that plays at a table.
            args: The arguments of `main`.

        Returns:
            The result of `main`.
        """
        return trio.run(main, *args)


class PeopleWindow(Window):
    """A window for people, who are told more than a program, and can take a lesson."""

    @abstractmethod
    def say(self, words: str) -> None:
        """Show a message."""

    @abstractmethod
    def begin_lesson(self, names: Names) -> None:
        """Begin a lesson, which has no table."""

    @abstractmethod
    async def explain(self, words: str, points: tuple[Part, ...] = ()) -> None:
        """Show an explanation, and return when the lesson may go on.

        Args:
            points: The parts of the table that it explains.
        """


class PersonSeat:
    """The player of one seat (see `Player`), and the window at which it is shown.

    Attributes:
        by_bot: Whether the person is asked for no choice, because a bot plays or nobody sits here.
        is_among_own_bots: Whether all other seats are bots of this computer. Then the person may
            ask for hints, and has no time limit for another game.
        table_name: The id of the game. "" before it has begun.
        open: The choice that is asked for now, with what the seat may know. None if there is none.
    """

    def __init__(
        self, how: ScreenOptions, window: Callable[[PersonSeat], Window], bot: Player | None = None
    ) -> None:
        self.how = how
        self.by_bot = how.auto or how.looks_on
        self.is_among_own_bots = False
        self.table_name = ""
        self.open: tuple[rules.View, rules.Kind] | None = None
        self._bot = bot or BotPlayer()
        self._requests = Box[PlayerRequest](MOST_REQUESTS)
        self._waits: set[trio.CancelScope] = set()
        # Last, because the window may use the attributes above.
        self.window = window(self)

    def tell(self, update: Update) -> None:
        """Show an update."""
        if isinstance(update, Started):
            self.table_name = table_name(update.table)
        self.window.tell(update)

    def say(self, words: str) -> None:
        """Show a message to a person. A program gets none."""
        if isinstance(self.window, PeopleWindow):
            self.window.say(words)

    def end(self, outcome: Outcome) -> None:
        """Show how the table has ended, after all updates."""
        printing.say(*self.window.end(outcome))

    # What the window does

    def request(self, request: PlayerRequest) -> bool:
        """Make a request that nobody asked for. Return False if too many wait already."""
        return self._requests.put(request)

    def hand_over(self, to_bot: bool) -> None:
        """Give the seat to the bot, or take it back. Call this inside the trio run."""
        # Before open questions are cancelled, since this decides who is asked them anew.
        self.by_bot = to_bot
        self._turn()

    def move_to(self, window: Window) -> None:
        """Go on at another window. Call this inside the trio run."""
        self.window = window
        self._turn()

    def leave(self, reason: str) -> None:
        """Leave the table. The reason is a translated phrase."""
        self.how.leave(reason)

    # What the peer asks

    async def choose(self, view: rules.View, kind: rules.Kind, again: bool) -> rules.Choice:
        """Ask whoever plays the seat for a choice. If `again`, a person is asked in any case."""
        only = None if again else forced(view, kind)
        if only is not None and (self.by_bot or self.window.takes_only(view, kind, only)):
            return only
        self.open = asked = view, kind
        try:
            while True:
                if self.by_bot:
                    with self._until_turned(self.window.pause()):
                        await trio.sleep_forever()
                if self.by_bot:
                    # Checked again, because the person may have taken the seat back during the
                    # pause.
                    return await self._bot.choose(view, kind, again)
                with self._until_turned():
                    return await self.window.choose(view, kind, again)
        finally:
            if self.open is asked:  # The next question may be open already.
                self.open = None

    async def agree(self) -> bool:
        """Ask the person to accept the terms that were just shown. A bot accepts them."""
        return await self._asked(lambda window: window.agree(), True)

    async def admit(self, nickname: str, key: str | None) -> bool:
        """Ask the person, also while a bot plays, whether a guest may sit down."""
        return await self._asked(lambda window: window.admit(nickname, key))

    async def again(self) -> bool:
        """Ask the person for another game with the same people."""
        if self.how.auto and not self.how.again:
            return True
        # A fixed end: a question that is asked anew gets only the time that is left.
        last = trio.current_time() + (math.inf if self.is_among_own_bots else ANSWER)
        return await self._asked(lambda window: window.again(last - trio.current_time()), True)

    def begin_lesson(self, names: Names) -> None:
        """Begin a lesson, which has no table."""
        if isinstance(self.window, PeopleWindow):
            self.window.begin_lesson(names)

    async def explain(self, words: str, points: tuple[Part, ...] = ()) -> None:
        """Show an explanation of a lesson, and wait until the lesson may go on."""

        async def explained(window: Window) -> bool:
            if isinstance(window, PeopleWindow):
                await window.explain(words, points)
            return True

        await self._asked(explained)

    async def _asked(
        self, ask: Callable[[Window], Awaitable[bool]], by_bot: bool | None = None
    ) -> bool:
        """Ask a question at the window, and again whenever somebody else takes over meanwhile.

        If a bot takes over, the answer is `by_bot`. If that is None, the person is asked all the
        same.
        """
        while True:
            with self._until_turned():
                return await ask(self.window)
            if by_bot is not None and self.by_bot:
                return by_bot

    async def returning(self) -> None:
        """Wait until the person of an absent seat is back. If a bot plays, return at once."""
        while not self.by_bot:
            with self._until_turned():
                await self.window.returning()
                return

    async def next_request(self) -> PlayerRequest:
        """Wait for what the player wants unasked, such as more time or a chat message."""
        return await self._requests.next()

    @contextlib.contextmanager
    def _until_turned(self, seconds: Seconds = math.inf) -> Iterator[None]:
        """Cancel the body of the `with` when the seat changes hands or window, or after a time."""
        with trio.move_on_after(seconds) as wait:
            self._waits.add(wait)
            try:
                yield
            finally:
                self._waits.remove(wait)

    def _turn(self) -> None:
        """Cancel all open questions, so that whoever plays the seat from now on is asked."""
        for wait in self._waits:
            wait.cancel()
