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
"""The most bytes that are read of a mark (the file that names a journal's last record)."""


def folder(files: FileStore | None = NAMED) -> Path:
    """Return the folder of the rollback marks, the files that name the last record of each journal.

    Args:
        files: The store of the marks. None for this computer's disk, on which it is also checked
            that the folder can be used.

    Returns:
        The folder that the environment variable HOITY_MARKS names, or else the platform's folder
        for program state.

    Raises:
        FolderError: If the variable names no folder for this program alone.
    """
    return own_folder("HOITY_MARKS", "XDG_STATE_HOME", _usual, files)


def _usual() -> Path:
    """Return the platform's folder for program state."""
    from platformdirs import user_state_path

    return user_state_path("hoity-marks", appauthor=False)


def path_of(journal: Path, files: FileStore = NAMED) -> Path:
    """Return the path of a journal's rollback mark, the file that names its last record.

    The name of the file is made from the name of the journal and the real path of its folder.
    """
    where = os.path.normcase(files.real(journal.parent))
    name = hashlib.sha256(os.fsencode(where)).hexdigest()[:24]
    return folder(files) / f"{name}-{journal.stem}.mark"


def lies_with(home: Path, files: FileStore = NAMED) -> bool:
    """Return whether the folder of the rollback marks lies inside the folder of a player's files.

    If so, a copy of the player's files contains the marks, too, and an old copy is not noticed.

    Returns:
        True if the folder of the marks lies inside.
    """
    return files.real(folder(files)).is_relative_to(files.real(home))


def read(files: FileStore, mark: Path) -> bytes:
    """Read a rollback mark, the file that names the last record of a journal.

    Returns:
        The bytes. Empty if the mark is missing or cannot be read.
    """
    with suppress(OSError, NotPrivateError):
        return files.get(mark, MOST)
    return b""


def write(files: FileStore, mark: Path, data: bytes) -> None:
    """Write a rollback mark, the file that names a journal's last record, over the old one.

    The bytes are on disk when this returns. If there was a mark before, its directory entry is not
    forced to the disk. So after a crash the old mark may be there again, which does no harm,
    because it names an earlier record ([J-4]).

    Args:
        data: The new bytes.
    """
    files.put(mark, data, settle=not files.has(mark))


def sweep(files: FileStore) -> None:
    """Remove the rollback marks (files that name a journal's last record) of removed journals.

    A mark stays if the folder of its journal is missing or empty, because the folder may be on a
    disk that is not mounted now. Without their marks, the journals there would later look like old
    copies.
    """
    for mark in files.list(folder(files), ".mark"):
        with suppress(OSError, NotPrivateError):
            name = journal_format.path_of(read(files, mark))
            journal = Path(os.fsdecode(name or b""))
            beside = files.list(journal.parent, "") if name else []
            if beside and journal not in beside:
                files.remove(mark)
