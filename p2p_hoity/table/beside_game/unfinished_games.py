"""The unfinished games of this computer: list them, and find the one that the player means.

A game is claimed if its player has saved it unfinished as a transcript. It is then found only by
its name. Marks are empty files beside a journal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ...coded_errors import NOT_OK, Code
from ...storage import journal as journals
from ...storage.file_store import FileStore, NotPrivateError
from ...storage.home import Home, transcripts
from ...storage.journal_format import SeatRecord
from ...storage.player_key import of_file
from ..peer_error import PeerError


class ResumeCode(Code):
    """The reasons for which a game of this computer cannot be resumed."""

    SEVERAL = "several-games", "several games can be resumed: {names}; name one"
    CLAIMED = (
        "only-claimed-games",
        (
            "no game is waiting for you. Games that you have saved as a claim have to be named: "
            "{names}"
        ),
    )
    NO_GAME = (
        "no-game",
        "no game is waiting for you on this machine: join a table with hoity join, or open one "
        "with hoity host",
    )
    NO_SUCH_GAME = (
        "no-such-game",
        "no unfinished game in {path} has an id that begins with {text}: hoity games lists the "
        "games of this machine",
    )
    OVER = (
        "game-over",
        "the game {game} is over, so there is nothing to resume or to forget. To see it again: "
        "hoity replay {game}",
    )
    NOT_BEGUN = "game-not-begun", "that game had not begun: there is nothing to save", NOT_OK
    BY_PROXY = (
        "game-by-proxy",
        "this game is played through a proxy, and you have named none: add --proxy, or the "
        "others would see your address",
    )
    NO_RELAY = (
        "game-by-relays-without-one",
        "this game is played through a relay alone (--relay-only), and none is known: name one"
        " with --relay HOST:PORT",
    )
    SHOWN = (
        "game-by-relays-alone",
        "this game is played through a relay alone (--relay-only): --listen and --advertise would"
        " show an address of yours; leave them out",
    )


@dataclass(frozen=True)
class OpenGame:
    """A journal on this computer, whose game can be resumed.

    Attributes:
        started: The time at which the game began, in Unix seconds.
        seat: The number of the player's own seat.
        relays: The 'host:port' of each relay at which the seat waits for calls.
        relay_only: Whether the seat is reached by its relays alone.
    """

    name: str
    path: Path
    nicknames: tuple[str, ...]
    started: int
    seat: int = 0
    is_claimed: bool = False
    relays: tuple[str, ...] = ()
    relay_only: bool = False
    files: FileStore | None = field(default=None, repr=False, compare=False)

    @property
    def opponents(self) -> tuple[str, ...]:
        """The nicknames of the other seats."""
        return tuple(n for seat, n in enumerate(self.nicknames) if seat != self.seat)


class SeveralGames(PeerError):
    """An error: several stored games could be meant, so the player has to name the right game."""

    def __init__(self, games: Sequence[OpenGame]) -> None:
        super().__init__(ResumeCode.SEVERAL, names=tuple(game.name for game in games))
        self.games = tuple(games)


def open_games(home: Home, passphrase: str | None = None) -> list[OpenGame]:
    """List the games of this computer that can be resumed, the newest first.

    A journal is left out if it cannot be read, or if other users have access to it (see
    `refused_games`). A NotPrivateError is raised if they have access to the folder of the journals.
    """
    found = []
    for path in _journals(home):
        try:
            first = journals.read_first(path, passphrase, home.files)
            names = tuple(entry.nickname for entry in first.table.roster)
            game = OpenGame(path.stem, path, names, first.started, first.seat)
            is_claimed = home.files.has(claimed_mark(path))
            alone = is_relay_only(home.files, path, first)
            game = replace(game, is_claimed=is_claimed, relays=first.relays, relay_only=alone)
            game = replace(game, files=home.files)
            found.append(game)
        except (journals.JournalError, NotPrivateError, ValueError):
            continue
    return sorted(found, key=lambda game: -game.started)


def refused_games(home: Home) -> Iterator[NotPrivateError]:
    """Find the journals that other users own or have access to.

    Each error says what is wrong and how to correct it.
    """
    for path in _journals(home):
        try:
            journals.check(path, home.files)
        except NotPrivateError as error:
            yield error
        except journals.JournalError:
            continue


def _journals(home: Home) -> list[Path]:
    return home.files.list(home.journals, ".journal")


def find_game(home: Home, name: str | None, passphrase: str | None = None) -> OpenGame:
    """Return the game with a given name, or the only game that waits for its player.

    Args:
        name: The name of the game or its beginning. None for the only game that is not claimed.

    Raises:
        SeveralGames: If more than one game fits.
        PeerError: If no game fits.
    """
    games = open_games(home, passphrase)
    if name is None:
        fitting = [game for game in games if not game.is_claimed]
    else:
        fitting = [game for game in games if game.name.startswith(name)]
    if len(fitting) > 1:
        raise SeveralGames(fitting)
    if fitting:
        return fitting[0]
    claimed = tuple(g.name for g in games if g.is_claimed)
    if name is None and claimed:
        raise PeerError(ResumeCode.CLAIMED, names=claimed)
    # A journal that cannot be read may be that game, which must not be called missing.
    _tell_unreadable(home, name or "", passphrase)
    if name is None:
        raise PeerError(ResumeCode.NO_GAME)
    for path in transcripts(home):
        if path.stem.startswith(name) and "." not in path.stem:  # no claim
            raise PeerError(ResumeCode.OVER, game=path.stem)
    raise PeerError(ResumeCode.NO_SUCH_GAME, path=str(home.journals), text=name)


def _tell_unreadable(home: Home, name: str, passphrase: str | None) -> None:
    """Raise PeerError if a journal that may be of the game `name` cannot be read."""
    for path in _journals(home):
        if path.stem.startswith(name):
            try:
                journals.read_first(path, passphrase, home.files)
            except (journals.JournalError, ValueError) as error:
                why = of_file(error)
                raise PeerError(journals.JournalCode.UNUSABLE, path=str(path), why=why) from error


def claimed_mark(journal: Path) -> Path:
    """Return the path of the mark of a claimed game, whether it exists or not."""
    return journal.with_suffix(".claimed")


def relay_only_mark(journal: Path) -> Path:
    """Return the path of the mark of a seat that is reached by relays alone."""
    return journal.with_suffix(".relay-only")


def is_relay_only(files: FileStore, journal: Path, first: SeatRecord) -> bool:
    """Return whether a seat is reached by its relays alone.

    This was decided when the game began, or when the seat was resumed.
    """
    # Once so, always so: a resume without the option must not show an address ([L-58]).
    return first.relay_only or files.has(relay_only_mark(journal))
