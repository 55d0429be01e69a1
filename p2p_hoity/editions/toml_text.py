"""What is read of a TOML text before and beside the parser, in time linear in its length.

The module `tomllib` takes time and memory that grow with the square of the number of parts of a
dotted key. So the parts are counted before it reads a foreign text.
"""

from __future__ import annotations

import re
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

    Args:
        text: The text.

    Returns:
        The text, of the same length and lines.
    """
    return _STRING_OR_COMMENT.sub(_blank, text)


def _blank(match: re.Match[str]) -> str:
    found = match.group()
    word = found[1:-1]
    return f" {word} " if _WORD.fullmatch(word) else _NOT_NEWLINE.sub(" ", found)


def long_key(text: str) -> int | None:
    """Look for a key of more than `MOST_PARTS` parts.

    Args:
        text: The TOML text, which may be malformed.

    Returns:
        The line of the first such key, from 1. None if there is none.
    """
    blank = without_strings(text)
    for run in _KEY.finditer(blank):
        if run.group().count(".") >= MOST_PARTS:
            return blank.count("\n", 0, run.start()) + 1
    return None
