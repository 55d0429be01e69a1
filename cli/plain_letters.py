"""Signs that an output cannot show, such as `→` in ASCII, written with the letters that it has.

This is an error handler for encoding text. Otherwise each such sign would be a question mark.
"""

from __future__ import annotations

import codecs
import unicodedata
from typing import Final

NAME: Final = "hoity-plain-letters"
"""The name of the error handler."""
SIGNS: Final = (
    dict.fromkeys("·–—−─‐‑", "-")
    | dict.fromkeys("“”„«", '"')
    | dict.fromkeys("‘’‚`´", "'")
    | dict.fromkeys("»›►▸▶", ">")
    | dict.fromkeys("¿¡", "")
    | {"…": "...", "→": "->", "←": "<-", "↑": "^", "↓": "v", "×": "x", "≤": "<=", "≥": ">="}
    | dict(zip("▁▂▃▄▅▆▇█", "_.,-=+*#", strict=True))  # The path of a figure.
    | {"✓": "+", "✗": "x", "①": "(1)", "②": "(2)", "\u00a0": " ", "µ": "u"}
    | {"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss", "ẞ": "SS"}
)
"""The letters for a sign of the program's own texts."""
UNKNOWN: Final = "?"


def register() -> None:
    """Register the error handler, so that streams can use it by its name."""
    codecs.register_error(NAME, _replaced)


def _replaced(error: UnicodeError) -> tuple[str, int]:
    """Return what is written in place of the characters that cannot be encoded, and their end."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    signs = error.object[error.start : error.end]
    return "".join(_plain(sign, error.encoding) for sign in signs), error.end


def _plain(sign: str, encoding: str) -> str:
    """Return letters for a sign, or without its accent, or a question mark."""
    bare = "".join(c for c in unicodedata.normalize("NFKD", sign) if not unicodedata.combining(c))
    for letters in (SIGNS.get(sign), bare):
        if letters is not None and _is_written(letters, encoding):
            return letters
    return UNKNOWN


def _is_written(letters: str, encoding: str) -> bool:
    """Return whether an encoding has all these letters."""
    try:
        letters.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True
