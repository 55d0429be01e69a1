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
    """Return the words of a chat message.

    Args:
        words: The text, or the number of a phrase, from 0.

    Returns:
        The text, or the phrase in the chosen language.
    """
    return words if isinstance(words, str) else _(PHRASES[words])


def meant(words: str) -> str | int:
    """Return the chat message that typed words stand for.

    Args:
        words: The words, or the number of a phrase, from 1.

    Returns:
        The words, or the index of the phrase, from 0.
    """
    is_number = words.isascii() and words.isdigit() and 1 <= int(words[:4]) <= len(PHRASES)
    return int(words) - 1 if is_number else words


def listed() -> list[str]:
    """Return the list of the phrases with the numbers that are typed for them, from 1."""
    return [f"  {number} {_(phrase)}" for number, phrase in enumerate(PHRASES, 1)]


MARK: Final = "» "
HANGING: Final = "  "


def quoted(who: str, words: str, columns: int | None) -> list[str]:
    """Return a chat message as lines that all begin with a mark.

    The mark keeps anybody from writing a chat message that looks like lines of the game.

    Args:
        who: The author.
        columns: The greatest width of a line. None for no limit.
    """
    told = f"{who}: {thinned(words)}"
    if columns is None:
        return [MARK + told]
    room = columns - len(MARK) - len(HANGING)
    first, *rest = broken(told, room, "", partial(cells, wide="WFA"))
    return [MARK + first, *(MARK + HANGING + part for part in rest)]
