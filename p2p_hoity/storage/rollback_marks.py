"""Marks: what the last record of each journal is, kept on this machine and not with the journals.

A home may come back from a backup, a snapshot or a cloud folder as it was some time ago, and a
seat that goes on from an old journal may contradict what it has signed since. A mark in the same
folder would come back with it. It is a help only: whether to sign is asked of the peers on every
resume, for a machine that is restored whole brings its marks along.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path

from . import journal_format
from .file_store import FileStore
from .private_files import NotPrivateError

MOST = 1 << 16


def folder() -> Path:
    """Where marks are kept: what the environment names, or the platform's place for state."""
    named = os.environ.get("HOITY_MARKS")
    if named:
        return Path(named).absolute()
    from platformdirs import user_state_path

    return user_state_path("hoity-marks", appauthor=False)


def path_of(journal: Path) -> Path:
    """Where the mark of a journal is kept: by where the journal really lies."""
    where = os.path.normcase(os.path.realpath(journal.parent))
    name = hashlib.sha256(os.fsencode(where)).hexdigest()[:24]
    return folder() / f"{name}-{journal.stem}.mark"


def lies_with(home: Path) -> bool:
    """Whether a copy of this home would have the marks in it too."""
    return Path(os.path.realpath(folder())).is_relative_to(os.path.realpath(home))


def read(files: FileStore, mark: Path) -> bytes:
    """Return the bytes of a mark, or none if it is missing or cannot be read."""
    with suppress(OSError, NotPrivateError):
        return files.get(mark, MOST)
    return b""


def write(files: FileStore, mark: Path, data: bytes) -> None:
    """Replace a mark as a whole, on disk when done: a crash must not leave an empty one, nor none.

    Where there is one already its new name need not be forced to disk: a crash that loses it
    leaves the old one, which lags ([J-4]).
    """
    files.put(mark, data, settle=not files.has(mark))


def sweep(files: FileStore) -> None:
    """Remove the marks of journals that are gone from a folder in which other files are left.

    A folder that is missing or empty may be on a disk that is not there just now, and its journals
    would seem to be old copies without their marks.
    """
    for mark in files.list(folder(), ".mark"):
        with suppress(OSError):
            name = journal_format.path_of(read(files, mark))
            journal = Path(os.fsdecode(name or b""))
            beside = files.list(journal.parent, "") if name else []
            if beside and journal not in beside:
                files.remove(mark)
