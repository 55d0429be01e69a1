"""Rollback marks: small files outside the journals that name the last record of each journal.

The folder of a player's files may be restored from a backup, a snapshot or a cloud folder. A seat
that continues from such an old journal may contradict what it has signed since. Its mark shows that
the journal is old. So the marks lie in another folder, which is not restored together with the
journals. If a whole computer is restored, its marks are old, too. So on every resume a seat also
asks the other seats what it has signed.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path

from . import journal_format
from .file_store import FileStore, NotPrivateError
from .home import own_folder
from .private_files import NAMED

MOST = 1 << 16
"""The most bytes that are read of a mark."""


def folder(files: FileStore | None = NAMED) -> Path:
    """Return the folder that HOITY_MARKS names, or else the platform's folder for program state.

    For this computer's disk `files` is None, and it is also checked that the folder can be used.
    """
    return own_folder("HOITY_MARKS", "XDG_STATE_HOME", _usual, files)


def _usual() -> Path:
    from platformdirs import user_state_path

    return user_state_path("hoity-marks", appauthor=False)


def path_of(journal: Path, files: FileStore = NAMED) -> Path:
    """Return the path of a mark, made from its journal's name and the real path of its folder."""
    where = os.path.normcase(files.real(journal.parent))
    name = hashlib.sha256(os.fsencode(where)).hexdigest()[:24]
    return folder(files) / f"{name}-{journal.stem}.mark"


def lies_with(home: Path, files: FileStore = NAMED) -> bool:
    """Return whether the marks lie inside the folder of a player's files.

    If so, a copy of these files contains the marks, too, and an old copy is not noticed.
    """
    return files.real(folder(files)).is_relative_to(files.real(home))


def read(files: FileStore, mark: Path) -> bytes:
    """Return the bytes of a mark, empty if it is missing or cannot be read."""
    # Without a mark the seat is cautious, so that an unreadable one does no harm.
    with suppress(OSError, NotPrivateError):
        return files.get(mark, MOST)
    return b""


def write(files: FileStore, mark: Path, data: bytes) -> None:
    """Write a mark over the old one, to the disk ([J-4])."""
    # A mark that comes back after a crash does no harm: it names an earlier record ([J-4]). But
    # without any mark a journal looks like a copy, so the first one is settled.
    files.put(mark, data, settle=not files.has(mark))


def sweep(files: FileStore) -> None:
    """Remove the marks of removed journals."""
    for mark in files.list(folder(files), ".mark"):
        # A mark that cannot be read or removed must not keep a new game from beginning.
        with suppress(OSError, NotPrivateError):
            name = journal_format.path_of(read(files, mark))
            journal = Path(os.fsdecode(name or b""))
            beside = files.list(journal.parent, "") if name else []
            # An empty folder may be on a disk that is not mounted now. Without their marks its
            # journals would later look like old copies.
            if beside and journal not in beside:
                files.remove(mark)
