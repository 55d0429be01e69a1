"""Write the transcripts of finished games, to a second place if the first one fails.

A game is named by the first hexadecimal digits of its table's id. One transcript has more than
another if it has steps of the same table that the other one lacks.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import suppress
from itertools import count, islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

import protocol
from protocol import Invalid, table_header

from ..coded_errors import Code, NotRegularError, Reason, of_system
from .file_store import FileStore
from .journal import Journal, JournalError
from .private_files import NAMED

if TYPE_CHECKING:
    from protocol import SeatMachine
    from protocol.transcript import Transcript


class ArchiveCode(Code):
    """The reasons why a transcript could not be written where it should be."""

    TOO_LARGE = ("game-too-large", "the game is over but too long for a file; its journal is kept")
    UNWRITTEN = "transcript-unwritten", "cannot write {path}: {why}"
    KEPT = (
        "transcript-unwritten-but-kept",
        "cannot write {path}: {why}. The game is over and not lost. Save it with: hoity resume "
        "{game} --claim --transcript FILE",
    )


CLAIM: Final = ".claim.hoity"
"""How the file of an unfinished game ends, behind the name of the game."""
MOST_NAMES: Final = 100
"""How many names are tried for a transcript beside other files."""
ROOM = 4096
"""The number of bytes that are written to test a folder."""


def why_not(folder: Path) -> Reason | None:
    """Return why no file can be written in a folder, which need not exist. None if one can."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    try:
        with tempfile.TemporaryFile(dir=folder) as trial:
            # On a full disk an empty file could still be made.
            trial.write(bytes(ROOM))
            trial.flush()
    except OSError as error:
        return of_system(error)
    return None


def write_transcript(path: Path, data: bytes, files: FileStore = NAMED) -> None:
    """Write a transcript, as a whole or not at all, readable by its owner alone.

    If the path is a device or pipe, the bytes are written to it directly. An OSError is raised if
    the file cannot be written, or nobody reads from the pipe.
    """
    files.put(path, data)


def write_named(path: Path, data: bytes, files: FileStore = NAMED) -> None:
    """Write a transcript to a path that a person has named, where it replaces nothing else.

    It may replace only an earlier part of the same game. A device or pipe is written to. A
    FileExistsError is raised if another file is there.
    """
    if is_stream(path, files) or _is_earlier(path, data, files):
        write_transcript(path, data, files)
    else:
        # Not after a look at what is there: the file may appear in between.
        files.put(path, data, once=True)


def is_of_game(path: Path, game: str, files: FileStore = NAMED) -> bool:
    """Return whether a file is a transcript of a game, finished or not. It need not exist."""
    found = _read(files, path)
    if found is None:
        return False
    with suppress(Invalid):
        return table_header.parse_header(found.content.header).table_id.hex().startswith(game)
    return False


def is_stream(path: Path, files: FileStore = NAMED) -> bool:
    """Return whether a path leads to a device or pipe, or else a folder, and so to no file."""
    try:
        files.info(path)
    except NotRegularError:
        return True
    except OSError:
        return False
    return False


def _is_earlier(path: Path, data: bytes, files: FileStore) -> bool:
    """Return whether a file is a transcript of the same table that has no step which is not new."""
    old, new = _read(files, path), protocol.transcript.opened(data).transcript
    if old is None or new is None or old.content.header != new.content.header:
        return False
    return not _has_more(old, new)


def complete(path: Path, before: bytes, data: bytes, files: FileStore = NAMED) -> None:
    """Replace a transcript that was written by a later one of the same game, if that is possible.

    What went into a device or pipe stays as it is. So does a file that has been changed or put
    there in the meantime. If the disk is full, the earlier file stays: it is valid too.
    """
    with suppress(OSError):
        files.info(path)  # It fails if the file is gone, and for a device or pipe.
        # One byte more, or a longer file with this beginning would count as unchanged.
        if files.get(path, len(before) + 1) == before:
            files.put(path, data)


def free_place(path: Path, data: bytes, files: FileStore = NAMED) -> Path:
    """Return a path at which a transcript replaces no other history of its game.

    That is the usual path, such as `8daa.hoity`, or one with a number, such as `8daa.2.hoity`. A
    file of which the new one is a continuation is replaced. So is what is no transcript of the same
    table.
    """
    new = protocol.transcript.opened(data).transcript
    return next(place for place in _places(path) if not _has_more(_read(files, place), new))


def _places(path: Path) -> Iterator[Path]:
    """Find names for a file: `8daa.hoity`, then `8daa.2.hoity`, `8daa.3.hoity` and so on."""
    yield path
    name, dot, suffixes = path.name.partition(".")
    for number in count(2):
        yield path.with_name(f"{name}.{number}{dot}{suffixes}")


def place_of_claim(folder: Path, game: str, data: bytes, files: FileStore) -> Path:
    """Return where in the folder of transcripts an unfinished game is saved (`free_place`)."""
    return free_place(folder / f"{game}{CLAIM}", data, files)


def lacks(path: Path, data: bytes, files: FileStore) -> bool:
    """Return whether a transcript has more than a file. False if either is no transcript."""
    return _has_more(protocol.transcript.opened(data).transcript, _read(files, path))


def _read(files: FileStore, path: Path) -> Transcript | None:
    """Read a transcript without verifying it. Return None if the file is none."""
    try:
        # The one byte more shows that a file is too long, and is not its beginning only.
        data = files.get(path, protocol.transcript.MAX_FILE + 1)
    except OSError:
        return None
    return protocol.transcript.opened(data).transcript


def _has_more(one: Transcript | None, other: Transcript | None) -> bool:
    """Return whether a transcript has steps of a table that another one of it does not have."""
    if one is None or other is None or one.content.header != other.content.header:
        return False
    return one.content.entries != other.content.entries[: len(one.content.entries)]


def transcript_of(machine: SeatMachine) -> bytes:
    """Make the transcript of a game.

    Raises:
        JournalError: If the file would be larger than verifiers accept.
    """
    try:
        return machine.transcript()
    except protocol.transcript.TooLarge as error:
        raise JournalError(ArchiveCode.TOO_LARGE) from error


def keep(
    data: bytes, wished: Path, usual: Path | None, journal: Journal | None, files: FileStore = NAMED
) -> Path:
    """Write a transcript where the player wants it, or in the usual place. Return where it is.

    The wish fails too if another file is there (`write_named`). In the usual folder it replaces no
    other history of the same game (`free_place`).

    Args:
        usual: None for a player without such a folder, whose transcript is written beside another
            file under a name with a number.
        journal: If nothing can be written, the error tells the player how to write the transcript
            from this journal later.

    Raises:
        JournalError: If neither place can be written.
    """
    path, failure = wished, OSError()
    if usual != wished:
        for path in islice(_places(wished), MOST_NAMES if usual is None else 1):
            try:
                write_named(path, data, files)
                return path
            except OSError as error:
                failure = error
                # Any other error would come again under each further name.
                if not isinstance(error, FileExistsError):
                    break
    if usual is not None:
        path = free_place(usual, data, files)
        try:
            write_transcript(path, data, files)
            return path
        except OSError as error:
            failure = error
    trouble = {"path": str(path), "why": of_system(failure)}
    if journal is None:
        raise JournalError(ArchiveCode.UNWRITTEN, **trouble)
    raise JournalError(ArchiveCode.KEPT, **trouble, game=journal.path.stem)
