"""How the bots of this computer behave towards people: they take their time, and talk a little.

Where a program has started them, they answer at once and say nothing.
"""

from __future__ import annotations

import math
import os
import random
from contextlib import suppress
from enum import StrEnum
from typing import Final

from p2p_hoity import rules
from p2p_hoity.presentation.screen_updates import Started, Update
from p2p_hoity.table.playing.player_interface import BotPlayer
from p2p_hoity.table.playing.player_requests import Talk
from protocol.units import Seconds

AUDIENCE: Final = "HOITY_BOT_AUDIENCE"
"""The environment variable that gives a bot its `Audience`."""
PART: Final = 0.2
"""The longest pause as a part of the time that a choice may take."""


class Audience(StrEnum):
    """Who has started the bots: a program, a person, or a person who wants no talk."""

    PROGRAM = "program"
    PERSON = "person"
    QUIET = "quiet"


def own_audience() -> Audience:
    """Return the audience of this process's bot by the environment, or else a program's."""
    with suppress(ValueError):
        return Audience(os.environ.get(AUDIENCE, ""))
    return Audience.PROGRAM


class BotManners:
    """The pauses and the phrases of the bot of this process."""

    def __init__(self, audience: Audience) -> None:
        self._audience, self._longest = audience, math.inf
        self._remarks = None
        if audience is Audience.PERSON:
            from p2p_hoity.table.beside_game.bot_remarks import Remarks

            self._remarks = Remarks(random.SystemRandom())

    def bot(self, level: str) -> BotPlayer:
        """Return a bot that pauses for people, and not for a program."""
        if self._audience is Audience.PROGRAM:
            return BotPlayer(level)
        return BotPlayer(level, pause=self._pause)

    def _pause(self, view: rules.View, kind: rules.Kind, rng: random.Random) -> Seconds:
        from p2p_hoity.bots.pauses import pause

        return min(pause(view, kind, rng), self._longest)

    def hear(self, update: Update) -> Talk | None:
        """Hear an update of the bot's seat, and return what the bot says now, None for nothing."""
        if isinstance(update, Started):
            self._longest = PART * update.table.header.terms.timeouts.choice / 1000
        phrase = self._remarks.hear(update) if self._remarks is not None else None
        return None if phrase is None else Talk(int(phrase))
