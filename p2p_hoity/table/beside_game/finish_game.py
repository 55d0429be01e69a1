"""Finish a game, at whose end its player was not there, with the transcript of another seat."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from protocol import transcript
from protocol.units import TableId

from ...coded_errors import Code, of_system
from ...game_adapter import read_game
from ...storage import transcript_archive
from ...storage.file_store import FileStore
from ...storage.home import Home
from ...storage.kept_vouches import keep_vouches
from ..peer_error import PeerError
from ..playing.play_table import Seat
from ..playing.resume_table import reopen
from .split_tables import check_branch, machines_in
from .unfinished_games import find_game


class FileCode(Code):
    """The reasons why a game cannot be finished with the transcript of another player."""

    UNREADABLE = "file-of-game-unreadable", "{path} cannot be read: {why}"
    OTHER_TABLE = (
        "file-of-another-game",
        (
            "{path} belongs to another table and not to game {game}: ask one of the other "
            "players for their file"
        ),
    )
    NOT_FINISHED = (
        "file-of-game-not-finished",
        "{path} shows an unfinished game: ask for the file of a player who stayed to the end",
    )
    NOT_OK = (
        "file-of-game-not-ok",
        "{path} is invalid ({problem}), so your game stays as it is. See hoity verify, and ask "
        "another player for the file",
    )


def finish_from(
    seat: Seat, name: str | None, path: Path, beside: Iterable[Home] = ()
) -> tuple[Path, transcript.Report]:
    """Finish a game with the transcript of another seat, and remove the journal.

    The transcript is verified first, and a copy of it is stored. It must have every final step of
    the journal, because a journal with another final step is the only proof of a fork. Return where
    the copy is, and the report of the verifier.

    Args:
        name: The name of the game or its beginning. None for the only game that waits for its
            player.
        beside: The folders of this computer's bots at the table. Their journals are compared too,
            because they are removed once the game has no journal of the player.

    Raises:
        PeerError: If there is no such game, if the file is not the valid transcript of this
            finished game, or if it lacks a final step of a journal. The journal is kept then.
        JournalError: If the journal is in use, or the transcript cannot be written.
    """
    game = find_game(seat.home, name, seat.passphrase)
    data = _read(seat.home.unchecked, path)
    # The very bytes that are kept later: the file may be another one by then.
    report = transcript.verify(data, read_game)
    book, first, machine, _ = reopen(seat, game.name)
    with closing(book):
        _check(path, report, machine.table.id, game.name)
        # Also those of the bots: one on another branch has the only proof of the split.
        for one in (machine, *machines_in(beside, game.name)):
            check_branch(path, report, one, game.name)
        usual = seat.home.transcripts / f"{game.name}.hoity"
        files = seat.home.unchecked
        kept = transcript_archive.keep(data, seat.output or usual, usual, book, files)
        keep_vouches(files, seat.home.transcripts, machine.table.id, first.vouches)
    # Only now, when the copy is on disk: the journal was the only file of the game.
    book.remove()
    return kept, report


def _read(files: FileStore, path: Path) -> bytes:
    """Read a file, but at most one byte more than a valid transcript can have."""
    try:
        # The byte more shows the verifier that the file is too long.
        return files.get(path, transcript.MAX_FILE + 1)
    except OSError as error:
        raise PeerError(FileCode.UNREADABLE, path=str(path), why=of_system(error)) from None


def _check(path: Path, report: transcript.Report, table: TableId, game: str) -> None:
    """Check that a report is about the finished and valid game of a table, or raise PeerError."""
    if report.ok and report.table == table.hex():
        return
    if report.table and report.table != table.hex():
        raise PeerError(FileCode.OTHER_TABLE, path=str(path), game=game)
    if report.unfinished:
        raise PeerError(FileCode.NOT_FINISHED, path=str(path))
    code = report.problem.code if report.problem is not None else report.verdict
    raise PeerError(FileCode.NOT_OK, path=str(path), problem=code)
