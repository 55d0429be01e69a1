"""Transcripts in folders: every `*.hoity` below, in the order of names, and what is none."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from ..trouble import USAGE, Trouble
from ..words.lingo import _

ENDING: Final = ".hoity"
Found = Path | tuple[Path, Trouble]
"""A file, or what cannot be judged and why."""


def all_in(paths: Sequence[Path]) -> Iterator[Found]:
    """The files named, and for a folder those in it and below; a folder is read when its turn
    comes."""
    for path in paths:
        if os.path.isdir(path):
            yield from _all_below(path)
        else:
            yield path


def _all_below(folder: Path) -> Iterator[Found]:
    """By a list of what is left to do, not by recursion, which deep folders would exhaust."""
    empty, left = True, [iter([folder])]
    while left:
        path = next(left[-1], None)
        if path is None:
            left.pop()
        elif os.path.isdir(path) and (path == folder or not os.path.islink(path)):
            try:
                left.append(_inside(path))
            except OSError as error:
                empty = False
                yield path, _unread(path, error)
        else:
            empty = False
            yield _looked_at(path)
    if empty:
        words = _("There is no *.hoity file in {path}. Name a folder that holds transcripts.")
        yield folder, Trouble(words.format(path=folder), USAGE)


def _inside(folder: Path) -> Iterator[Path]:
    """What concerns us in a folder; OSError if it cannot be read."""
    with os.scandir(folder) as entries:
        names = sorted(entry.name for entry in entries if _concerns(entry))
    return (folder / name for name in names)


def _concerns(entry: os.DirEntry[str]) -> bool:
    """Whether it is a folder, a link to one, or named as a transcript is."""
    try:
        return entry.name.endswith(ENDING) or entry.is_dir()
    except OSError:
        return False


def _unread(path: Path, error: OSError) -> Trouble:
    words = _("The folder {path} cannot be read: {why}. Nothing in it is judged.")
    return Trouble(words.format(path=path, why=error.strerror), USAGE)


def _looked_at(path: Path) -> Found:
    """Links to folders are not followed, since they may lead around in a circle; a pipe might never
    end, and a device is none of the archive."""
    if os.path.isdir(path):
        words = _("{path} is a link to a folder, which is not followed. Name that folder itself.")
        return path, Trouble(words.format(path=path), USAGE)
    if os.path.isfile(path) or not os.path.exists(path):
        return path
    words = _("{path} is no regular file, so it is not judged. Take it out of the folder.")
    return path, Trouble(words.format(path=path), USAGE)
