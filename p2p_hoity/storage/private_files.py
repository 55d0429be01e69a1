"""Files for their owner alone, and locks on files.

Whoever shares the machine may have put a link, a pipe or a file of his own where one of ours is
about to be. So a new file is made exclusively and under a name nobody can guess, and an old one,
or the folder it lies in, is refused if others own it or can get at it. Windows has no such mode
bits: there a folder has the access of the one above it, which for a user's profile is the user's.
"""

from __future__ import annotations

import os
import secrets
import shlex
import stat
from pathlib import Path
from typing import IO, Any, Final, cast

from ..coded_errors import Code, CodedError, NotRegularError

CHECKED: Final = os.name != "nt"
CAREFUL: Final = (
    getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)
)
"""Not through a link, not to a child process, and without waiting for the other end of a pipe."""
NEW: Final = os.O_CREAT | os.O_EXCL | CAREFUL
OTHERS: Final = 0o077


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
    """Make a folder that only its owner can enter, and those above it that are missing; an
    existing one is left as it is, and is not asked whose it is."""
    if not path.parent.exists():
        make_folder(path.parent)
    path.mkdir(mode=0o700, exist_ok=True)
    return path


def private_folder(path: Path) -> Path:
    """The same for a folder of ours: NotPrivateError if others own it or can get at it."""
    make_folder(path)
    check_folder(path)
    return path


def open_private(path: Path, mode: str) -> IO[bytes]:
    """Open a file of ours, made if `mode` makes files; NotPrivateError if it is not ours alone.

    NotRegularError, an OSError, if it is no regular file.
    """

    def opener(name: str, flags: int) -> int:
        return os.open(name, flags | CAREFUL, 0o600)

    file = cast("IO[bytes]", open(path, mode, opener=opener))  # noqa: SIM115 - given to the caller
    try:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise NotRegularError(22, "it is no regular file", str(path))
        check_private(path, found)
    except (OSError, NotPrivateError):
        file.close()
        raise
    return file


def open_at_once(name: str, flags: int) -> int:
    """An opener for a file that is not ours: a pipe into which nobody writes is empty, and not
    waited for."""
    waits = getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(name, flags | waits)
    if waits:
        os.set_blocking(descriptor, True)
    return descriptor


def read_private(path: Path, most: int) -> bytes:
    """The bytes of a file of ours, at most so many and one; NotPrivateError if it, or the folder
    it lies in, is not ours alone."""
    with open_private(path, "rb") as file:
        check_folder(path.parent)
        return file.read(most + 1)


def new_private(path: Path) -> IO[bytes]:
    """A fresh file in place of any old one, which is unlinked, not written to."""
    path.unlink(missing_ok=True)
    return os.fdopen(os.open(path, os.O_WRONLY | NEW, 0o600), "wb")


def write_private(path: Path, data: bytes, once: bool = False) -> None:
    """Write a file of ours into a folder of ours, as `write_whole` does."""
    private_folder(path.parent)
    write_whole(path, data, once)


def write_whole(path: Path, data: bytes, once: bool = False, settle: bool = True) -> None:
    """Write a file that only its owner can read, whole or not at all, and on disk when done.

    OSError leaves an old one as it is; so does `once`, by FileExistsError. Without `settle` a crash
    may bring an old one back.
    """
    fresh = path.with_name(f".{secrets.token_hex(12)}.new")
    descriptor = os.open(fresh, os.O_WRONLY | NEW, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        _put(fresh, path, once)
    finally:
        fresh.unlink(missing_ok=True)
    if settle:
        sync_folder(path.parent)


def _put(fresh: Path, path: Path, once: bool) -> None:
    """Give a file its name; with `once` only if nothing has it yet."""
    if not once:
        fresh.replace(path)
        return
    try:
        os.link(fresh, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        if os.path.lexists(path):
            raise FileExistsError(17, "File exists", str(path)) from None
        fresh.replace(path)


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
            msvcrt.locking(file.fileno(), way, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        return False
    return True
