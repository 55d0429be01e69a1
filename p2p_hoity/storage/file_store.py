"""The interface through which a table stores files.

`private_files` implements it on this computer's disk. To store games elsewhere, write another class
with the methods of `FileStore`, and give it to `Home`. A table has no other way to a file.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ..coded_errors import CodedError


class NotPrivateError(CodedError):
    """An error: other users of the computer own or can access a file of the player."""


@dataclass(frozen=True)
class FileInfo:
    """What a store knows of a file without reading it.

    Attributes:
        size: The size, in bytes.
        changed: When the content was last changed, in nanoseconds since 1970.
    """

    size: int
    changed: int


class StoredFile(Protocol):
    """An open file, locked against everybody else until it is closed."""

    @property
    def number(self) -> int:
        """A number below 2**64 that identifies this file in its store, such as an inode number.

        A copy that replaces the file at the same path has another number.
        """

    @property
    def closed(self) -> bool:
        """True if the file was closed."""

    def read(self, size: int = -1, /) -> bytes:
        """Read bytes from the current position.

        Args:
            size: The most bytes to read. If negative, read to the end.

        Returns:
            The bytes.
        """

    def write(self, data: bytes, /) -> int:
        """Write bytes at the current position. They may not be on disk before `sync`.

        Args:
            data: The bytes.

        Returns:
            The number of bytes that were written.
        """

    def seek(self, offset: int, /) -> int:
        """Move to a position in the file.

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
        """Force all written bytes to the disk, and also the directory entry of a new file.

        Raises:
            OSError: If that fails.
        """

    def close(self) -> None:
        """Close the file and release its lock."""


class FileStore(Protocol):
    """A store of files that only one person can access.

    Every method raises OSError if the store fails, and NotPrivateError if other people can access
    the file or its folder. Methods that make a file also make missing folders.
    """

    def get(self, path: Path, most: int = -1) -> bytes:
        """Return the first bytes of a file.

        Args:
            path: The file.
            most: The most bytes to return. All if negative.

        Returns:
            The bytes.
        """

    def put(self, path: Path, data: bytes, once: bool = False, settle: bool = True) -> None:
        """Write a file as a whole or not at all.

        Args:
            path: The file. An older one at this path is replaced, unless `once` is True.
            data: The whole content.
            once: Whether to raise FileExistsError, and change nothing, if the file exists.
            settle: Whether to force the directory entry to the disk, too. If not, a crash may bring
                back the state before the call.
        """

    def append(self, path: Path, new: bool = False) -> StoredFile:
        """Open a file for reading and writing, and lock it.

        Args:
            path: The file.
            new: Whether to make the file, and raise FileExistsError if it exists. If False, it must
                exist.

        Returns:
            The open file.

        Raises:
            BlockingIOError: If the file is locked.
            FileNotFoundError: If the file does not exist.
        """

    def lock(self, path: Path, wait: bool = False) -> StoredFile | None:
        """Lock a file that serves only as a lock. The file is made if it does not exist.

        Args:
            path: The file.
            wait: Whether to wait until the lock is free.

        Returns:
            The open file. None if somebody else has locked it.
        """

    def list(self, folder: Path, ending: str) -> list[Path]:
        """Return the files of a folder whose names end with a suffix.

        Args:
            folder: The folder. It need not exist.
            ending: The suffix.

        Returns:
            The paths of the files, sorted by name.
        """

    def has(self, path: Path) -> bool:
        """Return whether a file exists.

        Args:
            path: The file.

        Returns:
            True if anything has this path.
        """

    def info(self, path: Path) -> FileInfo:
        """Return what is known of a file. Nobody's access is checked, because nothing is read.

        Args:
            path: The file.

        Returns:
            Its size and the time of its last change.

        Raises:
            FileNotFoundError: If the file does not exist.
            NotRegularError: If the path is a folder, a device or a pipe.
        """

    def real(self, path: Path) -> Path:
        """Return the one path of a file or folder to which all its other paths lead.

        Args:
            path: A path of the file or folder, which need not exist. It may lead through links.

        Returns:
            The path without links.
        """

    def remove(self, path: Path, settle: bool = False) -> None:
        """Remove a file, if it exists.

        Args:
            path: The file.
            settle: Whether to force the removal to the disk. If not, the file may be there again
                after a crash.
        """
