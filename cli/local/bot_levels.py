"""How well bots play: as a command says, as the player has chosen once, as a bot is told."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from p2p_hoity.bots import DEFAULT_LEVEL, LEVELS, STAND_IN
from p2p_hoity.storage.home import Home

from ..printing import say
from ..trouble import USAGE, Trouble
from ..words.levels import level_meant, level_word
from ..words.lingo import _
from . import settings
from .questions import answer

LEVEL: Final = "HOITY_BOT"
"""In the environment of a bot: its level."""
LEVEL_FILE: Final = "level"
"""In its home, for when it is woken again."""
LEARN: Final = "learn"
"""Typed in place of a level: the command that explains a first round."""
USUAL: Final = 3
"""Bots of a game for which no number is given."""


def levels_of(word: str | None, kept: str, most: int, least: int = 1) -> tuple[str, ...]:
    """A level for each bot: `word` is their number, or a level for each with commas between.

    Bots that are only counted are of the level that is `kept`. Trouble for anything else.
    """
    words = (word or str(USUAL)).replace(" ", "").lower().split(",")
    if len(words) == 1 and words[0].isdecimal():
        found = [kept] * min(int(words[0][-9:]) + 10 * (len(words[0]) > 9), most + 1)
    else:
        found = [level for level in map(level_meant, words) if level is not None]
        if len(found) < len(words):
            text = _("--bots takes their number, or a level for each: {levels}; not {word}.")
            levels = ",".join(LEVELS)
            raise Trouble(text.format(levels=levels, word=repr(word)), USAGE)
    if not least <= len(found) <= most:
        text = _("--bots takes {least} to {most} of them.")
        raise Trouble(text.format(least=least, most=most), USAGE)
    return tuple(found)


def kept_level(home: Home) -> str:
    """The level the player has chosen once."""
    return settings.load(home).bots or DEFAULT_LEVEL


def ask_level(home: Home, lesson: Callable[[], None]) -> str:
    """Return the level that the player has chosen. At the first game it is asked for, and kept.

    Args:
        home: Where it is kept.
        lesson: Explains a first round. It is called when the player types `LEARN`.
    """
    chosen = settings.load(home)
    if chosen.bots is not None:
        return chosen.bots
    offered = ", ".join(level_word(level) for level in LEVELS)
    usual = level_word(DEFAULT_LEVEL)
    question = _("Bots: {levels}? Enter for {usual}, or learn for a lesson first: ")
    level = None
    while level is None:
        word = answer(question.format(levels=offered, usual=usual)) or DEFAULT_LEVEL
        if word.strip().lower() == LEARN:
            lesson()
            continue
        level = level_meant(word)
        if level is None:
            text = _("Type one of {levels} for all bots; --bots gives each its own.")
            say(text.format(levels=offered))
    settings.keep(home, replace(chosen, bots=level))
    say(_("This level is kept for later games; --bots changes it for one game."))
    return level


def level_of(bot: Path) -> str:
    """The level that was written down in this bot's home; the usual one if none can be read."""
    try:
        level = (bot / LEVEL_FILE).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return DEFAULT_LEVEL
    return level if level in LEVELS else DEFAULT_LEVEL


def own_level() -> str:
    """Of the bot that plays the seat of this process: what its crew gave it, else the best."""
    level = os.environ.get(LEVEL, "")
    return level if level in LEVELS else STAND_IN
