"""The private journal of one seat, in which each message is on disk before it is sent.

It has every message that the seat signed or received. The file has a magic word, a head, and then
records. A record has its length (4 bytes), a check value and its content, encrypted if there is a
passphrase (`journal_format`). The first record names the table and the seat, and the others belong
to the seat's state machine. A mark in another folder names the last record, so that a journal which
was restored from an old copy is noticed.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Final

from protocol import Invalid

from ..coded_errors import Code, CodedError, of_system
from . import rollback_marks
from .file_store import FileStore, StoredFile
from .journal_format import (
    CHECK,
    HEAD,
    MAGIC,
    MAGIC_OF_VERSION_2,
    MAX_RECORD,
    EarlierRecord,
    Form,
    Readable,
    SeatRecord,
    decode_seat_record,
    new_form,
    read_form,
)
from .player_key import VaultCode, VaultError, of_file
from .private_files import NotPrivateError, PrivateFiles

BESIDE: Final = (".claimed", ".relay-only", ".ticket")
"""Suffixes of the files that may lie beside a journal. They are removed with it."""
BEGINNING: Final = len(MAGIC) + HEAD + 4 + CHECK + MAX_RECORD
"""Bytes of a journal that are enough to read its first record."""


class JournalCode(Code):
    """Reasons why a journal cannot be used."""

    IN_USE = (
        "journal-in-use",
        "{journal} is in use: this seat is being played in another terminal",
    )
    EXISTS = "journal-exists", "there is already a journal of this seat: {path}"
    UNWRITTEN = "journal-unwritten", "cannot write {path}: {why}"
    STOPPED = (
        "journal-stopped",
        (
            "cannot write {path}: {why}. Nothing was sent that is not on the disk. Make room "
            "and take your seat again with hoity resume"
        ),
    )
    UNOPENED = "journal-unopened", "cannot open {path}: {why}"
    UNUSABLE = "journal-unusable", "cannot use {path}: {why}"
    OF_VERSION_2 = "journal-of-version-two", "it has version 2: read it with hoity 0.1"
    OTHER_FILE = "no-journal", "it is no journal of this version"
    EMPTY = "journal-empty", "it has no complete record"
    EARLIER = (
        "journal-of-other-version",
        (
            "another version of this program has written it: use that version to play on or to "
            "save what was played"
        ),
    )
    MARKS_INSIDE = (
        "marks-inside",
        "the marks of journals ({path}) would be inside {home} and would be restored with an "
        "old copy of it: choose a folder elsewhere with HOITY_MARKS",
    )


class JournalError(CodedError):
    """A journal cannot be used."""


@dataclass
class Journal:
    """An open journal, locked against other processes.

    Attributes:
        path: Where it is.
        mark: Where its mark is.
        files: The store of both files.
        current: Whether the mark names a record of this file. False if it may be an old copy.
        is_older: Whether the journal lacks a record that its own mark names. Then it is certainly
            an old copy, or its end is lost.
    """

    path: Path
    mark: Path
    files: FileStore
    _file: StoredFile = field(repr=False)
    _form: Form = field(repr=False)
    _last: bytes
    _number: int = 0
    current: bool = True
    is_older: bool = False
    _dirty: bool = False
    _settled: bytes = b""
    """The check value of the last record on disk, which a mark may name."""
    _marked: bytes = b""
    _marking: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _gone: bool = False

    def append(self, record: bytes) -> None:
        """Add a record. It is on disk after the next `sync` or `settle`.

        Args:
            record: The content of the record.
        """
        self._write(self._seal(record))

    def begin(self, record: bytes) -> None:
        """Put the first record on disk, and its mark before it.

        A crash between the two must not leave a journal without a mark. It would look like a
        restored copy, and the seat would not sign.

        Args:
            record: The content of the record.

        SPEC: [J-4].
        """
        sealed = self._seal(record)
        self._settled = self._last
        self.set_mark()
        self._write(sealed)
        self.sync()

    def _seal(self, record: bytes) -> bytes:
        """Return the bytes of the next record, and advance the chain of check values."""
        number = self._number + 1
        sealed = self._form.seal(number, self._last, record)
        self._last, self._number = self._form.check(number, self._last, sealed), number
        return sealed

    def _write(self, sealed: bytes) -> None:
        try:
            self._file.write(len(sealed).to_bytes(4, "big") + self._last + sealed)
        except OSError as error:
            raise self._trouble(self.path, error) from error
        self._dirty = True

    def sync(self) -> None:
        """Put everything appended on disk, and then have the mark name the last record."""
        self.settle()
        self.set_mark()

    def settle(self) -> bool:
        """Put everything appended on disk ([J-1]).

        Returns:
            True if something was not on disk before.

        Raises:
            JournalError: If the disk does not accept it.
        """
        if not self._dirty:
            return False
        try:
            self._file.sync()
        except OSError as error:
            raise self._trouble(self.path, error) from error
        self._dirty, self._settled = False, self._last
        return True

    def set_mark(self) -> None:
        """Have the mark name the last record that is on disk. Any thread may call this.

        If it fails or comes late, the old mark names an earlier record, which the journal contains,
        too ([J-4]).

        Raises:
            JournalError: If the disk does not accept the mark.
        """
        with self._marking:
            last = self._settled
            if self._gone or last == self._marked:
                return
            try:
                self._write_mark(last)
            except OSError as error:
                raise self._trouble(self.mark, error) from error
            self._marked = last

    def _write_mark(self, last: bytes) -> None:
        where = os.fsencode(os.path.realpath(self.path))
        rollback_marks.write(self.files, self.mark, self._form.mark(last, self._file.number, where))

    def _trouble(self, path: Path, error: OSError) -> JournalError:
        """Return the error for a file that cannot be written during a game."""
        return JournalError(JournalCode.STOPPED, path=str(path), why=of_system(error))

    def close(self) -> None:
        """Put everything on disk and release the lock."""
        try:
            self.sync()
        finally:
            self._let_go()

    def _let_go(self) -> None:
        """Close the file. No mark is written after this."""
        with self._marking:
            self._gone = True
            with suppress(
                OSError
            ):  # `sync` has reported it already. The lock is released all the same.
                self._file.close()

    def remove(self) -> None:
        """Remove the journal with its secrets after the transcript was written."""
        self._let_go()  # A full disk does not matter for a file that is removed.
        _remove(self.files, self.path)


def _remove(files: FileStore, path: Path) -> None:
    """Remove a journal, its mark, and the files beside it."""
    files.remove(path)
    files.remove(rollback_marks.path_of(path))
    for suffix in BESIDE:
        with suppress(OSError):  # They contain no secret.
            files.remove(path.with_suffix(suffix))


def check_marks(home: Path) -> None:
    """Check that the marks of the journals of a home are outside of it ([J-5]).

    Args:
        home: The folder of the home.

    Raises:
        JournalError: If a copy of the home would contain the marks.
    """
    if rollback_marks.lies_with(home):
        path = str(rollback_marks.folder())
        raise JournalError(JournalCode.MARKS_INSIDE, path=path, home=str(home))


def _place(path: Path) -> Path:
    """Return where the mark of a journal is. Raise JournalError if it would lie in the home."""
    check_marks(path.parent.parent)
    return rollback_marks.path_of(path)


def _files(files: FileStore | None, path: Path) -> FileStore:
    """Return the store of a journal: the given one, or the disk of this machine."""
    return files or PrivateFiles(path.parent.parent)


def create(
    path: Path, first: SeatRecord, passphrase: str | None = None, files: FileStore | None = None
) -> Journal:
    """Make a journal, with its first record on disk.

    Args:
        path: Where it is, in a folder of its home.
        first: The first record.
        passphrase: The passphrase with which it is encrypted, if there is one.
        files: The store of its home, if that is not this machine's disk.

    Returns:
        The open journal.

    Raises:
        JournalError: If there is one already, or it cannot be written.
        NotPrivateError: If other users can access its folder, or that of its mark.
    """
    files, mark, form = _files(files, path), _place(path), new_form(passphrase)
    try:
        file = files.append(path, new=True)
    except FileExistsError as error:
        raise JournalError(JournalCode.EXISTS, path=str(path)) from error
    except OSError as error:
        why = of_system(error)
        raise JournalError(JournalCode.UNWRITTEN, path=str(path), why=why) from error
    file.write(MAGIC + form.head)
    journal = Journal(path, mark, files, file, form, form.start)
    try:
        journal.begin(first.encode())
    except (JournalError, NotPrivateError):
        journal.remove()
        raise
    rollback_marks.sweep(files)
    return journal


def _locked(files: FileStore, path: Path) -> StoredFile:
    """Open a journal, locked against a second process until it is closed.

    SPEC: [J-3].
    """
    try:
        return files.append(path)
    except BlockingIOError as error:
        raise JournalError(JournalCode.IN_USE, journal=path.name) from error
    except OSError as error:
        why = of_system(error)
        raise JournalError(JournalCode.UNOPENED, path=str(path), why=why) from error


def _got(files: FileStore | None, path: Path, most: int = -1) -> BytesIO:
    """Return the first bytes of a journal as they are now, without its lock."""
    try:
        return BytesIO(_files(files, path).get(path, most))
    except OSError as error:
        why = of_system(error)
        raise JournalError(JournalCode.UNOPENED, path=str(path), why=why) from error


def reopen(
    path: Path, passphrase: str | None = None, files: FileStore | None = None
) -> tuple[Journal, SeatRecord, Iterator[bytes]]:
    """Open a journal in order to continue its game. An incomplete last record is cut off ([J-2]).

    `current` of the journal is False if its mark is missing, belongs to another file, or names a
    record that this file lacks. It is also False if whole records follow a damaged one. These
    records are not used. The mark is then removed, so that the next process notices the damage,
    too, until a record of the seat's caution is written.

    `is_older` is True if a valid mark, for whichever file, names a record that this file lacks.
    Then the journal is certainly an old copy, or its end is lost ([E-22]).

    Args:
        path: Where it is.
        passphrase: The passphrase with which it is encrypted, if there is one.
        files: The store of its home, if that is not this machine's disk.

    Returns:
        The journal, its first record, and the records of the state machine. These are read one by
        one as they are requested. All must be read before anything is appended.

    Raises:
        JournalError: If it cannot be used.
        NotPrivateError: If other users can access it.
    """
    files = _files(files, path)
    file = _locked(files, path)
    try:
        form = _form_of(file, passphrase)
        mark = _place(path)
        marked = form.marked(rollback_marks.read(files, mark))
        named, in_file = (None, None) if marked is None else marked
        last, number, end = form.start, 0, file.tell()
        has_named = last == named
        for _, last in _chain(form, file):
            number, end, has_named = number + 1, file.tell(), has_named or last == named
        current = has_named and in_file == file.number
        is_older = named is not None and not has_named
        first = _first(form, file)
        file.seek(end)
        if form.goes_on_behind(file, number + 1, last):
            current = False
            files.remove(mark, settle=True)
        file.seek(end)
        file.truncate()
        journal = Journal(path, mark, files, file, form, last, number, current, is_older)
        return journal, first, _rest(form, file, end)
    except (JournalError, VaultError, Invalid) as error:
        file.close()
        why = of_file(error)
        raise JournalError(JournalCode.UNUSABLE, path=str(path), why=why) from error
    except OSError as error:
        file.close()
        raise JournalError(JournalCode.UNUSABLE, path=str(path), why=of_system(error)) from error


def _chain(form: Form, file: Readable) -> Iterator[tuple[bytes, bytes]]:
    """Yield each valid record and its check value, from the first one, reading them one by one."""
    file.seek(len(MAGIC) + HEAD)
    last, number = form.start, 1
    while (found := form.next(file, number, last)) is not None:
        yield found
        last, number = found[1], number + 1


def _rest(form: Form, file: StoredFile, end: int) -> Iterator[bytes]:
    """Yield the records after the first one. Then move the file to the place for new records."""
    try:
        for number, (record, _) in enumerate(_chain(form, file)):
            if number:
                yield record
    finally:
        if not file.closed:
            file.seek(end)


def _form_of(file: Readable, passphrase: str | None) -> Form:
    """Return the keys of the journal whose beginning is read. Raise JournalError if it is none."""
    magic = file.read(len(MAGIC))
    if magic == MAGIC_OF_VERSION_2:
        raise JournalError(JournalCode.OF_VERSION_2)
    if magic != MAGIC:
        raise JournalError(JournalCode.OTHER_FILE)
    return read_form(file.read(HEAD), passphrase)


def _first(form: Form, file: Readable) -> SeatRecord:
    """Return the first record of a journal. Raise an error if it cannot be read."""
    record = next(_chain(form, file), None)
    if record is None:
        raise VaultError(VaultCode.WRONG) if form.locked else JournalError(JournalCode.EMPTY)
    try:
        return decode_seat_record(record[0])
    except EarlierRecord as error:
        raise JournalError(JournalCode.EARLIER) from error


def read_first(
    path: Path, passphrase: str | None = None, files: FileStore | None = None
) -> SeatRecord:
    """Return the first record without taking the lock.

    Args:
        path: Where the journal is.
        passphrase: The passphrase with which it is encrypted, if there is one.
        files: The store of its home, if that is not this machine's disk.

    Returns:
        The first record.

    Raises:
        JournalError: If the file is no journal, or was written by another version.
        VaultError: If the passphrase is wrong or missing.
        Invalid: If its first record is malformed.
    """
    file = _got(files, path, BEGINNING)
    return _first(_form_of(file, passphrase), file)


def read(
    path: Path, passphrase: str | None = None, files: FileStore | None = None
) -> tuple[SeatRecord, Iterator[bytes]]:
    """Return the records as they are now, without taking the lock.

    Args:
        path: Where the journal is.
        passphrase: The passphrase with which it is encrypted, if there is one.
        files: The store of its home, if that is not this machine's disk.

    Returns:
        The first record, and an iterator of the records of the state machine.

    Raises:
        JournalError: If it cannot be read.
        VaultError: If the passphrase is wrong or missing.
    """
    file = _got(files, path)
    form = _form_of(file, passphrase)
    return _first(form, file), (record for record, _ in islice(_chain(form, file), 1, None))


def check(path: Path, files: FileStore | None = None) -> None:
    """Check that a journal can be opened by its owner and by nobody else.

    Args:
        path: Where the journal is.
        files: The store of its home, if that is not this machine's disk.

    Raises:
        JournalError: If it cannot be opened.
        NotPrivateError: If other users can access it, or a folder of its home.
    """
    _got(files, path, 0)


def is_open(path: Path, files: FileStore | None = None) -> bool:
    """Return whether a process has the journal open, and so plays its seat now.

    Args:
        path: Where the journal is.
        files: The store of its home, if that is not this machine's disk.

    Returns:
        True if it is locked.

    Raises:
        JournalError: If it cannot be opened.
    """
    try:
        _locked(_files(files, path), path).close()
    except JournalError as error:
        if error.code != JournalCode.IN_USE:
            raise
        return True
    return False


def forget(path: Path, files: FileStore | None = None) -> None:
    """Remove a journal that no process has open, and its mark.

    Args:
        path: Where the journal is.
        files: The store of its home, if that is not this machine's disk.

    Raises:
        JournalError: If it is in use.
    """
    files = _files(files, path)
    file = _locked(files, path)
    if os.name == "nt":  # There an open file cannot be removed.
        file.close()
    _remove(files, path)
    file.close()
