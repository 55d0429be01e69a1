"""Combining marks: how many of them may stand on one character of what other people wrote.

A terminal draws each mark over the one before, so a tower of them covers the lines above and below.
Two are enough for the letters of nearly all languages once they are composed. (Unicode's
stream-safe form, UAX #15, allows 30: a bound for buffers, not for what is read.)
"""

from __future__ import annotations

import unicodedata
from typing import Final

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
