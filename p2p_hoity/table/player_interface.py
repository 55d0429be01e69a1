"""The player of a seat, a person at a screen or a bot, and the questions that it is asked."""

from __future__ import annotations

import math
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Protocol

import trio

from protocol import SeatMachine
from protocol.bounds import Seconds
from protocol.game_interface import IllegalMove

from .. import bots, rules
from ..presentation import screen_updates as updates
from ..presentation.screen_updates import Screen
from .task_groups import never


@dataclass(frozen=True)
class WaitLonger:
    """Who is awaited shall have longer."""


@dataclass(frozen=True)
class Talk:
    """Say this to the table: plain text, or the number of a phrase."""

    words: str | int


@dataclass(frozen=True)
class LeaveForNow:
    """Leave the table, tell the others so, and come back later."""


Wish = WaitLonger | Talk | LeaveForNow
"""What a player may want at any time, asked or not."""


class Player(Protocol):
    """Decides for one seat; it may be cancelled when its choice is no longer needed."""

    async def choose(self, view: rules.View, kind: rules.Kind, again: bool) -> rules.Choice:
        """A choice; an illegal one is refused and asked again."""

    async def returning(self) -> None:
        """Return when the player, declared absent, wants to play again."""

    async def wish(self) -> Wish:
        """What the player wants next; whoever never wants anything never returns."""

    async def again(self) -> bool:
        """Whether the player wants another game with the same people; asked once, at the end."""


PAUSE: Final[Seconds] = 0.02
"""Seconds after which a bot answers, easy or not: its time tells nothing of its cards."""


class BotPlayer:
    """A bot in the seat: it never hesitates and always comes back."""

    def __init__(self, level: str = bots.STAND_IN, rng: random.Random | None = None) -> None:
        """`level` is one of bots.BOTS."""
        self._bot = bots.BOTS[level]
        self._rng = rng or random.SystemRandom()

    async def choose(self, view: rules.View, kind: rules.Kind, again: bool) -> rules.Choice:
        """The bot's choice from this seat's view alone."""
        due = trio.current_time() + PAUSE
        choice = self._bot(view, rules.expected(view.state), self._rng)
        await trio.sleep_until(due)
        return choice

    async def returning(self) -> None:
        """At once."""

    async def wish(self) -> Wish:
        """Nothing, ever."""
        await never()

    async def again(self) -> bool:
        """Whenever all the people want it."""
        return True


FRESH: Final[Seconds] = 60.0
"""Seconds after sitting down for which a player is there for certain."""


@dataclass(eq=False, repr=False)
class PlayerQuestions:
    """Asks the player of one seat for choices, or whether it is there again, one at a time.

    Attributes:
        _machine: Takes the answers.
        _player: Is asked. Without one nobody is asked.
        _screen: Is told what is asked and answered.
        _view: Gives the game as this seat may see it.
        _now: The clock of the machine, in seconds.
    """

    _machine: SeatMachine
    _player: Player | None
    _screen: Screen
    _view: Callable[[], rules.View]
    _now: Callable[[], float]
    _question: Callable[[], Awaitable[None]] | None = None
    _scope: trio.CancelScope = field(default_factory=trio.CancelScope)
    _is_asked: trio.Event = field(default_factory=trio.Event)
    _is_answered: trio.Event = field(default_factory=trio.Event)
    _is_choice: bool = False

    def __post_init__(self) -> None:
        """Take the player to be there for a while: it has just sat down."""
        self._there_until = self._now() + FRESH

    def ask(self, kind: str, again: bool) -> None:
        """Ask for a choice, in place of what was asked before."""
        if self._player is not None:
            self._begin(partial(self._choose, self._player, kind, again), True)

    def call_back(self, may_rejoin: bool) -> None:
        """Ask whether the player of an absent seat is there again, if the seat may rejoin."""
        self.close()
        if self._player is not None and may_rejoin:
            self._begin(partial(self._come_back, self._player), False)

    def stop(self) -> None:
        """Cancel the question for a choice, which is no longer needed."""
        if self._is_choice:
            self._scope.cancel()

    def close(self) -> None:
        """Cancel whatever is asked."""
        self._scope.cancel()

    async def run(self) -> None:
        """Ask the questions as they come up."""
        while True:
            await self._is_asked.wait()
            self._is_asked = trio.Event()
            scope, question = self._scope, self._question
            with scope:
                if question is not None and not scope.cancel_called:
                    await question()

    async def answered(self) -> None:
        """Wait until the machine has taken an answer."""
        await self._is_answered.wait()
        self._is_answered = trio.Event()

    def _begin(self, question: Callable[[], Awaitable[None]], is_choice: bool) -> None:
        self._scope.cancel()
        self._scope, self._question, self._is_choice = trio.CancelScope(), question, is_choice
        self._is_asked.set()

    async def _come_back(self, player: Player) -> None:
        """Rejoin. A player who has just sat down is there and is not asked, once."""
        is_there, self._there_until = self._now() < self._there_until, -math.inf
        if not is_there:
            await player.returning()
        self._machine.ask_rejoin(self._now())
        self._is_answered.set()

    async def _choose(self, player: Player, kind: str, again: bool) -> None:
        while self._machine.must_choose:
            view = self._view()
            self._screen(updates.Choosing(view, kind, again))
            choice = await player.choose(view, kind, again)  # type: ignore[arg-type]
            if not self._machine.must_choose:
                return
            try:
                self._machine.choose(choice, self._now())
            except IllegalMove as error:
                self._screen(updates.ChoiceRefused(kind, error.code, error.fields))
                continue
            self._screen(updates.ChoiceTaken(kind, choice))
            self._is_answered.set()
            return
