"""The interface of a player (a person at a screen or a bot), and the questions to the player."""

from __future__ import annotations

import math
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Protocol

import trio

from protocol import SeatMachine
from protocol.game_interface import IllegalMove
from protocol.units import Seconds

from ... import bots, rules
from ...presentation import screen_updates as updates
from ...presentation.screen_updates import Screen
from ..task_groups import never
from .player_requests import PlayerRequest


class Player(Protocol):
    """The source of one seat's choices and requests.

    A call is cancelled when its answer is no longer needed.
    """

    async def choose(self, view: rules.View, kind: rules.Kind, again: bool) -> rules.Choice:
        """Return the player's choice. An illegal one is refused and asked for again.

        Args:
            view: The game as this seat may see it.
            kind: The kind of choice that is asked for.
            again: Whether an earlier choice, which others may have seen, no longer counts.

        Returns:
            The choice.
        """

    async def returning(self) -> None:
        """Wait until the player, whose seat has become absent, wants to play again."""

    async def next_request(self) -> PlayerRequest:
        """Wait for the next request of the player, perhaps for ever.

        Returns:
            The request.
        """

    async def again(self) -> bool:
        """Return whether the player wants another game with the same people.

        This is asked once, after the end of a game.

        Returns:
            True if it does.
        """


PAUSE: Final[Seconds] = 0.02
"""Seconds after which a bot answers a program. They are constant, and so reveal nothing."""
Pause = Callable[[rules.View, rules.Kind, random.Random], Seconds]
"""Returns how long a bot waits before a choice. It must reveal nothing of what the seat hides."""


def no_longer(view: rules.View, kind: rules.Kind, rng: random.Random) -> Seconds:
    """Return the pause where only programs play: `PAUSE`."""
    return PAUSE


class BotPlayer:
    """A bot as the player of a seat. It always comes back after an absence."""

    def __init__(
        self,
        level: str = bots.STAND_IN,
        rng: random.Random | None = None,
        pause: Pause = no_longer,
    ) -> None:
        """Make a player for one of `bots.BOTS`. Without `rng` the system's randomness is used."""
        self._bot, self._pause = bots.BOTS[level], pause
        # Others could compute the bot's choices from a generator whose state can be guessed.
        self._rng = rng or random.SystemRandom()

    async def choose(self, view: rules.View, kind: rules.Kind, again: bool) -> rules.Choice:
        """Return the bot's choice, which is made from this seat's view alone."""
        # The pause includes the computation, whose length would tell others about the hand.
        due = trio.current_time() + self._pause(view, kind, self._rng)
        choice = self._bot(view, rules.expected(view.state), self._rng)
        await trio.sleep_until(due)
        return choice

    async def returning(self) -> None:
        """Return at once, because a bot whose seat is absent always wants to rejoin."""

    async def next_request(self) -> PlayerRequest:
        """Wait for ever, because a bot requests nothing."""
        await never()

    async def again(self) -> bool:
        """Agree to another game."""
        return True


FRESH: Final[Seconds] = 60.0
"""Seconds after sitting down in which a player of an absent seat rejoins without being asked."""


@dataclass(eq=False, repr=False)
class PlayerQuestions:
    """The questions to the player of one seat: for a choice, or whether an absent one is back.

    Only one is asked at a time, and none if the player is None.

    Attributes:
        _now: Returns the time on the state machine's clock, in seconds.
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
        """Treat the player as present for FRESH seconds, since it has just sat down."""
        self._there_until = self._now() + FRESH

    def ask(self, kind: str, again: bool) -> None:
        """Ask for a choice as `Player.choose` does. An earlier question is cancelled."""
        if self._player is not None:
            self._begin(partial(self._choose, self._player, kind, again), True)

    def ask_to_return(self, may_rejoin: bool) -> None:
        """Cancel other questions. If the absent seat may rejoin, ask whether the player is back."""
        self.close()
        if self._player is not None and may_rejoin:
            self._begin(partial(self._come_back, self._player), False)

    def stop(self) -> None:
        """Cancel a question for a choice, because the choice is no longer needed."""
        # The question whether the player is back holds in every epoch, so it stays.
        if self._is_choice:
            self._scope.cancel()

    def close(self) -> None:
        """Cancel the current question, whatever its kind."""
        self._scope.cancel()

    async def run(self) -> None:
        """Ask each question that comes up, until cancelled."""
        while True:
            await self._is_asked.wait()
            # Renewed before the question is asked, so that one that comes meanwhile is not missed.
            self._is_asked = trio.Event()
            # A question may replace this one while it is asked, and then has a scope of its own.
            scope, question = self._scope, self._question
            with scope:
                if question is not None and not scope.cancel_called:
                    await question()

    async def wait_for_answer(self) -> None:
        """Wait until the seat's state machine has taken an answer of the player."""
        await self._is_answered.wait()
        self._is_answered = trio.Event()

    def _begin(self, question: Callable[[], Awaitable[None]], is_choice: bool) -> None:
        """Have `run` ask a new question instead of the current one, which is cancelled."""
        self._scope.cancel()
        self._scope, self._question, self._is_choice = trio.CancelScope(), question, is_choice
        self._is_asked.set()

    async def _come_back(self, player: Player) -> None:
        """Wait until the player is back, then request that the player's seat rejoins.

        Do not wait in the first call if the player sat down less than `FRESH` seconds ago.
        """
        # Only once: after a second absence nobody knows whether the player is still there.
        is_there, self._there_until = self._now() < self._there_until, -math.inf
        if not is_there:
            await player.returning()
        self._machine.ask_rejoin(self._now())
        self._is_answered.set()

    async def _choose(self, player: Player, kind: str, again: bool) -> None:
        """Ask for choices until the seat's state machine accepts one, or needs none any more."""
        while self._machine.must_choose:
            view = self._view()
            self._screen(updates.Choosing(view, kind, again))
            # The state machine passes the kind on as text.
            choice = await player.choose(view, kind, again)  # type: ignore[arg-type]
            # The step may have timed out while the player thought.
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
