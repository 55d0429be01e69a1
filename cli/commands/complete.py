"""Words that a shell completes: the games of this machine by their ids, and the words of codes.

Games by the names of the files alone: nothing is opened, and nothing heavy is loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from p2p_hoity.storage.home import Home

LAST = "last"
"""Stands for the newest game."""


def open_games(incomplete: str) -> list[str]:
    """Games that can be taken up again."""
    return _fitting(incomplete, lambda home: home.journals.glob("*.journal"))


def transcripts(incomplete: str) -> list[str]:
    """Games with a transcript; files are completed by the shell itself."""
    return _fitting(incomplete, lambda home: home.transcripts.glob("*.hoity"))


def codes(incomplete: str) -> list[str]:
    """The words of a code, each by its first letters."""
    from p2p_hoity.table.spoken_codes import MOST_WORDS, WORDS, beginning_with

    number, *words = incomplete.split("-")
    if not number.isdecimal() or not 0 < len(words) <= MOST_WORDS:
        return []
    before = "-".join((number, *words[:-1]))
    behind = "-" if len(words) < WORDS else ""
    return [f"{before}-{word}{behind}" for word in beginning_with(words[-1].lower())]


def _fitting(incomplete: str, files: Callable[[Home], Iterable[Path]]) -> list[str]:
    from p2p_hoity.storage.home import home

    names: set[str] = set()
    with suppress(OSError):
        names = {path.name.partition(".")[0] for path in files(home())}
    return sorted(name for name in (*names, LAST) if names and name.startswith(incomplete))
