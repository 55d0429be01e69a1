"""Who decides for a seat: a person at a screen, or a bot."""

from __future__ import annotations

import random
from typing import Protocol

from .. import bots, rules


class Player(Protocol):
    """Decides for one seat; it may be cancelled when its choice is no longer needed."""

    async def choose(self, view: rules.View, kind: rules.Kind, again: bool) -> rules.Choice:
        """A choice; an illegal one is refused and asked again."""

    async def returning(self) -> None:
        """Return when the player, declared absent, wants to play again."""

    async def waits_longer(self) -> bool:
        """True each time the player wants to wait longer for who is awaited; False for never."""


class BotPlayer:
    """A bot in the seat: it never hesitates and always comes back."""

    def __init__(self, style: str = "steady", rng: random.Random | None = None) -> None:
        """`style` is one of bots.BOTS."""
        self._bot = bots.BOTS[style]
        self._rng = rng or random.SystemRandom()

    async def choose(self, view: rules.View, kind: rules.Kind, again: bool) -> rules.Choice:
        """The bot's choice from this seat's view alone."""
        return self._bot(view, rules.expected(view.state), self._rng)

    async def returning(self) -> None:
        """At once."""

    async def waits_longer(self) -> bool:
        """Never."""
        return False
