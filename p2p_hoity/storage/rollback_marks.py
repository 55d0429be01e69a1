"""Marks: which record of each journal was written last, stored apart from the journals.

A home folder may be restored from a backup, a snapshot or a cloud folder as it was some time ago. A
seat that continues from an old journal may contradict what it has signed since. A mark in the same
folder would be restored with it. The mark is only a help: on every resume the seat also asks the
other seats what it has signed, since a machine that is restored as a whole restores its marks, too.
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
"""Bytes of a mark that are read at most."""


def folder() -> Path:
    """Return the folder of the marks.

    Returns:
        The folder that HOITY_MARKS names, or else the platform's folder for program state.
    """
    named = os.environ.get("HOITY_MARKS")
    if named:
        return Path(named).absolute()
    from platformdirs import user_state_path

    return user_state_path("hoity-marks", appauthor=False)


def path_of(journal: Path) -> Path:
    """Return where the mark of a journal is, by the real path of the journal's folder.

    Args:
        journal: Where the journal is.

    Returns:
        The path of the mark.
    """
    where = os.path.normcase(os.path.realpath(journal.parent))
    name = hashlib.sha256(os.fsencode(where)).hexdigest()[:24]
    return folder() / f"{name}-{journal.stem}.mark"


def lies_with(home: Path) -> bool:
    """Return whether a copy of a home would contain the marks, too.

    Args:
        home: The folder of the home.

    Returns:
        True if the folder of the marks is in the home.
    """
    return Path(os.path.realpath(folder())).is_relative_to(os.path.realpath(home))


def read(files: FileStore, mark: Path) -> bytes:
    """Return the bytes of a mark.

    Args:
        files: The store of the mark.
        mark: Where the mark is.

    Returns:
        The bytes. None of them if the mark is missing or cannot be read.
    """
    with suppress(OSError, NotPrivateError):
        return files.get(mark, MOST)
    return b""


def write(files: FileStore, mark: Path, data: bytes) -> None:
    """Replace a mark as a whole, with its bytes on disk on return.

    If there is a mark already, the new name need not be forced to the disk. After a crash the old
    mark is there, which names an earlier record ([J-4]).

    Args:
        files: The store of the mark.
        mark: Where the mark is.
        data: The new bytes.
    """
    files.put(mark, data, settle=not files.has(mark))


def sweep(files: FileStore) -> None:
    """Remove the marks of journals that are gone, if other files are left in their folder.

    A folder that is missing or empty may be on a disk that is not mounted now. Without their marks
    its journals would later look like old copies.

    Args:
        files: The store of the marks.
    """
    for mark in files.list(folder(), ".mark"):
        with suppress(OSError):
            name = journal_format.path_of(read(files, mark))
            journal = Path(os.fsdecode(name or b""))
            beside = files.list(journal.parent, "") if name else []
            if beside and journal not in beside:
                files.remove(mark)
