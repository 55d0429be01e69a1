"""The paths that a player types, where no shell has replaced `~` or the name of a variable."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from ..exit_codes import USAGE, Trouble
from ..words.translation import _

FILE_URL: Final = re.compile(r"\Afile:/+(?:localhost/)?", re.IGNORECASE)
"""The beginning of a file's URL, as file managers give it. A path has lost one of its slashes."""
VARIABLE: Final = re.compile(r"\$\w+|\$\{\w+\}|\$env:\w+|%\w+%")
"""The name of a variable, as shells write it."""


def typed_path(word: str | Path) -> Path:
    """Return the path that a typed word, or a path made of it, stands for.

    Raises:
        Trouble: If the path begins with a user's home folder that is not known, or with a variable.
    """
    text = str(word)
    if FILE_URL.match(text):
        text = unquote(FILE_URL.sub("/", text))
        if os.name == "nt":
            text = text.removeprefix("/")  # As in file:///C:/Games
    begin = re.split(r"[/\\]" if os.name == "nt" else "/", text, maxsplit=1)[0]
    # A shell does not replace ~ inside a word, as in --transcript=~/game.hoity. A name such as
    # ~draft, which is no user and no folder, is the name of a file.
    if begin.startswith("~"):
        whole = os.path.expanduser(text)
        if not os.path.isabs(whole) and begin != text:
            words = _(
                "{path}: there is no user {name} here. For a folder of that name type ./ before it."
            )
            raise Trouble(words.format(path=text, name=begin[1:] or "~"), USAGE)
        return Path(whole)
    if VARIABLE.fullmatch(begin) and not os.path.lexists(begin):
        words = _("{path}: your shell has not replaced {name} by its value. Type the whole path.")
        raise Trouble(words.format(path=text, name=begin), USAGE)
    return Path(text)


def path_given(path: Path | None) -> Path | None:
    """Return the path that is typed for an option, or None: the callback of options with a path."""
    return None if path is None else typed_path(path)


def edition_given(word: str) -> str:
    """Return the name of an edition, or the path that is meant: the callback of `--edition`."""
    return str(typed_path(word))
