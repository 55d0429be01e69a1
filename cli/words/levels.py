"""How well bots play, in words."""

from __future__ import annotations

from typing import Final

from .lingo import N_, _

WORDS: Final = {"easy": N_("easy"), "normal": N_("normal"), "hard": N_("hard")}


def level_word(level: str) -> str:
    """A level in the player's language."""
    return _(WORDS[level])


def level_meant(word: str) -> str | None:
    """The level meant by a word, or by how it begins, in English or the player's language."""
    from p2p_hoity.bots import LEVELS

    word = word.strip().lower()
    told = (level for level in LEVELS if word and _begins(word, level))
    return next(told, None)


def _begins(word: str, level: str) -> bool:
    return level.startswith(word) or level_word(level).lower().startswith(word)
