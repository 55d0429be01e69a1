"""What is read of a TOML text before and beside the parser, in time linear in its length.

The module `tomllib` takes time and memory that grow with the square of the number of parts of a
dotted key. So the parts are counted before it reads a foreign text.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

MOST_PARTS: Final = 4
"""The most parts of a key or of the name of a table. The longest in an edition has three."""

# Every quantifier is possessive, and what is never closed takes the rest of its line or of the
# text. So no character is read twice, although a text may be made to have a pattern try again. An
# unclosed string is an error, behind which the parser reads nothing either.
_STRING_OR_COMMENT: Final = re.compile(
    r'"""(?:[^"\\]++|\\[\s\S]|"(?!""))*+(?:"""|\\?\Z)'
    r"|'''(?:[^']++|'(?!''))*+(?:'''|\Z)"
    r'|"(?:[^"\\\n]++|\\[^\n])*+(?:"|\\?(?=\n)|\\?\Z)'
    r"|'[^'\n]*+(?:'|(?=\n)|\Z)"
    r"|#[^\n]*+"
)
_WORD: Final = re.compile(r"[A-Za-z_-]+")
_NOT_NEWLINE: Final = re.compile(r"[^\n]")
_KEY: Final = re.compile(r"[\w\-. \t]++")
"""A run of all that a key may have once its strings are blank. A number is such a run, too."""


def without_strings(text: str) -> str:
    """Replace the strings and comments of a TOML text by spaces, but not a quoted key in a word.

    The text keeps its length and its lines.
    """
    return _STRING_OR_COMMENT.sub(_blank, text)


def _blank(match: re.Match[str]) -> str:
    """Blank out a string, but leave a quoted key that could stand without its quotes."""
    found = match.group()
    word = found[1:-1]
    return f" {word} " if _WORD.fullmatch(word) else _NOT_NEWLINE.sub(" ", found)


def long_key(text: str) -> int | None:
    """Return the line, from 1, of the first key of more than `MOST_PARTS` parts, or None."""
    blank = without_strings(text)
    for run in _KEY.finditer(blank):
        if run.group().count(".") >= MOST_PARTS:
            return blank.count("\n", 0, run.start()) + 1
    return None


_MARKED_UP: Final = {"{\\rtf": "RTF", "<": "HTML or XML"}
"""What texts of other forms begin with. No TOML text begins so."""
_AT_LINE: Final = re.compile(r"\(at line (\d+), column \d+\)\Z")
"""The place in a message of the module `tomllib`."""


def marked_up(text: str) -> str | None:
    """Return the name of the form in which a text with marks was saved, None for plain text."""
    start = text.lstrip()[:5].lower()
    return next((form for mark, form in _MARKED_UP.items() if start.startswith(mark)), None)


def typographic(text: str, error: str) -> tuple[int, str] | None:
    """Look for a quotation mark, dash or space that word processors write for one of ASCII.

    Args:
        text: The text, which is no valid TOML.
        error: The message of the parser. It names the line if such a mark should end a string.

    Returns:
        The line, from 1, and the character. None if there is none.
    """
    whole = list(enumerate(text.split("\n"), 1))
    place = _AT_LINE.search(error)
    number = int(place[1]) if place is not None else len(whole)  # or at the end of the text
    lines = [*enumerate(without_strings(text).split("\n"), 1), *whole[number - 1 : number]]
    found = ((line, sign) for line, words in lines for sign in words if _is_typographic(sign))
    return next(found, None)


def _is_typographic(sign: str) -> bool:
    return not sign.isascii() and unicodedata.category(sign)[0] in "ZPSC"
