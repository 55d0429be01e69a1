"""The file that stores how far each game came, so that the whole file of a game is read once."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from ...storage.file_store import FileStore, NotPrivateError
from ...storage.home import Home

MOST_KEPT: Final = 1 << 22
"""The most bytes of the file."""


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


@dataclass
class KnownProgress:
    """The file that stores how far each game came, read into memory.

    The key of an entry is made of the name, size and time of the game's transcript or journal. The
    entry has the progress, the name of the game and the nicknames.

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
            progress = Progress(int(value["round"]), fields, ranks, bool(value["whole"]))
            return str(value["name"]), tuple(map(str, value["nicknames"])), progress
        return None

    def keep(self, path: Path, name: str, nicknames: tuple[str, ...], progress: Progress) -> None:
        """Make the entry that `save` writes of the game with a transcript or journal at a path."""
        head = {"name": name, "nicknames": nicknames}
        self.used[_key_of(self.home.files, path)] = {**asdict(progress), **head}


def _kept_in(home: Home) -> Path:
    return home.path / "games.json"


def _key_of(files: FileStore, path: Path) -> str:
    """Return the key of a transcript or journal: its name, size and time of change."""
    with suppress(OSError):
        found = files.info(path)
        return f"{path.name}:{found.size}:{found.changed}"
    return path.name
