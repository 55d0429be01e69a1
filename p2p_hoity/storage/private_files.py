"""The store of files on this machine's disk: for their owner alone, and lockable.

Whoever shares the machine may have put a link, a pipe or a file of his own where one of ours is
about to be. So a new file is made exclusively and under a name nobody can guess, and an old one,
or the folder it lies in, is refused if others own it or can get at it. Windows has no such mode
bits: there a folder has the access of the one above it, which for a user's profile is the user's.
"""

from __future__ import annotations

import errno
import io
import os
import secrets
import shlex
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from ..coded_errors import Code, CodedError, NotRegularError

CHECKED: Final = os.name != "nt"
CAREFUL: Final = (
    getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)
)
"""Not through a link, not to a child process, and without waiting for the other end of a pipe."""
NEW: Final = os.O_CREAT | os.O_EXCL | CAREFUL
OTHERS: Final = 0o077
LOCKED_BYTE: Final = 2**31 - 2
"""The byte by which Windows locks a file. Nobody else can read a locked byte there, and it must be
the same for everybody, so it lies behind the end of every file."""


class PrivateCode(Code):
    """Why a file is not ours alone; `command` mends it, where anything but another folder does."""

    OTHERS = (
        "owned-by-another",
        "{path} belongs to another user of this machine: take it over, if it is yours, with:"
        " {command}",
    )
    OPEN = (
        "open-to-others",
        "{path} is open to other users of this machine: close it with: {command}",
    )
    SHARED = (
        "shared-folder",
        "other users of this machine share or own the folder {path}: name a folder of your own"
        " with HOITY_HOME (for the marks of journals: HOITY_MARKS)",
    )


class NotPrivateError(CodedError):
    """A file or folder of ours is open to others."""


def check_private(path: Path, found: os.stat_result) -> None:
    """NotPrivateError unless this is ours alone, as far as the system can say."""
    if not CHECKED:
        return
    quoted, is_folder = shlex.quote(str(path)), stat.S_ISDIR(found.st_mode)
    is_foreign = found.st_uid != os.geteuid()
    is_open = not stat.S_ISLNK(found.st_mode) and bool(found.st_mode & OTHERS)
    if is_folder and (is_foreign or (is_open and found.st_mode & stat.S_ISVTX)):
        raise NotPrivateError(PrivateCode.SHARED, path=str(path))
    if is_foreign:
        command = f"sudo chown -h {os.geteuid()} {quoted}"
        raise NotPrivateError(PrivateCode.OTHERS, path=str(path), command=command)
    if is_open:
        command = f"chmod {'700' if is_folder else '600'} {quoted}"
        raise NotPrivateError(PrivateCode.OPEN, path=str(path), command=command)


def check_folder(path: Path) -> None:
    """NotPrivateError unless this folder, and a link that leads to it, is ours alone."""
    check_private(path, path.lstat())
    check_private(path, path.stat())


def check_if_there(path: Path) -> None:
    """The same for a folder that need not be there yet."""
    if os.path.lexists(path):
        check_folder(path)


def make_folder(path: Path) -> Path:
    """Make a folder that only its owner can enter, and those above it that are missing.

    An existing folder is left as it is, and is not asked whose it is.

    Raises:
        NotADirectoryError: If there is something else.
    """
    if not path.parent.exists():
        make_folder(path.parent)
    try:
        path.mkdir(mode=0o700, exist_ok=True)
    except FileExistsError as error:  # which would say that the file in it exists
        raise NotADirectoryError(errno.ENOTDIR, "it is no folder", str(path)) from error
    return path


def private_folder(path: Path) -> Path:
    """Make a folder of ours, or check the one that exists.

    Raises:
        NotPrivateError: If others own it or can get at it.
    """
    make_folder(path)
    check_folder(path)
    return path


class DiskFile(io.BufferedRandom):
    """An open file of this machine's disk; see `StoredFile`.

    Attributes:
        unsettled: The folder of a new file whose name is not on disk yet.
    """

    unsettled: Path | None = None

    @property
    def number(self) -> int:
        """Its number on its disk."""
        return os.fstat(self.fileno()).st_ino & (2**64 - 1)

    def sync(self) -> None:
        """Put everything written on disk, and the name of a new file."""
        self.flush()
        os.fsync(self.fileno())
        if self.unsettled is not None:
            sync_folder(self.unsettled)
            self.unsettled = None


@dataclass(frozen=True)
class PrivateFiles:
    """A `FileStore` on this machine's disk.

    Attributes:
        root: The folder of the store. It and the folders in it, as far down as a file lies, must be
            ours alone; of a file elsewhere, its folder must. None: the folder of a file need not be
            ours, as for a file that the player has named.
    """

    root: Path | None

    def _folders(self, path: Path) -> list[Path]:
        """Return the folders that must be ours alone, from above."""
        if self.root is None:
            return []
        above = list(path.parents)
        return above[: above.index(self.root) + 1][::-1] if self.root in above else above[:1]

    def _open(self, path: Path, flags: int) -> int:
        """Return the descriptor of a regular file of ours.

        Raises:
            NotPrivateError: If others own it or one of its folders, or can get at it.
            NotRegularError: If it is no regular file.
        """
        descriptor = os.open(path, flags | CAREFUL, 0o600)
        try:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise NotRegularError(22, "it is no regular file", str(path))
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
        for folder in self._folders(path):
            private_folder(folder)
        if self.root is None:
            make_folder(path.parent)

    def put(self, path: Path, data: bytes, once: bool = False, settle: bool = True) -> None:
        """Write a file that only its owner can read, whole or not at all."""
        self._make_folders(path)
        fresh = path.with_name(f".{secrets.token_hex(12)}.new")
        descriptor = os.open(fresh, os.O_WRONLY | NEW, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            _name(fresh, path, once)
        finally:
            fresh.unlink(missing_ok=True)
        if settle:
            sync_folder(path.parent)

    def append(self, path: Path, new: bool = False) -> DiskFile:
        """Open a file for reading and writing, and lock it.

        Raises:
            BlockingIOError: If it is locked.
            FileNotFoundError: If there is none, or its last holder has just removed it.
        """
        if new:
            self._make_folders(path)
        file = self._opened(path, os.O_RDWR | (NEW if new else 0))
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
        """Lock a file that has no other purpose, and make it if needed."""
        self._make_folders(path)
        is_ours = True
        while is_ours:
            file = self._opened(path, os.O_RDWR | os.O_CREAT)
            is_ours = hold(file, wait)
            if is_ours and _is_named(file, path):
                return file
            file.close()
        return None

    def list(self, folder: Path, ending: str) -> list[Path]:
        """Return the files of a folder whose names end so, by name."""
        return sorted(folder.glob(f"*{ending}"))

    def has(self, path: Path) -> bool:
        """Return whether there is such a file."""
        return os.path.lexists(path)

    def remove(self, path: Path, settle: bool = False) -> None:
        """Remove a file, if there is one."""
        with suppress(FileNotFoundError):
            path.unlink()
            if settle:
                sync_folder(path.parent)


NAMED: Final = PrivateFiles(None)
"""Files where the player wants them, in folders that others may share."""


def open_at_once(name: str, flags: int) -> int:
    """An opener for a file that is not ours: a pipe into which nobody writes is empty, and not
    waited for."""
    waits = getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(name, flags | waits)
    if waits:
        os.set_blocking(descriptor, True)
    return descriptor


def _name(fresh: Path, path: Path, once: bool) -> None:
    """Give a file its name; with `once` only if nothing has it yet."""
    if not once:
        fresh.replace(path)
        return
    try:
        os.link(fresh, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links: another process may be doing the same
        os.close(os.open(path, os.O_WRONLY | NEW, 0o600))
        fresh.replace(path)


def _is_named(file: IO[Any], path: Path) -> bool:
    """Return whether the path still leads to this open file.

    Its last holder may have removed it after it was opened here and before it was locked here. On
    Windows no open file can be removed.
    """
    if not CHECKED:
        return True
    try:
        return os.path.samestat(path.lstat(), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False


def sync_folder(path: Path) -> None:
    """Make a rename or a new file in this folder last, where the platform can."""
    if os.name == "nt":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def hold(file: IO[Any], wait: bool = False) -> bool:
    """Hold an open file until it is closed; whether it is ours. With `wait` wait for our turn."""
    try:
        if os.name == "nt":
            import msvcrt

            way = msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK  # type: ignore[attr-defined,unused-ignore]
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
        return False
    return True
