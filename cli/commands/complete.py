"""Words that a shell completes: the games of this machine by their ids, and the words of codes.

Games by the names of the files alone: nothing is opened, and nothing heavy is loaded.
"""

from __future__ import annotations

from contextlib import suppress

LAST = "last"
"""Stands for the newest game."""


def open_games(incomplete: str) -> list[str]:
    """Games that can be taken up again."""
    return _fitting("journals", "*.journal", incomplete)


def transcripts(incomplete: str) -> list[str]:
    """Games with a transcript; files are completed by the shell itself."""
    return _fitting("transcripts", "*.hoity", incomplete)


def codes(incomplete: str) -> list[str]:
    """The words of a code, each by its first letters."""
    from p2p_hoity.codes.spoken import MOST_WORDS, WORDS, beginning_with

    number, *words = incomplete.split("-")
    if not number.isdecimal() or not 0 < len(words) <= MOST_WORDS:
        return []
    before = "-".join((number, *words[:-1]))
    behind = "-" if len(words) < WORDS else ""
    return [f"{before}-{word}{behind}" for word in beginning_with(words[-1].lower())]


def _fitting(folder: str, pattern: str, incomplete: str) -> list[str]:
    from p2p_hoity.storage.home import home

    names: set[str] = set()
    with suppress(OSError):
        names = {path.name.partition(".")[0] for path in (home().path / folder).glob(pattern)}
    return sorted(name for name in (*names, LAST) if names and name.startswith(incomplete))
