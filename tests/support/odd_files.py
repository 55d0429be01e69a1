"""Paths at which no file of ours stands: an empty one, a folder, a pipe, and a huge one."""

import os
from pathlib import Path


def a_file(path: Path) -> None:
    """Make an empty file."""
    path.write_bytes(b"")


def a_folder(path: Path) -> None:
    """Make a folder that only its owner may read."""
    path.mkdir(mode=0o700)


def a_pipe(path: Path) -> None:
    """Make a pipe to which nobody writes."""
    os.mkfifo(path, 0o600)


def huge(path: Path) -> None:
    """Make a file of a gibibyte, of which the disk has next to nothing."""
    with path.open("wb") as file:
        file.truncate(1 << 30)
    path.chmod(0o600)
