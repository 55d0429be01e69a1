"""The private journal of one seat: what it signed and heard, on disk before it is sent.

A file: magic, head, then records of four bytes of length, a check and the sealed bytes; see
`journal_format`. The first record says which table and seat; the rest are the machine's. A mark
kept elsewhere names the last record, so that a journal restored from an old copy is noticed.
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
"""The ends of the files that may lie beside a journal, and go with it."""
BEGINNING: Final = len(MAGIC) + HEAD + 4 + CHECK + MAX_RECORD
"""Bytes of a journal that hold its first record, at most."""


class JournalCode(Code):
    """Why a journal cannot be used."""

    IN_USE = (
        "journal-in-use",
        "{journal} is in use: this seat is played already, in another terminal",
    )
    EXISTS = "journal-exists", "there is a journal of this seat already: {path}"
    UNWRITTEN = "journal-unwritten", "cannot write {path}: {why}"
    STOPPED = (
        "journal-stopped",
        "cannot write {path}: {why}; nothing was sent that is not on disk. Make room and resume",
    )
    UNOPENED = "journal-unopened", "cannot open {path}: {why}"
    UNUSABLE = "journal-unusable", "cannot use {path}: {why}"
    OF_VERSION_2 = "journal-of-version-two", "version 2: read it with hoity 0.1"
    OTHER_FILE = "no-journal", "it is no journal of this version"
    EMPTY = "journal-empty", "it has no record that is whole"
    EARLIER = (
        "journal-of-other-version",
        "another version of this program wrote it: play on, or save what was played, with that one",
    )
    MARKS_INSIDE = (
        "marks-inside",
        "the marks of journals ({path}) would lie in {home} itself, and come back with an old"
        " copy of it: name a folder elsewhere with HOITY_MARKS",
    )


class JournalError(CodedError):
    """The journal cannot be used."""


@dataclass
class Journal:
    """An open, locked journal."""

    path: Path
    mark: Path
    files: FileStore
    _file: StoredFile = field(repr=False)
    _form: Form = field(repr=False)
    _last: bytes
    _number: int = 0
    current: bool = True
    is_older: bool = False
    """Whether it was written on after this state: its own mark names a record that it lacks."""
    _dirty: bool = False
    _settled: bytes = b""
    """The check of the last record on disk: what a mark may name."""
    _marked: bytes = b""
    _marking: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _gone: bool = False

    def append(self, record: bytes) -> None:
        """Add a record; `sync` puts it on disk."""
        self._write(self._seal(record))

    def begin(self, record: bytes) -> None:
        """Put the first record on disk, its mark before it: a crash between the two must not
        leave a journal without its mark, which would look restored and silence this seat.

        SPEC: [J-4].
        """
        sealed = self._seal(record)
        self._settled = self._last
        self.set_mark()
        self._write(sealed)
        self.sync()

    def _seal(self, record: bytes) -> bytes:
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
        """Everything appended is on disk when this returns, and the mark names its end."""
        self.settle()
        self.set_mark()

    def settle(self) -> bool:
        """Everything appended is on disk when this returns ([J-1]); whether anything was not."""
        if not self._dirty:
            return False
        try:
            self._file.sync()
        except OSError as error:
            raise self._trouble(self.path, error) from error
        self._dirty, self._settled = False, self._last
        return True

    def set_mark(self) -> None:
        """The mark names the last record on disk when this returns; from any thread. One that lags
        names a record that is there all the same ([J-4])."""
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
        return JournalError(JournalCode.STOPPED, path=str(path), why=of_system(error))

    def close(self) -> None:
        """Sync and let go of the lock."""
        try:
            self.sync()
        finally:
            self._let_go()

    def _let_go(self) -> None:
        """Wait for a mark that is being written: none comes after this."""
        with self._marking:
            self._gone = True
            with suppress(OSError):  # told by `sync` already; the lock goes all the same
                self._file.close()

    def remove(self) -> None:
        """The game is over and its transcript written: nothing needs these secrets any more."""
        self._let_go()  # a full disk does not matter to a file that goes
        _remove(self.files, self.path)


def _remove(files: FileStore, path: Path) -> None:
    """Remove a journal, its mark, and the files that say something of its game."""
    files.remove(path)
    files.remove(rollback_marks.path_of(path))
    for suffix in BESIDE:
        with suppress(OSError):  # they hold no secret
            files.remove(path.with_suffix(suffix))


def check_marks(home: Path) -> None:
    """JournalError if the marks of the journals of this home would lie in it ([J-5])."""
    if rollback_marks.lies_with(home):
        path = str(rollback_marks.folder())
        raise JournalError(JournalCode.MARKS_INSIDE, path=path, home=str(home))


def _place(path: Path) -> Path:
    """Where the mark of this journal is kept; JournalError if that is no place for it."""
    check_marks(path.parent.parent)
    return rollback_marks.path_of(path)


def _files(files: FileStore | None, path: Path) -> FileStore:
    """Return the store of a journal: unless another is given, its home on this machine's disk."""
    return files or PrivateFiles(path.parent.parent)


def create(
    path: Path, first: SeatRecord, passphrase: str | None = None, files: FileStore | None = None
) -> Journal:
    """Make a journal, with its first record on disk.

    Args:
        path: Where it is, in a folder of its home.
        first: The first record.
        passphrase: With which it is encrypted, if it is.
        files: The store of its home, if that is not this machine's disk.

    Raises:
        JournalError: If there is one already, or it cannot be written.
        NotPrivateError: If its folder, or that of its mark, is open to others.
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
    """Return the first bytes of a journal as they are now."""
    try:
        return BytesIO(_files(files, path).get(path, most))
    except OSError as error:
        why = of_system(error)
        raise JournalError(JournalCode.UNOPENED, path=str(path), why=why) from error


def reopen(
    path: Path, passphrase: str | None = None, files: FileStore | None = None
) -> tuple[Journal, SeatRecord, Iterator[bytes]]:
    """Open a journal, in order to go on with its game. A torn last record is cut off ([J-2]).

    `current` is False if the mark is missing, or of another file, or names a record that is not in
    this one. It is also False if whole records lie behind a damaged one. These are not used, and
    the mark is removed, so that the next process knows of it until a cautious record is written.
    `is_older` is True if the mark holds, of whichever file, and names a record that is not in this
    one. Then the journal is an old copy beyond doubt, or was cut at its end ([E-22]).

    Returns:
        The journal, its first record, and the machine's records. These are read one by one, as they
        are asked for: all of them, before anything is appended.

    Raises:
        JournalError: If it cannot be used.
        NotPrivateError: If others can get at it.
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
    """Each record, from the first, as far as they hold, and its check; read one by one."""
    file.seek(len(MAGIC) + HEAD)
    last, number = form.start, 1
    while (found := form.next(file, number, last)) is not None:
        yield found
        last, number = found[1], number + 1


def _rest(form: Form, file: StoredFile, end: int) -> Iterator[bytes]:
    """The records behind the first; then the file is where it can be written on."""
    try:
        for number, (record, _) in enumerate(_chain(form, file)):
            if number:
                yield record
    finally:
        if not file.closed:
            file.seek(end)


def _form_of(file: Readable, passphrase: str | None) -> Form:
    magic = file.read(len(MAGIC))
    if magic == MAGIC_OF_VERSION_2:
        raise JournalError(JournalCode.OF_VERSION_2)
    if magic != MAGIC:
        raise JournalError(JournalCode.OTHER_FILE)
    return read_form(file.read(HEAD), passphrase)


def _first(form: Form, file: Readable) -> SeatRecord:
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
    """Return the first record and the machine's records as they are now, without the lock.

    Raises:
        JournalError: If it cannot be read.
        VaultError: If the passphrase is wrong or missing.
    """
    file = _got(files, path)
    form = _form_of(file, passphrase)
    return _first(form, file), (record for record, _ in islice(_chain(form, file), 1, None))


def check(path: Path, files: FileStore | None = None) -> None:
    """Check that a journal can be opened, and by nobody else.

    Raises:
        JournalError: If it cannot be opened.
        NotPrivateError: If it, or a folder of its home, is open to others.
    """
    _got(files, path, 0)


def is_open(path: Path, files: FileStore | None = None) -> bool:
    """Return whether a process plays this seat just now.

    Raises:
        JournalError: If that cannot be asked.
    """
    try:
        _locked(_files(files, path), path).close()
    except JournalError as error:
        if error.code != JournalCode.IN_USE:
            raise
        return True
    return False


def forget(path: Path, files: FileStore | None = None) -> None:
    """Remove a journal that nobody has open, and its mark.

    Raises:
        JournalError: If it is in use.
    """
    files = _files(files, path)
    file = _locked(files, path)
    if os.name == "nt":  # there an open file stays
        file.close()
    _remove(files, path)
    file.close()
