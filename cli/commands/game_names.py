"""Transcripts by name: a path, a game's id or how it begins, or `last`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from p2p_hoity.storage.home import Home, home, transcripts

from ..exit_codes import USAGE, Trouble
from ..words.card_names import listed
from ..words.translation import _
from .complete import LAST

ID: Final = re.compile(r"[0-9a-f]{4,16}")
"""A game's id, or enough of its beginning not to be taken for a file's name."""


def transcript(word: str) -> Path:
    """The transcript that a word names; one that is there by this path comes first. Trouble if
    the word fits no game, or several."""
    path = Path(word)
    if path.exists():
        return path
    own = home()
    if word == LAST:
        return _last(own)
    if ID.fullmatch(word.lower()):
        return _of_id(own, word.lower(), path)
    return path


def all_of(words: Sequence[str]) -> list[Path]:
    """The same for several words."""
    return [transcript(word) for word in words]


def _last(own: Home) -> Path:
    for path in transcripts(own):
        return path
    raise Trouble(_("There is no transcript on this machine yet."), USAGE)


def _of_id(own: Home, word: str, path: Path) -> Path:
    found: dict[str, Path] = {}
    for one in transcripts(own):
        name = one.name.partition(".")[0]
        if name.startswith(word) and (name not in found or found[name].stem != name):
            found[name] = one
    if len(found) > 1:
        names = listed(sorted(found))
        words = _("{word} is how several games begin: {names}. Type more of the one you mean.")
        raise Trouble(words.format(word=word, names=names), USAGE)
    if not found and any(own.journals.glob(f"{word}*.journal")):
        words = _(
            "Game {word} is not over and has no transcript yet: take it up with hoity resume"
            " {word}, or save it as far as it came with hoity resume --claim {word}"
        )
        raise Trouble(words.format(word=word), USAGE)
    return next(iter(found.values()), path)
