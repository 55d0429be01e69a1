"""Ending a kept game by the file of another seat: for who was not there at the end."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from protocol import transcript

from ..errors import Code, of_system
from ..game_adapter import read_game
from ..storage import transcript_archive
from ..storage.private_files import open_at_once
from .resuming import find_game, reopen
from .seating import PeerError, Seat


class FileCode(Code):
    """Why a file does not end a kept game."""

    UNREADABLE = "file-of-game-unreadable", "path", "why"
    OTHER_TABLE = "file-of-another-game", "path", "game"
    NOT_FINISHED = "file-of-game-not-finished", "path"
    NOT_OK = "file-of-game-not-ok", "path", "problem"


def finish_from(seat: Seat, name: str | None, path: Path) -> tuple[Path, transcript.Report]:
    """Verify the file of a game that another seat has finished, keep it, and drop the journal.

    Args:
        seat: Who sat there; its home has the journal.
        name: The name of the kept game, or its beginning. None if there is only one.
        path: The file of the game, as another seat has it.

    Returns:
        Where the file is kept now, and what the verifier found.

    Raises:
        PeerError: If there is no such game, or the file is not the finished game of its table, or
            something in it does not hold. The journal stays then.
        JournalError: If the journal is in use, or the file cannot be written.
    """
    game = find_game(seat.home, name, seat.passphrase, seat.me.identity.public)
    data = _read(path)
    report = transcript.verify(data, read_game)
    book, _, machine, _ = reopen(seat, game.name)
    with closing(book):
        _check(path, report, machine.table.id, game.name)
        usual = seat.home.transcripts / f"{game.name}.hoity"
        kept = transcript_archive.keep(data, seat.output or usual, usual, book.path)
    book.remove()
    return kept, report


def _read(path: Path) -> bytes:
    try:
        with open(path, "rb", opener=open_at_once) as file:
            return file.read(transcript.MAX_FILE + 1)
    except OSError as error:
        raise PeerError(FileCode.UNREADABLE, path=str(path), why=of_system(error)) from None


def _check(path: Path, report: transcript.Report, table: bytes, game: str) -> None:
    """Raise PeerError unless the report is of the finished game of this table, and all holds."""
    if report.ok and report.table == table.hex():
        return
    if report.table and report.table != table.hex():
        raise PeerError(FileCode.OTHER_TABLE, path=str(path), game=game)
    if report.unfinished:
        raise PeerError(FileCode.NOT_FINISHED, path=str(path))
    code = report.problem.code if report.problem is not None else report.verdict
    raise PeerError(FileCode.NOT_OK, path=str(path), problem=code)
