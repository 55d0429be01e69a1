"""Phrases that everybody reads in their own language, and what somebody says, quoted.

Whoever speaks chooses the words, so no line of them may be taken for one of the game's: they are
broken here, before a terminal would go on at its left edge, and every part begins with the mark.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from p2p_hoity.confusable_names import thinned

from ..printing import broken, cells
from .translation import N_, _

PHRASES: Final = (
    N_("Hello, everybody."),
    N_("Well played."),
    N_("What a thief!"),
    N_("A fine exhibit."),
    N_("Good luck."),
    N_("A moment, please."),
    N_("Thank you."),
    N_("I am sorry."),
    N_("I did not see that coming."),
    N_("Your turn, take your time."),
    N_("I have to go soon."),
    N_("Good game. Goodbye."),
)
"""Their number and order are those of `p2p_hoity.table.chat.PHRASES`: others know them by it."""


def spoken(words: str | int) -> str:
    """Return what was said: as it was typed, or the phrase of this number."""
    return words if isinstance(words, str) else _(PHRASES[words])


def meant(words: str) -> str | int:
    """Return what typed words say: the index of the phrase whose number they are, or the words."""
    is_number = words.isascii() and words.isdigit() and 1 <= int(words[:4]) <= len(PHRASES)
    return int(words) - 1 if is_number else words


def listed() -> list[str]:
    """Return each phrase with the number that is typed for it, from 1."""
    return [f"  {number} {_(phrase)}" for number, phrase in enumerate(PHRASES, 1)]


MARK: Final = "» "
HANGING: Final = "  "


def quoted(who: str, words: str, columns: int | None) -> list[str]:
    """Return the lines of what somebody says, none wider than so many columns; None: there is no
    bound."""
    told = f"{who}: {thinned(words)}"
    if columns is None:
        return [MARK + told]
    room = columns - len(MARK) - len(HANGING)
    first, *rest = broken(told, room, "", partial(cells, wide="WFA"))
    return [MARK + first, *(MARK + HANGING + part for part in rest)]
