"""The words of commands that a person is told to type, quoted for the person's shell."""

from __future__ import annotations

import os
import re
import shlex
import unicodedata
from pathlib import Path
from typing import Final

SAFE_ON_WINDOWS: Final = re.compile(r"[\w\\/:.+-]+", re.ASCII)
"""A word that cmd and PowerShell take as it is."""


def quoted(word: str | Path) -> str:
    """Return a word as it has to be typed in a POSIX shell, or on Windows in cmd or PowerShell.

    A `Path` is never read as an option, a placeholder or a home folder: if it is relative and
    begins with `-`, `~` or the like, `./` is put before it.
    """
    text = str(word)
    if isinstance(word, Path) and text[:1] in ("-", "~", "$", "%"):
        text = os.path.join(".", text)
    if os.name == "nt":
        return _on_windows(text)
    # A line break or a byte that is no letter of UTF-8 could not be copied from a terminal.
    return shlex.quote(text) if all(map(_is_visible, text)) else _by_numbers(text)


def command(*words: str | Path) -> str:
    """Return a command line of words as it has to be typed. Empty words are left out."""
    return " ".join(quoted(word) for word in words if str(word))


def _is_visible(letter: str) -> bool:
    """Return whether a letter is printed as it is, so that it can be copied."""
    return letter.isprintable() and not unicodedata.combining(letter)


def _by_numbers(text: str) -> str:
    r"""Return a word in the form $'…', in which \ooo stands for a byte."""
    return f"$'{''.join(map(_numbered, text))}'"


def _numbered(letter: str) -> str:
    if _is_visible(letter):
        return f"\\{letter}" if letter in "\\'" else letter
    return "".join(f"\\{byte:03o}" for byte in os.fsencode(letter))


def _on_windows(text: str) -> str:
    """Return a word for cmd or PowerShell. No name of a file contains a double quote there."""
    if SAFE_ON_WINDOWS.fullmatch(text):
        return text
    # PowerShell replaces $ and ` inside double quotes. Only cmd sets PROMPT.
    if "PROMPT" not in os.environ and re.search("[$`]", text):
        return "'" + text.replace("'", "''") + "'"
    return f'"{text}"'
