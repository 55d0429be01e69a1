"""Words of an answer in every language: a plain yes or no."""

from __future__ import annotations

from typing import Final

YES: Final = frozenset({"y", "yes", "s", "si", "sí", "j", "ja"})
NO: Final = frozenset({"n", "no", "nein"})


def yes_or_no(line: str, silent: bool | None = True) -> bool | None:
    """The answer to a plain question in any of the languages; None if it is neither. `silent` is
    what a line without a word stands for."""
    word = line.strip().lower()
    if not word:
        return silent
    return word in YES if word in YES | NO else None
