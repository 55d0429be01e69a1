"""The text of chat: ready-made phrases in each reader's language, and messages cut into lines.

Every line of a message begins with a mark, so that no line can look like a line of the game.
Therefore the lines are broken here, not by the terminal.
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
"""The phrases. The chat protocol sends an index into them, so their order must not change."""


def spoken(words: str | int) -> str:
    """Return the text of a chat message, or the phrase of this index in the chosen language."""
    return words if isinstance(words, str) else _(PHRASES[words])


def meant(words: str) -> str | int:
    """Return what was typed, or the index (from 0) of the phrase whose number (from 1) it is."""
    is_number = words.isascii() and words.isdigit() and 1 <= int(words[:4]) <= len(PHRASES)
    return int(words) - 1 if is_number else words


def listed() -> list[str]:
    """Return the phrases with the numbers that are typed for them, and how one is said."""
    lines = [f"  {number} {_(phrase)}" for number, phrase in enumerate(PHRASES, 1)]
    return [*lines, _("Say one by its number, as in: t 3")]


MARK: Final = "» "
HANGING: Final = "  "


def quoted(who: str, words: str, columns: int | None) -> list[str]:
    """Return a chat message as marked lines of at most so many columns, None for no limit."""
    told = f"{who}: {thinned(words)}"
    if columns is None:
        return [MARK + told]
    room = columns - len(MARK) - len(HANGING)
    # Letters of ambiguous width count as wide too: a terminal that broke a line would begin one
    # without a mark.
    first, *rest = broken(told, room, "", partial(cells, wide="WFA"))
    return [MARK + first, *(MARK + HANGING + part for part in rest)]
