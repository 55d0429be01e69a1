"""Read how far a game came, from its journal or its transcript, which takes up to a second."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from protocol import Header, Invalid, SeatMachine, transcript

from ...game_adapter import Play, bind, bind_raw, happenings_since, read_game, table_name
from ...storage import journal as journals
from ...storage import kept_vouches
from ...storage.file_store import FileStore, NotPrivateError
from .known_progress import NOT_BEGUN, Progress
from .seat_counts import seat_counts


def head_of(files: FileStore, path: Path) -> tuple[str, tuple[str, ...]] | None:
    """Return the name of a transcript's game and the nicknames. None if it is no transcript."""
    header = transcript.header_of(_opened(files, path))
    if header is None:
        return None
    with suppress(ValueError):
        return table_name(bind(header)), tuple(entry.nickname for entry in header.roster)
    return None


def _opened(files: FileStore, path: Path) -> transcript.OpenedFile:
    """Open a transcript. A file that cannot be read counts as empty."""
    with suppress(OSError):
        files.info(path)  # It fails for a device or pipe, which would not end.
        return transcript.opened(files.get(path, transcript.MAX_FILE + 1))
    return transcript.opened(b"")


def of_journal(path: Path, passphrase: str | None, files: FileStore | None) -> Progress | None:
    """Return how far the game of a journal came, None if it cannot be read.

    The store `files` is this computer's disk if it is None.
    """
    try:
        first, records = journals.read(path, passphrase, files)
        # Without the seat's key, so that nothing can be signed.
        machine = SeatMachine(bind_raw(first.header), os.urandom)
        machine.restore(records)
    except (journals.JournalError, NotPrivateError, ValueError, OSError):
        return None
    play = machine.tip.state
    if not machine.has_begun or not isinstance(play, Play):
        return NOT_BEGUN
    return Progress(play.state.round, play.state.figures)


def of_transcript(files: FileStore, path: Path) -> Progress:
    """Verify a transcript, and return how far its game came and whether it is valid.

    Of a game that is over, also return what each seat has done, and which players have shown by the
    vouches beside the transcript that they sat there.
    """
    report = transcript.verify(_opened(files, path), read_game)
    play = report.node.state if report.node is not None else None
    if report.node is None or not isinstance(play, Play):
        return replace(NOT_BEGUN, whole=report.ok)
    ranks = {seat: rank for rank, seat in report.standings}
    by_seat = tuple(ranks[seat] for seat in sorted(ranks))
    whole = report.ok or report.unfinished
    found = Progress(play.state.round, play.state.figures, by_seat, whole)
    if not by_seat:
        return found
    counts = seat_counts(happenings_since(play), play.state.seats)
    return replace(found, counts=counts, players=_players(files, path, report.node.table.header))


def _players(files: FileStore, path: Path, header: Header) -> tuple[str, ...]:
    """Return the long-lived keys by the vouches beside a transcript, as `Progress` has them."""
    with suppress(OSError, Invalid):
        data = files.get(
            kept_vouches.place_of(path.parent, header.table_id), kept_vouches.MAX_FILE + 1
        )
        return tuple(
            "" if key is None else key.hex() for key in kept_vouches.read_vouches(data, header)
        )
    return ()
