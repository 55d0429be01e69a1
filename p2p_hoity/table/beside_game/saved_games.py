"""List the games of this computer, finished or not, show how far each came, and remove one.

To find how far a game came, its whole file is read, which takes up to a second. So this progress is
stored in a file of the player's folder, together with the size and time of the file that was read.
The progress of games with an encrypted journal is not stored. A claim is an unfinished game that
the player has saved as a transcript.

The player's own seat in a finished game is stored by the program that played it, or else found by
the long-lived key that the vouches of the game show.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from ...coded_errors import Code
from ...storage import journal as journals
from ...storage import transcript_archive
from ...storage.file_store import FileStore, NotPrivateError
from ...storage.home import Home, transcripts, written
from ...storage.kept_company import read_company
from ..peer_error import PeerError
from .known_progress import KnownProgress, Progress
from .unfinished_games import OpenGame, open_games

Clock = Callable[[], float]
SAVED_AT_ONCE: Final = 100
"""The number of games that are read before what was found is stored."""


class ForgetCode(Code):
    """The reasons for which a game cannot be removed."""

    RUNNING = (
        "game-running",
        "game {game} is being played in another terminal: leave it there first",
    )


@dataclass(frozen=True)
class KeptGame:
    """A game of which the player's folder has a transcript or a journal.

    Attributes:
        when: The time at which the file was last written, in Unix seconds.
        seat: The number of the player's own seat. None if it is not known.
        is_running: Whether a process of this computer plays the game now.
        is_claimed: Whether there is a claim.
        progress: None if it was not read.
        levels: Of a finished game, for each seat the level of the player's own bot there, None for
            all other seats. None if this is not known.
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
    levels: tuple[str | None, ...] | None = None


def kept_games(
    home: Home, passphrase: str | None, clock: Clock, seconds: float, own: str = ""
) -> list[KeptGame]:
    """List all games of a player's folder, finished or not, the newest first.

    A game of which there is a valid transcript with the result is over, also if its journal is
    still there.

    Args:
        clock: Returns the time in seconds, as `time.monotonic` does.
        seconds: How long files are read. The other games get the progress that was stored earlier,
            or None.
        own: The player's long-lived key in hexadecimal digits, "" if it is not known.
    """
    memory = KnownProgress(home)
    found = [*_unfinished(home, passphrase), *_finished(home, memory)]
    found.sort(key=lambda game: (-game.when, game.name))
    end = clock() + seconds
    told = [
        _seated(_complete(game, memory, passphrase, clock() < end), home, own) for game in found
    ]
    memory.save()
    # A journal outlives its game while its seat stays for the others, and if it is killed then.
    over = {game.name for game in told if game.is_over and _is_won(game.progress)}
    return [game for game in told if game.is_over or game.name not in over]


def _seated(game: KeptGame, home: Home, own: str) -> KeptGame:
    """Return a copy of a finished game with the player's own seat, if that is known."""
    if not game.is_over:
        return game
    company = read_company(home, game.name, len(game.nicknames))
    if company is not None:
        return replace(game, seat=company.seat, levels=company.levels)
    players = game.progress.players if game.progress is not None else ()
    return replace(game, seat=players.index(own)) if own and own in players else game


def unread_transcripts(home: Home) -> list[Path]:
    """Return the transcripts that were not read before, the newest first."""
    memory = KnownProgress(home)
    return [path for path in transcripts(home) if memory.row(path) is None]


def keep_read(home: Home, found: Iterable[tuple[Path, Progress]]) -> None:
    """Store what was read of transcripts, so that `kept_games` need not read them."""
    memory = KnownProgress(home)
    memory.keep_all()
    try:
        for number, (path, progress) in enumerate(found, 1):
            if (head := _head_of(home.unchecked, path)) is not None:
                memory.keep(path, *head, progress)
            if number % SAVED_AT_ONCE == 0:
                memory.save()
    finally:  # Also of a run that is interrupted.
        memory.save()


def _is_won(progress: Progress | None) -> bool:
    # An invalid transcript must not hide the journal of its game.
    return progress is not None and progress.whole and bool(progress.ranks)


def progress_of(game: OpenGame, passphrase: str | None) -> Progress | None:
    """Return how far a resumable game came, None if its journal cannot be read."""
    from . import read_progress  # It loads the rules and the protocol, which a list does not need.

    return read_progress.of_journal(game.path, passphrase, game.files)


def forget_game(game: OpenGame) -> None:
    """Remove the journal of a game for good.

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
    """Return whether a process of this computer plays a game now."""
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


def _finished(home: Home, memory: KnownProgress) -> Iterator[KeptGame]:
    """Yield the games with a transcript, without their progress.

    A claim counts as not over. It is left out if its journal still exists.
    """
    for path in transcripts(home):
        row = memory.row(path)
        head = row[:2] if row else _head_of(home.unchecked, path)
        if head is None:
            continue
        name, nicknames = head
        is_claim = path.name.endswith(transcript_archive.CLAIM)
        # Otherwise the list would show the game twice, as resumable and as claimed.
        if not (is_claim and home.files.has(home.journals / f"{name}.journal")):
            when = written(home.unchecked, path)
            yield KeptGame(name, path, nicknames, when, not is_claim, is_claimed=is_claim)


def _head_of(files: FileStore, path: Path) -> tuple[str, tuple[str, ...]] | None:
    from .read_progress import head_of

    return head_of(files, path)


def _complete(
    game: KeptGame, memory: KnownProgress, passphrase: str | None, may_read: bool
) -> KeptGame:
    """Return a copy of a game with its progress, None if it is not known.

    It is looked up in `memory` first, then read from the game's file if it `may_read`.
    """
    path, is_journal = game.path, game.path.suffix == ".journal"
    # What is encrypted must not stand in the open file of progress.
    is_sealed = is_journal and bool(passphrase)
    row = None if is_sealed else memory.row(path)
    found = row[-1] if row else None
    if found is None and may_read:
        found = _read(memory.home, path, passphrase)
    if found is not None and not is_sealed:
        memory.keep(path, game.name, game.nicknames, found)
    return replace(game, progress=found)


def _read(home: Home, path: Path, passphrase: str | None) -> Progress | None:
    """Read how far the game of a journal or transcript came. None if it cannot be read."""
    from . import read_progress

    if path.suffix == ".journal":
        return read_progress.of_journal(path, passphrase, home.files)
    return read_progress.of_transcript(home.unchecked, path)
