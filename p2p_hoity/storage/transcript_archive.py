"""Storage of finished transcripts: where one goes, and where if it cannot go there."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from protocol import SeatMachine, transcript

from ..coded_errors import Code, Reason, of_system
from .journal import Journal, JournalError
from .private_files import NAMED


class ArchiveCode(Code):
    """Why a transcript is not where it should be."""

    TOO_LARGE = (
        "game-too-large",
        "the game does not fit into a file; it is over, and its journal is kept",
    )
    UNWRITTEN = "transcript-unwritten", "cannot write {path}: {why}"
    KEPT = (
        "transcript-unwritten-but-kept",
        "cannot write {path}: {why}; the game is over and kept. Save it with: hoity resume {game}"
        " --claim --transcript FILE",
    )


ROOM = 4096
"""Bytes that a trial writes."""


def why_not(folder: Path) -> Reason | None:
    """Why no file can be made in this folder, which need not exist yet; None if one can."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    try:
        with tempfile.TemporaryFile(dir=folder) as trial:
            trial.write(bytes(ROOM))
            trial.flush()
    except OSError as error:
        return of_system(error)
    return None


def write_transcript(path: Path, data: bytes) -> None:
    """Write the file whole and to the disk, for its owner alone, or OSError; a device or pipe gets
    the bytes as such, and a pipe that nobody reads from is an error."""
    if path.exists() and not stat.S_ISREG(path.stat().st_mode):
        waits = getattr(os, "O_NONBLOCK", 0)
        descriptor = os.open(path, os.O_WRONLY | waits)
        if waits:
            os.set_blocking(descriptor, True)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
    else:
        NAMED.put(path, data)


def transcript_of(machine: SeatMachine) -> bytes:
    """The bytes of a table's transcript; JournalError if they would not make a readable file."""
    try:
        return machine.transcript()
    except transcript.TooLarge as error:
        raise JournalError(ArchiveCode.TOO_LARGE) from error


def keep(data: bytes, wished: Path, usual: Path, journal: Journal | None) -> Path:
    """The path of the transcript: as wished, or in the usual place if that fails.

    JournalError if that fails too: the game is over, and its journal must stay.
    """
    trouble: dict[str, object] = {}
    for path in dict.fromkeys((wished, usual)):
        try:
            write_transcript(path, data)
            return path
        except OSError as error:
            trouble = {"path": str(path), "why": of_system(error)}
    if journal is None:
        raise JournalError(ArchiveCode.UNWRITTEN, **trouble)
    raise JournalError(ArchiveCode.KEPT, **trouble, game=journal.path.stem)
