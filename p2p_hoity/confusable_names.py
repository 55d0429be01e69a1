"""The detection of misleading names: look-alikes of other names, and too many combining marks.

Two names are twins if their skeletons are equal (a word of Unicode's TR 39). A skeleton has no
case, accents, spaces or compatibility forms. A letter of another script that is drawn like a Latin
letter is replaced by the Latin letter. A small table lists such letters. A peer compares the names
when it sits down at a table. The verifier of transcripts does not compare names.

A terminal draws each combining mark over the character before it, so many marks cover the lines
above and below. Two marks are enough for the letters of nearly all languages once they are
composed. (Unicode's stream-safe form, UAX #15, allows 30. This limits buffers and does not keep
text legible.)
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
    """Return a table from the code point of each look-alike character to the letter it is like."""
    text = files(__package__).joinpath("drawn_alike.txt").read_text("utf-8")
    rows = (line.split() for line in text.splitlines() if not line.startswith("#"))
    return {ord(twin): letter for letter, twins in rows for twin in twins}


def _bare(name: str) -> str:
    """Return a name without compatibility forms, accents, marks and spaces."""
    open_form = unicodedata.normalize("NFKD", name)
    return "".join(c for c in open_form if unicodedata.category(c)[0] not in "MZC")


def skeleton(name: str) -> str:
    """Return the skeleton of a name, which is equal for names that are hard to tell apart."""
    # Before the case is folded: a capital can look like another letter than its small form.
    drawn = _bare(name).translate(_put_as()).casefold()
    # Pairs of letters that are drawn like one letter.
    return drawn.replace("rn", "m").replace("vv", "w")


def twins(one: str, other: str) -> bool:
    """Return whether people could confuse two names, as written or in lower case ([H-11])."""
    # Both forms: some letters look alike only as capitals, others only as small ones.
    pairs = ((one, other), (one.casefold(), other.casefold()))
    return any(skeleton(a) == skeleton(b) for a, b in pairs)


def twins_among(names: Sequence[str]) -> tuple[str, str] | None:
    """Return the first two names that people could confuse, None if there are none."""
    return next((pair for pair in combinations(names, 2) if twins(*pair)), None)


MOST_MARKS: Final = 2
"""The most combining marks in a row that are shown."""
MARKS: Final = frozenset({"Mn", "Me"})
"""The Unicode categories of marks without a width of their own."""
UNKNOWN: Final = "Cn"
"""The Unicode category of unknown characters. A newer terminal may know one as a mark."""
FIRST_PICTURE: Final = "\U0001f000"
"""The first code point of pictures and ideographs, which are no marks even if unknown."""


def is_mark(letter: str) -> bool:
    """Return whether a character is, or may be, a mark that is drawn over the one before it."""
    category = unicodedata.category(letter)
    return category in MARKS or (category == UNKNOWN and letter < FIRST_PICTURE)


def surplus(text: str) -> list[bool]:
    """Return for each character whether it is a mark beyond MOST_MARKS in a row."""
    found, marks = list[bool](), 0
    for letter in text:
        marks = marks + 1 if is_mark(letter) else 0
        found.append(marks > MOST_MARKS)
    return found


def thinned(text: str) -> str:
    """Return a text with at most MOST_MARKS combining marks in a row, without the others."""
    if text.isascii():
        return text
    kept = zip(text, surplus(text), strict=True)
    return "".join(letter for letter, is_surplus in kept if not is_surplus)


def is_stacked(name: str) -> bool:
    """Return whether a name has too many marks on a character, or begins with a mark."""
    return any(surplus(name)) or is_mark(name[:1] or " ")
