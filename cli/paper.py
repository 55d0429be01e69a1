"""The paper roll: lines for people on standard output, broken between words where it is narrow."""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
from typing import Final, TextIO

NARROWEST: Final = 20
HANGING: Final = "  "
"""What the rest of a broken line is indented by, beyond the line itself."""
GLUE: Final = "\0"
"""Stands for a space that keeps a number on the line of its word, as in Thief 6 or B 1926, and a
command whole, so that it can be copied."""
COMMAND: Final = re.compile(r"hoity [a-z]+(?: --[a-z]+| [0-9a-f]{16}| [A-Z]{4,}| \S*/\S+)*")
"""A command of ours as it is given to be typed."""


def width() -> int | None:
    """Columns to print in: COLUMNS, else the terminal's; None if nothing bounds a line."""
    asked = os.environ.get("COLUMNS", "")
    if not (asked.isascii() and asked.isdigit() and int(asked[:6])) and not sys.stdout.isatty():
        return None
    return max(NARROWEST, shutil.get_terminal_size().columns)


def wrapped(words: str, columns: int | None) -> list[str]:
    """The lines a line takes in so many columns; a word is never broken, so that a ticket or a
    path can be copied whole."""
    if columns is None or len(words) <= columns:
        return [words]
    glued = COMMAND.sub(lambda found: found[0].replace(" ", GLUE), words)
    glued = re.sub(r"(?<=\S) (?=\d)", GLUE, glued)
    indent = words[: len(words) - len(words.lstrip())]
    lines = textwrap.wrap(
        glued,
        columns,
        subsequent_indent=indent + HANGING,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace(GLUE, " ") for line in lines] or [words]


def say(words: str) -> None:
    """One line on standard output, at once."""
    _put(words, sys.stdout)


def complain(words: str) -> None:
    """One line on standard error."""
    _put(words, sys.stderr)


def _put(words: str, where: TextIO) -> None:
    for line in words.split("\n"):
        for part in wrapped(line, width()):
            print(part, file=where, flush=True)
