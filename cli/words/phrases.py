"""Fixed phrases of the table talk: said by number, read in each reader's own language."""

from __future__ import annotations

from typing import Final

from .lingo import N_, _

PHRASES: Final = (
    N_("Hello!"),
    N_("Well played."),
    N_("A moment, please."),
)


def phrase(number: int) -> str:
    """The phrase of this number, from 0; a question mark for one that this program lacks."""
    return _(PHRASES[number]) if 0 <= number < len(PHRASES) else "?"
