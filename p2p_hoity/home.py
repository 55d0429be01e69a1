"""Where a player's files live: key, journals, transcripts; owner-only."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast


@dataclass(frozen=True)
class Home:
    """One player's folder. `HOITY_HOME` moves it away from the platform's usual place."""

    path: Path

    @property
    def identity(self) -> Path:
        """The key file."""
        return self.path / "identity"

    @property
    def journals(self) -> Path:
        """One journal a game."""
        return self.path / "journals"

    @property
    def marks(self) -> Path:
        """One mark a journal: what its last record was, kept apart from it."""
        return self.path / "marks"

    @property
    def transcripts(self) -> Path:
        """Finished games."""
        return self.path / "transcripts"


def home() -> Home:
    """The folder that the environment or the platform names; it need not exist yet."""
    named = os.environ.get("HOITY_HOME")
    if named:
        return Home(Path(named))
    from platformdirs import user_data_path

    return Home(user_data_path("hoity", appauthor=False))


def private_folder(path: Path) -> Path:
    """Make a folder that only its owner can enter, and those above it that are missing; an
    existing one is left as it is."""
    if not path.parent.exists():
        private_folder(path.parent)
    path.mkdir(mode=0o700, exist_ok=True)
    return path


def open_private(path: Path, mode: str) -> IO[bytes]:
    """Open a file to write or add to that, if it is made now, only its owner can read."""
    return cast(
        "IO[bytes]", open(path, mode, opener=lambda name, flags: os.open(name, flags, 0o600))
    )


def write_private(path: Path, data: bytes) -> None:
    """Write a file that only its owner can read, whole or not at all, and on disk when done."""
    private_folder(path.parent)
    write_whole(path, data, 0o600)


def write_whole(path: Path, data: bytes, mode: int) -> None:
    """Write a file whole or not at all, and on disk when done; OSError leaves an old one as it is.

    `mode` as `os.open` takes it: the umask is taken off.
    """
    fresh = path.with_name(path.name + ".new")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except OSError:
        fresh.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """Make a rename or a new file in this folder last, where the platform can."""
    if os.name == "nt":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
