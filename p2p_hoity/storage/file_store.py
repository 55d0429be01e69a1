"""The interface through which a table stores files.

`private_files` implements it on this machine's disk. To store games elsewhere, write another
`FileStore` and give it to `Home`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol


class StoredFile(Protocol):
    """An open file that is locked against everybody else until it is closed."""

    @property
    def number(self) -> int:
        """The number of this file in its store, below 2**64.

        A copy at the same path has another number.
        """

    @property
    def closed(self) -> bool:
        """True if the file was closed."""

    def read(self, size: int = -1, /) -> bytes:
        """Read bytes from the current position.

        Args:
            size: How many bytes at most. All that follow if negative.

        Returns:
            The bytes.
        """

    def write(self, data: bytes, /) -> int:
        """Write bytes at the current position. They may stay in memory until `sync`.

        Args:
            data: The bytes.

        Returns:
            How many bytes were written.
        """

    def seek(self, offset: int, /) -> int:
        """Move to a position.

        Args:
            offset: Bytes from the beginning.

        Returns:
            The new position.
        """

    def tell(self) -> int:
        """Return the current position.

        Returns:
            Bytes from the beginning.
        """

    def truncate(self) -> int:
        """Cut off everything after the current position.

        Returns:
            The new size, in bytes.
        """

    def sync(self) -> None:
        """Put everything written on disk, and the name of a new file, too.

        Raises:
            OSError: If the disk does not accept it.
        """

    def close(self) -> None:
        """Close the file and release its lock."""


class FileStore(Protocol):
    """A store of files that only one person can access.

    Every method raises OSError if the store fails, and NotPrivateError if other people can access
    the file or its folder. Folders are made as needed.
    """

    def get(self, path: Path, most: int = -1) -> bytes:
        """Return the first bytes of a file.

        Args:
            path: The file.
            most: How many bytes at most. All of them if negative.

        Returns:
            The bytes.
        """

    def put(self, path: Path, data: bytes, once: bool = False, settle: bool = True) -> None:
        """Write a file as a whole or not at all, in place of an older one.

        Args:
            path: The file.
            data: Its bytes. They are on disk on return.
            once: Whether to raise FileExistsError if the file exists, and to leave it as it is.
            settle: Whether to put the file's name on disk, too. Otherwise a crash may bring an
                older file back.
        """

    def append(self, path: Path, new: bool = False) -> StoredFile:
        """Open a file for reading and writing, and lock it.

        Args:
            path: The file.
            new: Whether to make the file, and to raise FileExistsError if it exists. Otherwise it
                must exist.

        Returns:
            The open file.

        Raises:
            BlockingIOError: If it is locked.
            FileNotFoundError: If it does not exist.
        """

    def lock(self, path: Path, wait: bool = False) -> StoredFile | None:
        """Lock a file that has no other purpose, and make it if needed.

        Args:
            path: The file.
            wait: Whether to wait until it is free.

        Returns:
            The open file. None if somebody else has locked it.
        """

    def list(self, folder: Path, ending: str) -> list[Path]:
        """Return the files of a folder whose names end with a suffix.

        Args:
            folder: The folder. It need not exist.
            ending: The suffix.

        Returns:
            Their paths, by name.
        """

    def has(self, path: Path) -> bool:
        """Return whether a file exists.

        Args:
            path: The file.

        Returns:
            True if something has this name.
        """

    def remove(self, path: Path, settle: bool = False) -> None:
        """Remove a file, if it exists.

        Args:
            path: The file.
            settle: Whether to remove its name from the disk, too. Otherwise a crash may bring it
                back.
        """
