"""Who decides for a seat: a person at a screen, or a bot."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final, Protocol

import trio

from protocol.bounds import Seconds

from .. import bots, rules
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
