"""List the games of this machine, finished or not: their players, their progress, and forget one.

To find how far a game came takes its whole chain, up to a second for a long one. The result is kept
in a file of the home, under the size and time of the file it was read from, except for encrypted
journals.

A kept game can also be finished with the file of another seat, for a player who was not there when
it ended.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from protocol import SeatMachine, transcript

from ..coded_errors import Code, of_system
from ..game_adapter import Play, bind, read_game, table_name
from ..storage import journal as journals
from ..storage import transcript_archive
from ..storage.file_store import FileStore
from ..storage.home import Home, transcripts, written
from ..storage.kept_vouches import keep_vouches
from ..storage.private_files import NotPrivateError, open_at_once
from .play_table import PeerError, Seat, bind_raw
from .resume_table import OpenGame, find_game, open_games, reopen

MOST_KEPT: Final = 1 << 22
"""Bytes of the file of what is known already."""
Clock = Callable[[], float]


class ForgetCode(Code):
    """Why a game is not forgotten."""

    RUNNING = (
        "game-running",
        "game {game} is being played in another terminal: leave it there first",
    )


@dataclass(frozen=True)
class Progress:
    """How far a game came: its round, each seat's field, and each seat's rank if it is over.

    `whole`: everything in its file holds; of a journal that is not asked.
    """

    round: int
    fields: tuple[int, ...]
    ranks: tuple[int, ...] = ()
    whole: bool = True


NOT_BEGUN: Final = Progress(0, ())


@dataclass(frozen=True)
class KeptGame:
    """A game that this home has a transcript or a journal of.

    `when` in Unix seconds: when its file was last written. `seat` is one's own, None if it is not
    known. `progress` is None while it has not been read.
    """

    name: str
    path: Path
    nicknames: tuple[str, ...]
    when: int
    is_over: bool
    seat: int | None = None
    is_running: bool = False
    put_away: bool = False
    progress: Progress | None = None


def kept_games(home: Home, passphrase: str | None, clock: Clock, seconds: float) -> list[KeptGame]:
    """All games of a home, newest first. How far they came is read for no longer than so many
    seconds and one game; what is known from an earlier time is told in any case."""
    memory = _Memory(home)
    found = [*_unfinished(home, passphrase), *_finished(home, memory)]
    found.sort(key=lambda game: (-game.when, game.name))
    end = clock() + seconds
    told = [memory.complete(game, passphrase, clock() < end) for game in found]
    memory.save()
    return told


def progress_of(game: OpenGame, passphrase: str | None) -> Progress | None:
    """How far a game came that can be taken up again; None if its journal cannot be read."""
    return _of_journal(game.path, passphrase, game.files)


def forget_game(game: OpenGame) -> None:
    """Remove the journal of a game, which nothing can bring back; PeerError if the game is being
    played just now."""
    try:
        journals.forget(game.path, game.files)
    except journals.JournalError as error:
        if error.code != journals.JournalCode.IN_USE:
            raise
        raise PeerError(ForgetCode.RUNNING, game=game.name) from error


def is_running(game: OpenGame) -> bool:
    """Whether a process of this machine plays it just now."""
    with suppress(journals.JournalError, NotPrivateError):
        return journals.is_open(game.path, game.files)
    return False


def _unfinished(home: Home, passphrase: str | None) -> Iterator[KeptGame]:
    for game in open_games(home, passphrase):
        running, when = is_running(game), written(game.path)
        yield KeptGame(
            game.name, game.path, game.nicknames, when, False, game.seat, running, game.put_away
        )


def _finished(home: Home, memory: _Memory) -> Iterator[KeptGame]:
    """A claim is not over; the journal that it was made from tells of it, if it is still there."""
    for path in transcripts(home):
        row = memory.row(path)
        head = row[:2] if row else _head_of(path)
        if head is None:
            continue
        name, nicknames = head
        is_claim = path.name.endswith(".claim.hoity")
        if not (is_claim and home.files.has(home.journals / f"{name}.journal")):
            yield KeptGame(name, path, nicknames, written(path), not is_claim, put_away=is_claim)


def _head_of(path: Path) -> tuple[str, tuple[str, ...]] | None:
    """The name of a transcript's game, and who played it; None if it is no transcript of ours."""
    header = transcript.header_of(_opened(path))
    if header is None:
        return None
    with suppress(ValueError):
        return table_name(bind(header)), tuple(entry.nickname for entry in header.roster)
    return None


def _opened(path: Path) -> transcript.OpenedFile:
    with suppress(OSError):
        if path.is_file():
            with path.open("rb") as file:
                return transcript.opened(file)
    return transcript.opened(b"")


# How far a game came.


def _of_journal(path: Path, passphrase: str | None, files: FileStore | None) -> Progress | None:
    """By a machine without a seat or a key, which reads what the seat heard and signs nothing."""
    try:
        first, records = journals.read(path, passphrase, files)
        machine = SeatMachine(bind_raw(first.header), os.urandom)
        machine.restore(records)
    except (journals.JournalError, NotPrivateError, ValueError, OSError):
        return None
    play = machine.tip.state
    if not machine.has_begun or not isinstance(play, Play):
        return NOT_BEGUN
    return Progress(play.state.round, play.state.figures)


def _of_transcript(path: Path) -> Progress | None:
    report = transcript.verify(_opened(path), read_game)
    play = report.node.state if report.node is not None else None
    if not isinstance(play, Play):
        return replace(NOT_BEGUN, whole=report.ok)
    ranks = {seat: rank for rank, seat in report.standings}
    by_seat = tuple(ranks[seat] for seat in sorted(ranks))
    whole = report.ok or report.unfinished
    return Progress(play.state.round, play.state.figures, by_seat, whole)


@dataclass
class _Memory:
    """What has been read of files, by their names, sizes and times."""

    home: Home
    known: dict[str, Any] = field(default_factory=dict)
    used: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Read what the home has; nothing if it cannot be read."""
        with suppress(OSError, NotPrivateError, ValueError):
            known = json.loads(self.home.files.get(_kept_in(self.home), MOST_KEPT + 1))
            self.known = known if isinstance(known, dict) else {}

    def save(self) -> None:
        """For the next time; what cannot be kept is read again."""
        if self.used != self.known:
            with suppress(OSError, NotPrivateError):
                self.home.files.put(_kept_in(self.home), json.dumps(self.used).encode())

    def row(self, path: Path) -> tuple[str, tuple[str, ...], Progress] | None:
        """The name of a file's game, who played it, and how far it came, if that is known."""
        value: Any = self.known.get(_key_of(path))
        with suppress(TypeError, KeyError, ValueError):
            fields, ranks = (tuple(map(int, value[name])) for name in ("fields", "ranks"))
            progress = Progress(int(value["round"]), fields, ranks, bool(value["whole"]))
            return str(value["name"]), tuple(map(str, value["nicknames"])), progress
        return None

    def complete(self, game: KeptGame, passphrase: str | None, may_read: bool) -> KeptGame:
        """The game with its progress, as far as it is known or may be read."""
        is_journal = game.path.suffix == ".journal"
        row = None if is_journal and passphrase else self.row(game.path)
        found = row[-1] if row else None
        if found is None and may_read:
            path = game.path
            if is_journal:
                found = _of_journal(path, passphrase, self.home.files)
            else:
                found = _of_transcript(path)
        if found is not None and not (is_journal and passphrase):
            head = {"name": game.name, "nicknames": game.nicknames}
            self.used[_key_of(game.path)] = {**asdict(found), **head}
        return replace(game, progress=found)


def _kept_in(home: Home) -> Path:
    return home.path / "games.json"


def _key_of(path: Path) -> str:
    with suppress(OSError):
        found = path.stat()
        return f"{path.name}:{found.st_size}:{found.st_mtime_ns}"
    return path.name


class FileCode(Code):
    """Why a file does not end a kept game."""

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
    game = find_game(seat.home, name, seat.passphrase)
    data = _read(path)
    report = transcript.verify(data, read_game)
    book, first, machine, _ = reopen(seat, game.name)
    with closing(book):
        _check(path, report, machine.table.id, game.name)
        usual = seat.home.transcripts / f"{game.name}.hoity"
        kept = transcript_archive.keep(data, seat.output or usual, usual, book)
        keep_vouches(seat.home.transcripts, machine.table.id, first.vouches)
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
