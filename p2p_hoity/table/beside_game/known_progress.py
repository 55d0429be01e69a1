"""The file that stores how far each game came, so that the whole file of a game is read once."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, astuple, dataclass, field
from pathlib import Path
from typing import Any, Final

from ...storage import kept_vouches
from ...storage.file_store import FileStore, NotPrivateError
from ...storage.home import Home

MOST_KEPT: Final = 1 << 24
"""The most bytes of the file."""


@dataclass(frozen=True)
class SeatCounts:
    """What a seat has done and suffered in a game, or in several.

    Attributes:
        pieces_stolen: The pieces that its Thieves took from exhibits.
        pieces_lost: The pieces that Thieves took from its exhibits.
        cash_stolen: The number of its thefts of Cash.
        cash_lost: The number of times that its Cash was stolen.
        arrests: The rounds in which its Detective caught Thieves.
        jailed: How often a Thief of its own went to prison.
        exhibits: The exhibits that it has shown in rounds.
        exhibited: The pieces of these exhibits together.
    """

    pieces_stolen: int = 0
    pieces_lost: int = 0
    cash_stolen: int = 0
    cash_lost: int = 0
    arrests: int = 0
    jailed: int = 0
    exhibits: int = 0
    exhibited: int = 0

    def __add__(self, other: SeatCounts) -> SeatCounts:
        """Return the sums of both."""
        both = zip(astuple(self), astuple(other), strict=True)
        return SeatCounts(*(one + more for one, more in both))


@dataclass(frozen=True)
class Progress:
    """The point to which a game was played.

    Attributes:
        round: The number of the last round that began. 0 if none did.
        fields: The field of the board on which each seat's figure stands.
        ranks: The rank of each seat, in the order of the seats. Empty unless the game is over.
        whole: Whether the transcript is valid. True for a journal, which is not verified.
        counts: What each seat has done. Empty unless the game is over.
        players: For each seat its player's long-lived key in hexadecimal digits, "" if it has shown
            none. Empty if no vouches are stored.
    """

    round: int
    fields: tuple[int, ...]
    ranks: tuple[int, ...] = ()
    whole: bool = True
    counts: tuple[SeatCounts, ...] = ()
    players: tuple[str, ...] = ()


NOT_BEGUN: Final = Progress(0, ())


@dataclass
class KnownProgress:
    """The file that stores how far each game came, read into memory.

    The key of an entry is made of the name, size and time of the game's transcript or journal. The
    entry has the progress, the name of the game and the nicknames, and the size and time of the
    vouches of which the players were read.

    Attributes:
        known: The entries that the file had when it was read.
        used: The entries of games that still exist. `save` writes them to the file.
    """

    home: Home
    known: dict[str, Any] = field(default_factory=dict)
    used: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Read the file. If it cannot be read, it counts as empty."""
        # The file only saves time, so nothing in it may be a reason to fail.
        with suppress(OSError, NotPrivateError, ValueError, RecursionError):
            known = json.loads(self.home.files.get(_kept_in(self.home), MOST_KEPT + 1))
            self.known = known if isinstance(known, dict) else {}

    def save(self) -> None:
        """Write the file. If that fails, games are read again later."""
        if self.used != self.known:
            with suppress(OSError, NotPrivateError):
                self.home.files.put(_kept_in(self.home), json.dumps(self.used).encode())

    def row(self, path: Path) -> tuple[str, tuple[str, ...], Progress] | None:
        """Return the stored name, nicknames and progress of an unchanged file, or None."""
        value: Any = self.known.get(_key_of(self.home.files, path))
        with suppress(TypeError, KeyError, ValueError, OverflowError):  # JSON has Infinity
            fields, ranks = (tuple(map(int, value[name])) for name in ("fields", "ranks"))
            counts = tuple(SeatCounts(*map(int, row)) for row in value["counts"])
            players = tuple(bytes.fromhex(key).hex() for key in value["players"])
            whole = bool(value["whole"])
            progress = Progress(int(value["round"]), fields, ranks, whole, counts, players)
            name, nicknames = str(value["name"]), tuple(map(str, value["nicknames"]))
            is_whole = {len(counts), len(players)} <= {0, len(nicknames)}
            # The vouches may have come after the transcript.
            if is_whole and value["vouches"] == self._mark_of_vouches(path, name):
                return name, nicknames, progress
        return None

    def keep(self, path: Path, name: str, nicknames: tuple[str, ...], progress: Progress) -> None:
        """Make the entry that `save` writes of the game with a transcript or journal at a path."""
        row = {**asdict(progress), "counts": [astuple(one) for one in progress.counts]}
        head = {"name": name, "nicknames": nicknames, "vouches": self._mark_of_vouches(path, name)}
        self.used[_key_of(self.home.files, path)] = {**row, **head}

    def keep_all(self) -> None:
        """Make every entry that was read one of those that `save` writes."""
        self.used = {**self.known, **self.used}

    def _mark_of_vouches(self, path: Path, name: str) -> str:
        """Return the size and time of the vouches beside a transcript, "" if there are none."""
        return _mark(self.home.files, path.with_name(f"{name}{kept_vouches.SUFFIX}"))


def _kept_in(home: Home) -> Path:
    return home.path / "games.json"


def _key_of(files: FileStore, path: Path) -> str:
    """Return the key of a transcript or journal: its name, size and time of change."""
    return f"{path.name}:{_mark(files, path)}".rstrip(":")


def _mark(files: FileStore, path: Path) -> str:
    """Return the size of a file and the time of its change, "" if there is none."""
    with suppress(OSError):
        found = files.info(path)
        return f"{found.size}:{found.changed}"
    return ""
