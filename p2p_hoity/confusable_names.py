"""Names that mislead: look-alikes of other nicknames, and towers of combining marks.

Two names are twins if their skeletons are equal (the word is of Unicode's TR 39): no case, accents
or spaces, compatibility forms undone, and letters of other scripts that are drawn like a Latin one
put as that. The fold is small and made for names of 24 characters, not for all of Unicode: whoever
sits down judges for himself, and no verifier does.

A terminal draws each combining mark over the character before it, so a tower of marks covers the
lines above and below. Two marks are enough for the letters of nearly all languages once they are
composed. (Unicode's stream-safe form, UAX #15, allows 30, which bounds buffers and not legibility.)
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import combinations
from typing import Final


@cache
def _put_as() -> Mapping[int, str]:
    """Return the letter that stands for each character drawn like it."""
    text = files(__package__).joinpath("drawn_alike.txt").read_text("utf-8")
    rows = (line.split() for line in text.splitlines() if not line.startswith("#"))
    return {ord(twin): letter for letter, twins in rows for twin in twins}


def _bare(name: str) -> str:
    """Without compatibility forms, accents, marks and spaces."""
    open_form = unicodedata.normalize("NFKD", name)
    return "".join(c for c in open_form if unicodedata.category(c)[0] not in "MZC")


def skeleton(name: str) -> str:
    """What the name looks like: equal for names that are hard to tell apart."""
    drawn = _bare(name).translate(_put_as()).casefold()
    return drawn.replace("rn", "m").replace("vv", "w")


def twins(one: str, other: str) -> bool:
    """Whether people could take the one for the other, as written or in lower case ([H-11])."""
    pairs = ((one, other), (one.casefold(), other.casefold()))
    return any(skeleton(a) == skeleton(b) for a, b in pairs)


def twins_among(names: Sequence[str]) -> tuple[str, str] | None:
    """The first two of these names that are twins."""
    return next((pair for pair in combinations(names, 2) if twins(*pair)), None)


MOST_MARKS: Final = 2
"""Marks in a row that are shown."""
MARKS: Final = frozenset({"Mn", "Me"})
"""Categories of marks without a width of their own."""
UNKNOWN: Final = "Cn"
"""The category of what this Python's Unicode does not know. A newer terminal may know it as a mark,
but for the pictures and ideographs from here on."""
FIRST_PICTURE: Final = "\U0001f000"


def is_mark(letter: str) -> bool:
    """Return whether a character is drawn over the one before it, or may be."""
    category = unicodedata.category(letter)
    return category in MARKS or (category == UNKNOWN and letter < FIRST_PICTURE)


def surplus(text: str) -> list[bool]:
    """Return for each character of a text whether it is a mark too many."""
    found, marks = list[bool](), 0
    for letter in text:
        marks = marks + 1 if is_mark(letter) else 0
        found.append(marks > MOST_MARKS)
    return found


def thinned(text: str) -> str:
    """Return the text without the marks that are too many on one character."""
    if text.isascii():
        return text
    kept = zip(text, surplus(text), strict=True)
    return "".join(letter for letter, is_surplus in kept if not is_surplus)


def is_stacked(name: str) -> bool:
    """Return whether a name has too many marks on a character, or begins with one."""
    return any(surplus(name)) or is_mark(name[:1] or " ")
