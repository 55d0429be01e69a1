"""The port through which a table keeps files: what it needs of a disk, and nothing more.

`private_files` implements it on this machine's disk. Whoever wants to keep games elsewhere writes
another `FileStore` and gives it to `Home`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol


class StoredFile(Protocol):
    """An open file that nobody else has open meanwhile; it is locked until it is closed."""

    @property
    def number(self) -> int:
        """Which file of its store this is, below 2**64. A copy at the same path has another one."""

    @property
    def closed(self) -> bool:
        """Whether it has been closed."""

    def read(self, size: int = -1, /) -> bytes:
        """Read up to `size` bytes, or all that follow."""

    def write(self, data: bytes, /) -> int:
        """Write bytes where the file stands. They may stay in memory until `sync`."""

    def seek(self, offset: int, /) -> int:
        """Go to a place, in bytes from the beginning."""

    def tell(self) -> int:
        """Return where the file stands, in bytes from the beginning."""

    def truncate(self) -> int:
        """Cut off everything behind where the file stands."""

    def sync(self) -> None:
        """Put everything written on disk, and the name of a new file.

        Raises:
            OSError: If the disk does not take it.
        """

    def close(self) -> None:
        """Close the file and release its lock."""


class FileStore(Protocol):
    """A store of files for one person alone.

    Every method raises OSError if the store cannot do what it should, and NotPrivateError if other
    people can get at the file or its folder. Folders are made as needed.
    """

    def get(self, path: Path, most: int = -1) -> bytes:
        """Return the first bytes of a file.

        Args:
            path: The file.
            most: How many bytes at most; all of them if negative.
        """

    def put(self, path: Path, data: bytes, once: bool = False, settle: bool = True) -> None:
        """Write a file whole or not at all, in place of an older one.

        Args:
            path: The file.
            data: Its bytes. They are on disk on return.
            once: Raise FileExistsError if the file exists, and leave that as it is.
            settle: Put the file's name on disk, too. Otherwise a crash may bring an older one back.
        """

    def append(self, path: Path, new: bool = False) -> StoredFile:
        """Open a file for reading and writing, and lock it.

        Args:
            path: The file.
            new: Make the file. Raise FileExistsError if it exists. Otherwise it must exist.

        Raises:
            BlockingIOError: If it is locked.
            FileNotFoundError: If there is none.
        """

    def lock(self, path: Path, wait: bool = False) -> StoredFile | None:
        """Lock a file that has no other purpose, and make it if needed.

        Args:
            path: The file.
            wait: Wait until it is free.

        Returns:
            The open file, or None if it is locked by somebody else.
        """

    def list(self, folder: Path, ending: str) -> list[Path]:
        """Return the files of a folder whose names end so, by name; none if there is no folder."""

    def has(self, path: Path) -> bool:
        """Return whether there is such a file."""

    def remove(self, path: Path, settle: bool = False) -> None:
        """Remove a file, if there is one.

        Args:
            path: The file.
            settle: Remove its name from the disk, too. Otherwise a crash may bring it back.
        """
