"""The phrases that every player can say by a number, in the language of whoever reads them."""

from __future__ import annotations

from typing import Final

from .lingo import N_, _

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
"""Their number and order are those of `p2p_hoity.session.talk.PHRASES`: others know them by it."""


def spoken(words: str | int) -> str:
    """What was said: as it was typed, or the phrase of this number."""
    return words if isinstance(words, str) else _(PHRASES[words])


def listed() -> list[str]:
    """Each phrase with the number that is typed for it, from 1."""
    return [f"  {number} {_(phrase)}" for number, phrase in enumerate(PHRASES, 1)]
