"""The private journal of one seat: what it signed and heard, on disk before it is sent.

A file: magic, vault header, then records of four bytes of length, eight of a chained check, and
the sealed bytes. The first record says which table and seat; the rest are the machine's. A mark
kept apart names the last record, so that a journal restored from an old copy is noticed.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from protocol import encoding
from protocol.errors import Invalid

from . import latch
from .home import private_folder, sync_folder
from .vault import Vault, VaultError, new_vault, read_vault

MAGIC = b"hoity-journal-1\n"
MAX_RECORD = 1 << 21
CHECK = 8


class JournalError(Exception):
    """The journal cannot be used; the text says why and what to do."""


def _lock(file: IO[bytes], path: Path) -> None:
    """Hold the file against a second process until it is closed."""
    if not latch.hold(file):
        raise JournalError(
            f"{path.name} is in use: this seat is played already, in another terminal"
        )


def _check(before: bytes, data: bytes) -> bytes:
    return hashlib.sha256(before + data).digest()[:CHECK]


@dataclass
class Journal:
    """An open, locked journal."""

    path: Path
    mark: Path
    _file: IO[bytes] = field(repr=False)
    _vault: Vault = field(repr=False)
    _last: bytes = MAGIC
    current: bool = True
    _dirty: bool = False

    def append(self, record: bytes) -> None:
        """Add a record; `sync` puts it on disk."""
        self._write(self._seal(record))

    def begin(self, record: bytes) -> None:
        """Put the first record on disk, its mark before it: a crash between the two must not
        leave a journal without its mark, which would look restored and silence this seat."""
        sealed = self._seal(record)
        try:
            self._set_mark()
        except OSError as error:
            raise self._trouble(error) from error
        self._write(sealed)
        self.sync()

    def _seal(self, record: bytes) -> bytes:
        sealed = self._vault.seal(record)
        self._last = _check(self._last, sealed)
        return sealed

    def _write(self, sealed: bytes) -> None:
        try:
            self._file.write(len(sealed).to_bytes(4, "big") + self._last + sealed)
        except OSError as error:
            raise self._trouble(error) from error
        self._dirty = True

    def sync(self) -> None:
        """Everything appended is on disk when this returns, and the mark names its end."""
        if not self._dirty:
            return
        try:
            self._file.flush()
            os.fsync(self._file.fileno())
            self._set_mark()
        except OSError as error:
            raise self._trouble(error) from error
        self._dirty = False

    def _set_mark(self) -> None:
        """Not forced to disk: a mark that lags names a record that is there all the same.

        Replaced whole: a crash must not leave an empty one, which would silence this seat.
        """
        private_folder(self.mark.parent)
        fresh = self.mark.with_name(self.mark.name + ".new")
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(self._last)
        fresh.replace(self.mark)

    def _trouble(self, error: OSError) -> JournalError:
        what = f"cannot write {self.path}: {error.strerror}"
        return JournalError(f"{what}; nothing was sent that is not on disk. Make room and resume")

    def close(self) -> None:
        """Sync and let go of the lock."""
        try:
            self.sync()
        finally:
            with suppress(OSError):  # told by `sync` already; the lock goes all the same
                self._file.close()

    def remove(self) -> None:
        """The game is over and its transcript written: nothing needs these secrets any more."""
        with suppress(OSError):  # a full disk does not matter to a file that goes
            self._file.close()
        self.path.unlink(missing_ok=True)
        self.mark.unlink(missing_ok=True)


def mark_path(journal: Path) -> Path:
    """Where the mark of a journal is kept."""
    return journal.parent.parent / "marks" / journal.name


def create(path: Path, first: tuple[Any, ...], passphrase: str | None = None) -> Journal:
    """A new journal with its first record on disk."""
    vault = new_vault(passphrase)
    try:
        private_folder(path.parent)
    except OSError as error:
        raise JournalError(f"cannot write {path}: {error.strerror}") from error
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as error:
        raise JournalError(f"there is a journal of this seat already: {path}") from error
    except OSError as error:
        raise JournalError(f"cannot write {path}: {error.strerror}") from error
    file = os.fdopen(descriptor, "r+b")
    _lock(file, path)
    file.write(MAGIC + vault.header())
    journal = Journal(path, mark_path(path), file, vault)
    try:
        journal.begin(encoding.encode(first))
    except JournalError:
        journal.remove()
        raise
    sync_folder(path.parent)
    return journal


def reopen(
    path: Path, passphrase: str | None = None
) -> tuple[Journal, tuple[Any, ...], list[bytes]]:
    """(journal, first record, the machine's records). A torn last record is cut off.

    `current` is False if the mark is missing or names a record that is not in the file.
    """
    try:
        file = path.open("r+b")
    except OSError as error:
        raise JournalError(f"cannot open {path}: {error.strerror}") from error
    try:
        _lock(file, path)
        return _read(file, path, passphrase)
    except (JournalError, VaultError, Invalid) as error:
        file.close()
        raise JournalError(f"cannot use {path}: {error}") from error


def _read(
    file: IO[bytes], path: Path, passphrase: str | None
) -> tuple[Journal, tuple[Any, ...], list[bytes]]:
    data = file.read()
    if not data.startswith(MAGIC):
        raise JournalError("it is no journal of this version")
    vault, size = read_vault(data[len(MAGIC) :], passphrase)
    at, last, checks, records = len(MAGIC) + size, MAGIC, set[bytes](), list[bytes]()
    while (found := _next(data, at, last)) is not None:
        sealed, last, at = found
        records.append(vault.open(sealed))
        checks.add(last)
    if not records:
        raise JournalError("it has no record that is whole")
    file.seek(at)
    file.truncate()
    journal = Journal(path, mark_path(path), file, vault, last, _marked(path) in checks)
    return journal, tuple(encoding.decode(records[0], MAX_RECORD)), records[1:]


def _next(data: bytes, at: int, last: bytes) -> tuple[bytes, bytes, int] | None:
    head = data[at : at + 4 + CHECK]
    if len(head) < 4 + CHECK:
        return None
    size, check = int.from_bytes(head[:4], "big"), head[4:]
    sealed = data[at + 4 + CHECK : at + 4 + CHECK + size]
    if size > MAX_RECORD or len(sealed) < size or _check(last, sealed) != check:
        return None
    return sealed, check, at + 4 + CHECK + size


def _marked(path: Path) -> bytes:
    try:
        return mark_path(path).read_bytes()
    except OSError:
        return b""


def read_first(path: Path, passphrase: str | None = None) -> tuple[Any, ...]:
    """The first record, without the lock; JournalError or VaultError if it cannot be read."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise JournalError(f"it cannot be opened: {error.strerror}") from error
    if not data.startswith(MAGIC):
        raise JournalError("it is no journal of this version")
    vault, size = read_vault(data[len(MAGIC) :], passphrase)
    found = _next(data, len(MAGIC) + size, MAGIC)
    if found is None:
        raise JournalError("it has no record that is whole")
    return tuple(encoding.decode(vault.open(found[0]), MAX_RECORD))
