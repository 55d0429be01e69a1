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
from p2p_hoity.table.playing.player_interface import BotPlayer, Talk
from protocol.units import Seconds

COMPANY: Final = "HOITY_BOT_COMPANY"
"""The environment variable that gives a bot its `Company`."""
PART: Final = 0.2
"""The longest pause as a part of the time that a choice may take."""


class Company(StrEnum):
    """Who has started the bots: a program, a person, or a person who wants no talk."""

    PROGRAM = "program"
    PERSON = "person"
    QUIET = "quiet"


def own_company() -> Company:
    """Return the company of this process's bot by the environment, or else a program's."""
    with suppress(ValueError):
        return Company(os.environ.get(COMPANY, ""))
    return Company.PROGRAM


class BotManners:
    """The pauses and the phrases of the bot of this process."""

    def __init__(self, company: Company) -> None:
        self._company, self._longest = company, math.inf
        self._remarks = None
        if company is Company.PERSON:
            from p2p_hoity.table.beside_game.bot_remarks import Remarks

            self._remarks = Remarks(random.SystemRandom())

    def bot(self, level: str) -> BotPlayer:
        """Return a bot that pauses for people, and not for a program."""
        if self._company is Company.PROGRAM:
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
