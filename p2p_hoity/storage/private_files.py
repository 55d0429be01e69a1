"""A store of files on this computer's disk that only their owner can access, with file locks.

Another user of the computer may have put a link, a pipe or a file where the program is about to
write. So a new file is made exclusively, under a name that nobody can guess. An existing file is
refused if another user owns or can access the file or its folder. Windows has no mode bits to
check. There a new folder inherits the access rights of its parent, and only the user has access to
the user's profile.
"""

from __future__ import annotations

import errno
import io
import os
import secrets
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from ..coded_errors import Code, NotRegularError
from ..shell_words import command
from .file_store import FileInfo, FileStore, NotPrivateError
from .folder_owner import closing

CHECKED: Final = os.name != "nt"
"""Whether this system has mode bits that show who can access a file."""
CAREFUL: Final = (
    getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)
)
"""Flags for opening a file that another user may have replaced.

Follow no link, do not pass the file to child processes, and do not wait for the other end of a
pipe.
"""
NEW: Final = os.O_CREAT | os.O_EXCL | CAREFUL
OTHERS: Final = 0o077
"""The mode bits that give access to users other than the owner."""
LOCKED_BYTE: Final = 2**31 - 2
"""The byte by which all copies of this program lock a file on Windows.

It lies behind the end of every file, because other programs cannot read a locked byte.
"""


class PrivateCode(Code):
    """The reasons why a file is refused because other users can access it.

    `{command}` stands for a shell command that solves the problem.
    """

    OTHERS = (
        "owned-by-another",
        "{path} belongs to another user of this machine. If it is yours, take it over with: "
        "{command}",
    )
    OPEN = (
        "open-to-others",
        "other users of this machine can access {path}: prevent it with: {command}",
    )
    SHARED = (
        "shared-folder",
        "other users of this machine own or can access the folder {path}: choose a folder of "
        "your own with HOITY_HOME (for the marks of journals: HOITY_MARKS)",
    )

    NO_MODES = (
        "no-modes",
        "the file system of {path} does not store which users can access a file, so no other user "
        "of this machine can be kept out of it. Choose a folder on another file system, such as "
        "one in your home folder, with HOITY_HOME (for the marks of journals: HOITY_MARKS).",
    )


def check_private(path: Path, found: os.stat_result) -> None:
    """Check that only the user of this process can access a file or folder.

    Raises:
        NotPrivateError: If another user owns or can access it, as far as the system can tell.
    """
    if not CHECKED:
        return
    is_folder = stat.S_ISDIR(found.st_mode)
    is_foreign = found.st_uid != os.geteuid()
    # A link has every mode bit, and they give nobody access.
    is_open = not stat.S_ISLNK(found.st_mode) and bool(found.st_mode & OTHERS)
    if (is_foreign or is_open) and not _keeps_modes(path if is_folder else path.parent):
        raise NotPrivateError(PrivateCode.NO_MODES, path=str(path))
    is_file = stat.S_ISREG(found.st_mode)  # And no device, such as /dev/null.
    close = closing(path, is_folder) if is_open and (is_folder or is_file) else None
    # A sticky folder, such as /tmp, serves all users, and to close it would stop their programs.
    is_shared = is_open and (close is None or (is_folder and bool(found.st_mode & stat.S_ISVTX)))
    if is_shared or (is_folder and is_foreign):
        raise NotPrivateError(PrivateCode.SHARED, path=str(path))
    if is_foreign:
        take = command("sudo", "chown", "-h", str(os.geteuid()), path)
        raise NotPrivateError(PrivateCode.OTHERS, path=str(path), command=take)
    if close is not None:
        raise NotPrivateError(PrivateCode.OPEN, path=str(path), command=command(*close))


def _keeps_modes(folder: Path) -> bool:
    """Return whether a file system stores who can access a file. True if it cannot be tried."""
    trial = folder / f".{secrets.token_hex(12)}.new"
    try:
        trial.mkdir(mode=0o700)
    except OSError:
        return True
    try:
        found = trial.stat()
    finally:
        trial.rmdir()
    return not found.st_mode & OTHERS


def check_folder(path: Path) -> None:
    """Check that only the user can access a folder, or raise NotPrivateError."""
    # First the link itself, which another user could turn elsewhere, then what it leads to.
    check_private(path, path.lstat())
    check_private(path, path.stat())


def check_if_there(path: Path) -> None:
    """Check that only the user can access a folder, if the folder exists."""
    if os.path.lexists(path):
        check_folder(path)


def make_folder(path: Path) -> Path:
    """Make a folder that only its owner can enter, and missing folders above it. Return its path.

    An existing folder is left as it is, and is not checked.

    Raises:
        NotADirectoryError: If the path exists and is not a folder.
    """
    if not path.parent.exists():
        make_folder(path.parent)
    try:
        path.mkdir(mode=0o700, exist_ok=True)
    except FileExistsError as error:  # The original error would say that the file in it exists.
        raise NotADirectoryError(errno.ENOTDIR, "it is no folder", str(path)) from error
    return path


def private_folder(path: Path) -> Path:
    """Make a folder that only its owner can enter, or check the one that exists. Return its path.

    A NotPrivateError is raised if another user owns or can access the folder.
    """
    make_folder(path)
    check_folder(path)
    return path


class DiskFile(io.BufferedRandom):
    """An open file on this computer's disk.

    Attributes:
        unsettled: The folder of a new file whose directory entry may not be on disk. None if it is.
    """

    unsettled: Path | None = None

    @property
    def number(self) -> int:
        """The inode number of the file."""
        return os.fstat(self.fileno()).st_ino & (2**64 - 1)

    def sync(self) -> None:
        """Force all written data to the disk (fsync), and the directory entry of a new file."""
        self.flush()
        os.fsync(self.fileno())
        if self.unsettled is not None:
            sync_folder(self.unsettled)
            # Only after it has succeeded, or a repeated call would not settle the entry.
            self.unsettled = None


@dataclass(frozen=True)
class PrivateFiles(FileStore):
    """A `FileStore` on this computer's disk.

    Attributes:
        root: The highest folder of the store. Only the owner may have access to the root and to the
            folders between the root and a file. For a file outside the root, only the folder of the
            file is checked. If the root is None, no folder is checked.
    """

    root: Path | None

    def _folders(self, path: Path) -> list[Path]:
        """Return the folders above a file that must be private, the highest first."""
        if self.root is None:
            return []
        above = list(path.parents)
        # The highest first: in a folder of others all that lies below may be exchanged at any time.
        return above[: above.index(self.root) + 1][::-1] if self.root in above else above[:1]

    def _open(self, path: Path, flags: int) -> int:
        """Return the descriptor of a regular file of the user, or raise NotRegularError."""
        descriptor = os.open(path, flags | CAREFUL, 0o600)
        try:
            # Of the open file, not of the path, which may lead to another file by now.
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise NotRegularError(22, "it is not a regular file", str(path))
            check_private(path, found)
            for folder in self._folders(path):
                check_folder(folder)
        except (OSError, NotPrivateError):
            os.close(descriptor)
            raise
        return descriptor

    def get(self, path: Path, most: int = -1) -> bytes:
        """Return the first bytes of a file."""
        with os.fdopen(self._open(path, os.O_RDONLY), "rb") as file:
            return file.read(most)

    def _make_folders(self, path: Path) -> None:
        """Make the missing folders above a file. Check those that must be private."""
        for folder in self._folders(path):
            private_folder(folder)
        if self.root is None:
            make_folder(path.parent)

    def put(self, path: Path, data: bytes, once: bool = False, settle: bool = True) -> None:
        """Write a file that only its owner can read, as a whole or not at all."""
        self._make_folders(path)
        # In the same folder, because a rename cannot lead to another file system.
        fresh = path.with_name(f".{secrets.token_hex(12)}.new")
        descriptor = os.open(fresh, os.O_WRONLY | NEW, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            # On disk before it gets its name: after a crash the path has the old content or the
            # new.
            _name(fresh, path, once)
        finally:
            fresh.unlink(missing_ok=True)
        if settle:
            sync_folder(path.parent)

    def append(self, path: Path, new: bool = False) -> DiskFile:
        """Open a file for reading and writing, and lock it.

        Raises:
            FileNotFoundError: Also if the process that had the file locked has just removed it.
            BlockingIOError: If it is locked.
        """
        if new:
            self._make_folders(path)
        file = self._opened(path, os.O_RDWR | (NEW if new else 0))
        # Another process may have removed the file after it was opened here and before it was
        # locked. A lock of a file without a name would lock out nobody.
        is_ours = hold(file)
        if is_ours and _is_named(file, path):
            file.unsettled = path.parent if new else None
            return file
        file.close()
        if is_ours:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
        raise BlockingIOError(errno.EAGAIN, "it is locked", str(path))

    def _opened(self, path: Path, flags: int) -> DiskFile:
        return DiskFile(io.FileIO(self._open(path, flags), "r+b"))

    def lock(self, path: Path, wait: bool = False) -> DiskFile | None:
        """Lock a file that serves only as a lock. The file is made if it does not exist."""
        self._make_folders(path)
        is_ours = True
        while is_ours:
            file = self._opened(path, os.O_RDWR | os.O_CREAT)
            is_ours = hold(file, wait)
            # Otherwise its last holder has removed it: the lock would keep out nobody, so try
            # again.
            if is_ours and _is_named(file, path):
                return file
            file.close()
        return None

    def list(self, folder: Path, ending: str) -> list[Path]:
        """Return the files of a folder whose names end with a suffix."""
        for above in self._folders(folder / "file"):
            check_if_there(above)
        return sorted(folder.glob(f"*{ending}"))

    def has(self, path: Path) -> bool:
        """Return whether a file, folder or link has this path."""
        return os.path.lexists(path)

    def info(self, path: Path) -> FileInfo:
        """Return the size of a file and the time of its last change. Links are followed."""
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise NotRegularError(errno.EINVAL, "it is not a regular file", str(path))
        return FileInfo(found.st_size, found.st_mtime_ns)

    def real(self, path: Path) -> Path:
        """Return the absolute path of a file or folder without symbolic links."""
        return Path(os.path.realpath(path))

    def remove(self, path: Path, settle: bool = False) -> None:
        """Remove a file, if it exists."""
        with suppress(FileNotFoundError):
            path.unlink()
            if settle:
                sync_folder(path.parent)


class NamedFiles(PrivateFiles):
    """A `FileStore` for files that others may read, in folders that others may share.

    They are transcripts and vouches, which have no secret, and files that the player has named. A
    new file is its owner's alone.
    """

    def get(self, path: Path, most: int = -1) -> bytes:
        """Return the first bytes of a file, device or pipe. Links are followed."""
        with open(path, "rb", opener=open_at_once) as file:
            return file.read(most)

    def put(self, path: Path, data: bytes, once: bool = False, settle: bool = True) -> None:
        """Write a file as a whole or not at all, or write to a device or pipe.

        An OSError is raised if nobody reads from the pipe.
        """
        if once or not path.exists() or stat.S_ISREG(path.stat().st_mode):
            super().put(path, data, once, settle)
            return
        with os.fdopen(open_at_once(path, os.O_WRONLY), "wb") as file:
            file.write(data)


NAMED: Final = NamedFiles(None)
"""The store of files that others may read."""


def open_at_once(name: str | Path, flags: int) -> int:
    """Open a file or pipe without waiting. A pipe that nobody writes to counts as empty."""
    waits = getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(name, flags | waits)
    # Only for the opening: later reads of a pipe have to wait as usual.
    if waits:
        os.set_blocking(descriptor, True)
    return descriptor


def _name(fresh: Path, path: Path, once: bool) -> None:
    """Rename a written file. If `once` is True and the new path exists, raise FileExistsError."""
    if not once:
        fresh.replace(path)
        return
    try:
        # Unlike a rename, this fails if the path exists.
        os.link(fresh, path)
    # Not treated as below, where every other OSError is: what exists must not be replaced.
    except FileExistsError:
        raise
    except OSError:  # This file system has no hard links, and another process may do the same.
        os.close(os.open(path, os.O_WRONLY | NEW, 0o600))
        try:
            fresh.replace(path)
        except OSError:
            path.unlink()  # An empty file would stand for one that is there.
            raise


def _is_named(file: IO[Any], path: Path) -> bool:
    """Return whether a path still leads to this open file.

    On Windows the result is always True, because no open file can be removed there.
    """
    if not CHECKED:
        return True
    try:
        return os.path.samestat(path.lstat(), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False


def sync_folder(path: Path) -> None:
    """Force the directory entries of a folder to the disk (fsync). On Windows do nothing."""
    if os.name == "nt":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def hold(file: IO[Any], wait: bool = False) -> bool:
    """Lock an open file until it is closed. Return False if somebody else has locked it."""
    try:
        if os.name == "nt":
            import msvcrt

            # mypy knows the names in `msvcrt` on Windows only.
            way = msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK  # type: ignore[attr-defined,unused-ignore]
            # The buffered file shares this position, and would go on at the wrong place.
            at = os.lseek(file.fileno(), 0, os.SEEK_CUR)
            try:
                os.lseek(file.fileno(), LOCKED_BYTE, os.SEEK_SET)
                msvcrt.locking(file.fileno(), way, 1)  # type: ignore[attr-defined,unused-ignore]
            finally:
                os.lseek(file.fileno(), at, os.SEEK_SET)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        # Any failure counts as locked: without a lock two processes could sign for one seat.
        return False
    return True
