"""List the games of this computer, finished or not, show how far each came, and remove one.

To find how far a game came, its whole file is read, which takes up to a second. So this progress
is stored in a file of the player's folder, together with the size and time of the file that was
read. The progress of games with an encrypted journal is not stored.

A player who was not there when a game ended can finish the game with the transcript of another
seat.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from protocol import SeatMachine, transcript

from ..coded_errors import Code, of_system
from ..game_adapter import Play, bind, read_game, table_name
from ..storage import journal as journals
from ..storage import transcript_archive
from ..storage.file_store import FileStore, NotPrivateError
from ..storage.home import Home, transcripts, written
from ..storage.kept_vouches import keep_vouches
from .play_table import PeerError, Seat, bind_raw
from .resume_table import OpenGame, find_game, open_games, reopen
from .split_tables import check_branch, machines_in

MOST_KEPT: Final = 1 << 22
"""The most bytes of the file in which the progress of games is stored."""
Clock = Callable[[], float]


class ForgetCode(Code):
    """The reasons for which a game cannot be removed."""

    RUNNING = (
        "game-running",
        "game {game} is being played in another terminal: leave it there first",
    )


@dataclass(frozen=True)
class Progress:
    """The point to which a game was played.

    Attributes:
        round: The number of the last round that began. 0 if none did.
        fields: The field of the board on which each seat's figure stands.
        ranks: The rank of each seat, in the order of the seats. Empty unless the game is over.
        whole: Whether the transcript is valid. True for a journal, which is not verified.
    """

    round: int
    fields: tuple[int, ...]
    ranks: tuple[int, ...] = ()
    whole: bool = True


NOT_BEGUN: Final = Progress(0, ())
"""The progress of a game that had not begun."""


@dataclass(frozen=True)
class KeptGame:
    """A game of which the player's folder has a transcript or a journal.

    Attributes:
        name: The name of the game.
        path: The path of the transcript or journal.
        nicknames: The nickname of each seat.
        when: The time at which the file was last written, in Unix seconds.
        is_over: Whether the game is over.
        seat: The number of the player's own seat. None if it is not known.
        is_running: Whether a process of this computer plays the game now.
        is_claimed: Whether the player has saved the unfinished game as a transcript (a claim to the
            result so far).
        progress: The point to which the game was played. None if it was not read.
    """

    name: str
    path: Path
    nicknames: tuple[str, ...]
    when: int
    is_over: bool
    seat: int | None = None
    is_running: bool = False
    is_claimed: bool = False
    progress: Progress | None = None


def kept_games(home: Home, passphrase: str | None, clock: Clock, seconds: float) -> list[KeptGame]:
    """List all games of a player's folder, finished or not.

    A game of which there is a valid transcript with the result is over, also if its journal is
    still there.

    Reading the progress of many games takes time. After the given time no further file is read. The
    other games get the progress that was stored earlier, or None.

    Args:
        home: The folder of the player's files.
        passphrase: The passphrase of the journals, if they have one.
        clock: Returns the time in seconds, as `time.monotonic` does.
        seconds: The time in seconds after which no further file is read.

    Returns:
        The games, the newest first.
    """
    memory = _Memory(home)
    found = [*_unfinished(home, passphrase), *_finished(home, memory)]
    found.sort(key=lambda game: (-game.when, game.name))
    end = clock() + seconds
    told = [memory.complete(game, passphrase, clock() < end) for game in found]
    memory.save()
    # A journal outlives its game while its seat stays for the others, and if it is killed then.
    over = {game.name for game in told if game.is_over and _is_won(game.progress)}
    return [game for game in told if game.is_over or game.name not in over]


def _is_won(progress: Progress | None) -> bool:
    """Return whether a transcript is known to be valid and to have the result."""
    return progress is not None and progress.whole and bool(progress.ranks)


def progress_of(game: OpenGame, passphrase: str | None) -> Progress | None:
    """Read the point to which a resumable game was played, from its journal.

    Args:
        game: The game.
        passphrase: The passphrase of its journal, if it has one.

    Returns:
        The progress, or None if the journal cannot be read.
    """
    return _of_journal(game.path, passphrase, game.files)


def forget_game(game: OpenGame) -> None:
    """Remove the journal of a game for good.

    Args:
        game: The game.

    Raises:
        PeerError: If the game is being played now.
        JournalError: If the journal cannot be removed.
    """
    try:
        journals.forget(game.path, game.files)
    except journals.JournalError as error:
        if error.code != journals.JournalCode.IN_USE:
            raise
        raise PeerError(ForgetCode.RUNNING, game=game.name) from error


def is_running(game: OpenGame) -> bool:
    """Return whether a process of this computer plays a game now.

    Args:
        game: The game.

    Returns:
        True if one does.
    """
    with suppress(journals.JournalError, NotPrivateError):
        return journals.is_open(game.path, game.files)
    return False


def _unfinished(home: Home, passphrase: str | None) -> Iterator[KeptGame]:
    """Find the games that can be resumed, without their progress."""
    for game in open_games(home, passphrase):
        running, when = is_running(game), written(home.files, game.path)
        yield KeptGame(
            game.name, game.path, game.nicknames, when, False, game.seat, running, game.is_claimed
        )


def _finished(home: Home, memory: _Memory) -> Iterator[KeptGame]:
    """Yield each game that has a transcript. The `progress` of the games is None.

    A game whose transcript was saved before its end is yielded as not over. It is left out if its
    journal still exists. `memory` has names that were read from transcripts before.
    """
    for path in transcripts(home):
        row = memory.row(path)
        head = row[:2] if row else _head_of(home.unchecked, path)
        if head is None:
            continue
        name, nicknames = head
        is_claim = path.name.endswith(transcript_archive.CLAIM)
        if not (is_claim and home.files.has(home.journals / f"{name}.journal")):
            when = written(home.unchecked, path)
            yield KeptGame(name, path, nicknames, when, not is_claim, is_claimed=is_claim)


def _head_of(files: FileStore, path: Path) -> tuple[str, tuple[str, ...]] | None:
    """Return the id of a transcript's game, as used in commands, and the players' nicknames.

    Return None if the file is not a transcript.
    """
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


# Progress of games


def _of_journal(path: Path, passphrase: str | None, files: FileStore | None) -> Progress | None:
    """Read how far the game of a journal came. Return None if the journal cannot be read.

    The journal is replayed without the seat's key, so nothing is signed.
    """
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


def _of_transcript(files: FileStore, path: Path) -> Progress | None:
    """Verify a transcript, and return how far its game came and whether the transcript is valid.

    The result is never None.
    """
    report = transcript.verify(_opened(files, path), read_game)
    play = report.node.state if report.node is not None else None
    if not isinstance(play, Play):
        return replace(NOT_BEGUN, whole=report.ok)
    ranks = {seat: rank for rank, seat in report.standings}
    by_seat = tuple(ranks[seat] for seat in sorted(ranks))
    whole = report.ok or report.unfinished
    return Progress(play.state.round, play.state.figures, by_seat, whole)


@dataclass
class _Memory:
    """The file that stores how far each game came (its progress), read into memory.

    The key of an entry is made of the name, size and time of the game's transcript or journal. The
    entry has the progress, the name of the game and the nicknames.

    Attributes:
        home: The player's folder, which has the file.
        known: The entries that the file had when it was read, by their keys.
        used: The entries of games that still exist, by their keys. `save` writes them to the file.
    """

    home: Home
    known: dict[str, Any] = field(default_factory=dict)
    used: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Read the file with the progress of games. If it cannot be read, it counts as empty."""
        with suppress(OSError, NotPrivateError, ValueError, RecursionError):
            known = json.loads(self.home.files.get(_kept_in(self.home), MOST_KEPT + 1))
            self.known = known if isinstance(known, dict) else {}

    def save(self) -> None:
        """Write the progress of games to the file. If that fails, games are read again later."""
        if self.used != self.known:
            with suppress(OSError, NotPrivateError):
                self.home.files.put(_kept_in(self.home), json.dumps(self.used).encode())

    def row(self, path: Path) -> tuple[str, tuple[str, ...], Progress] | None:
        """Return the stored name, nicknames and progress of the game in a file.

        Args:
            path: The path of the file.

        Returns:
            The three values. None if nothing is stored of the file, or the file has changed since.
        """
        value: Any = self.known.get(_key_of(self.home.files, path))
        with suppress(TypeError, KeyError, ValueError, OverflowError):  # JSON has Infinity
            fields, ranks = (tuple(map(int, value[name])) for name in ("fields", "ranks"))
            progress = Progress(int(value["round"]), fields, ranks, bool(value["whole"]))
            return str(value["name"]), tuple(map(str, value["nicknames"])), progress
        return None

    def complete(self, game: KeptGame, passphrase: str | None, may_read: bool) -> KeptGame:
        """Return a copy of a game with its progress: the point to which the game was played.

        The progress is looked up in this memory first, then read from the game's file if allowed.

        Args:
            game: The game.
            passphrase: The passphrase of the journals, if they have one.
            may_read: Whether the transcript or journal may be read if nothing is stored.

        Returns:
            The game. The progress is None if it is not known.
        """
        is_journal = game.path.suffix == ".journal"
        row = None if is_journal and passphrase else self.row(game.path)
        found = row[-1] if row else None
        if found is None and may_read:
            path = game.path
            if is_journal:
                found = _of_journal(path, passphrase, self.home.files)
            else:
                found = _of_transcript(self.home.unchecked, path)
        if found is not None and not (is_journal and passphrase):
            head = {"name": game.name, "nicknames": game.nicknames}
            self.used[_key_of(self.home.files, game.path)] = {**asdict(found), **head}
        return replace(game, progress=found)


def _kept_in(home: Home) -> Path:
    """Return the path of the file in which the progress of games is stored."""
    return home.path / "games.json"


def _key_of(files: FileStore, path: Path) -> str:
    """Return the key under which the progress of a game is stored.

    The key is the name, size and time of change of the file at `path`, a transcript or journal.
    """
    with suppress(OSError):
        found = files.info(path)
        return f"{path.name}:{found.size}:{found.changed}"
    return path.name


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
    the journal, because a journal with another final step is the only proof of a fork.

    Args:
        seat: The player and the folder with the player's journals.
        name: The name of the game or its beginning. None for the only game that waits for its
            player.
        path: The path of the transcript.
        beside: The folders of this computer's bots at the table. Their journals are compared too,
            because they are removed once the game has no journal of the player.

    Returns:
        The path at which the transcript is stored, and the report of the verifier.

    Raises:
        PeerError: If there is no such game, if the file is not the valid transcript of this
            finished game, or if it lacks a final step of a journal. The journal is kept then.
        JournalError: If the journal is in use, or the transcript cannot be written.
    """
    game = find_game(seat.home, name, seat.passphrase)
    data = _read(seat.home.unchecked, path)
    report = transcript.verify(data, read_game)
    book, first, machine, _ = reopen(seat, game.name)
    with closing(book):
        _check(path, report, machine.table.id, game.name)
        for one in (machine, *machines_in(beside, game.name)):
            check_branch(path, report, one, game.name)
        usual = seat.home.transcripts / f"{game.name}.hoity"
        files = seat.home.unchecked
        kept = transcript_archive.keep(data, seat.output or usual, usual, book, files)
        keep_vouches(files, seat.home.transcripts, machine.table.id, first.vouches)
    book.remove()
    return kept, report


def _read(files: FileStore, path: Path) -> bytes:
    """Read a file, but at most one byte more than a valid transcript can have."""
    try:
        return files.get(path, transcript.MAX_FILE + 1)
    except OSError as error:
        raise PeerError(FileCode.UNREADABLE, path=str(path), why=of_system(error)) from None


def _check(path: Path, report: transcript.Report, table: bytes, game: str) -> None:
    """Check that a verifier's report is about the finished and valid game of a table.

    Args:
        path: The path of the transcript, for the error.
        report: The report.
        table: The id of the table, 32 bytes.
        game: The name of the game, for the error.

    Raises:
        PeerError: If the report is about another table, or the game is unfinished or invalid.
    """
    if report.ok and report.table == table.hex():
        return
    if report.table and report.table != table.hex():
        raise PeerError(FileCode.OTHER_TABLE, path=str(path), game=game)
    if report.unfinished:
        raise PeerError(FileCode.NOT_FINISHED, path=str(path))
    code = report.problem.code if report.problem is not None else report.verdict
    raise PeerError(FileCode.NOT_OK, path=str(path), problem=code)
