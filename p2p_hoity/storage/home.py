"""Where a player's files are: key, journals and transcripts."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .file_store import FileStore


@dataclass(frozen=True)
class Home:
    """One player's folder. `HOITY_HOME` moves it away from the platform's usual place.

    Attributes:
        path: The folder.
        store: The store that holds its files, if that is not this machine's disk.
    """

    path: Path
    store: FileStore | None = None

    @cached_property
    def files(self) -> FileStore:
        """The store that holds its files."""
        from .private_files import PrivateFiles  # not loaded to show a help page

        return self.store or PrivateFiles(self.path)

    @property
    def identity(self) -> Path:
        """The key file."""
        return self.path / "identity"

    @property
    def journals(self) -> Path:
        """One journal a game."""
        return self.path / "journals"

    @property
    def transcripts(self) -> Path:
        """Finished games."""
        return self.path / "transcripts"


def transcripts(home: Home) -> list[Path]:
    """The transcripts of this home, newest first."""
    return sorted(home.transcripts.glob("*.hoity"), key=lambda path: (-written(path), path.name))


def written(path: Path) -> int:
    """When a file was written last, in seconds since 1970; 0 if it is gone."""
    with suppress(OSError):
        return int(path.stat().st_mtime)
    return 0


def home() -> Home:
    """The folder that the environment or the platform names; it need not exist yet."""
    named = os.environ.get("HOITY_HOME")
    if named:
        return Home(Path(named))
    from platformdirs import user_data_path

    return Home(user_data_path("hoity", appauthor=False))
