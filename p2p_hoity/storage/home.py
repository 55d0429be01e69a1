"""The folder of a player's files (the home): the key, the journals and the transcripts."""

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
    """The folder of one player's files, with the paths of the files in it.

    Attributes:
        path: The folder.
        store: The store of the files. None for this computer's disk.
    """

    path: Path
    store: FileStore | None = None

    @cached_property
    def files(self) -> FileStore:
        """The store in which the files of this folder are read and written."""
        from .private_files import PrivateFiles  # A help page does not need it.

        return self.store or PrivateFiles(self.path)

    @property
    def identity(self) -> Path:
        """The path of the file with the player's long-lived key."""
        return self.path / "identity"

    @property
    def journals(self) -> Path:
        """The folder of the journals, one for each unfinished game."""
        return self.path / "journals"

    @property
    def transcripts(self) -> Path:
        """The folder of the transcripts of finished games."""
        return self.path / "transcripts"


def transcripts(home: Home) -> list[Path]:
    """Return the paths of the transcripts of finished games, newest first.

    Args:
        home: The folder of the player's files.

    Returns:
        The paths.
    """
    return sorted(home.transcripts.glob("*.hoity"), key=lambda path: (-written(path), path.name))


def written(path: Path) -> int:
    """Return the time at which a file was last modified.

    Args:
        path: The file.

    Returns:
        Seconds since 1970. 0 if the file is gone.
    """
    with suppress(OSError):
        return int(path.stat().st_mtime)
    return 0


def home() -> Home:
    """Return the folder of the player's files. It need not exist yet.

    Returns:
        The folder that the environment variable HOITY_HOME names, or else the usual place of the
        platform for user data.
    """
    named = os.environ.get("HOITY_HOME")
    if named:
        return Home(Path(named))
    from platformdirs import user_data_path

    return Home(user_data_path("hoity", appauthor=False))
