"""The private journal of one seat, in which each message is on disk before it is sent.

A journal has every message that the seat signed or received. The file consists of a magic word, a
head (see `journal_format`), and records. A record has its length (4 bytes), a check value and its
content. The content is encrypted if there is a passphrase, which is None if there is none. The
first record names the table and the seat. The seat's state machine writes and reads all later
records. A small file in another folder, the rollback mark, names the last record of the journal.
The mark shows whether a journal was restored from an old copy.

A journal lies in a folder inside the folder of the player's files. Their store is this computer's
disk if it is None. A NotPrivateError is raised if other users can access a journal, its folders or
those of its mark.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Final

from protocol import Invalid

from ..coded_errors import Code, CodedError, of_system
from . import rollback_marks
from .file_store import FileStore, NotPrivateError, StoredFile
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
from .private_files import NAMED, PrivateFiles

BESIDE: Final = (".claimed", ".relay-only", ".ticket")
"""Suffixes of other files that may lie beside a journal, and are removed with the journal."""
DAMAGED: Final = ".damaged"
"""Suffix of the copy of a damaged journal, with all that is cut off behind the damage."""
BEGINNING: Final = len(MAGIC) + HEAD + 4 + CHECK + MAX_RECORD
"""The number of first bytes of a journal that surely contain its first record."""


class JournalCode(Code):
    """The reasons why a journal cannot be used."""

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
    """An error that says why a journal cannot be used."""


@contextmanager
def _told(code: JournalCode, path: Path) -> Iterator[None]:
    """Turn an error of the system or of a file's content into a JournalError about a path."""
    try:
        yield
    except (OSError, JournalError, VaultError, Invalid) as error:
        why = of_system(error) if isinstance(error, OSError) else of_file(error)
        raise JournalError(code, path=str(path), why=why) from error


@dataclass
class Journal:
    """An open journal, locked against other processes.

    Attributes:
        mark: The path of its rollback mark.
        current: Whether the journal passed the check by the mark when it was opened. If False, it
            may be an old copy, or is damaged.
        is_older: Whether the mark names a record that the journal lacks. Then the journal is
            certainly an old copy, or its end is lost.
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
    """The check value of the last record that is on disk. The rollback mark may name it."""
    _marked: bytes = b""
    _marking: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _gone: bool = False

    def append(self, record: bytes) -> None:
        """Append a record. It is on disk after the next `sync` or `settle`."""
        self._write(*self._sealed(record))

    def begin(self, record: bytes) -> None:
        """Write the first record to disk, after the rollback mark ([J-4])."""
        entry, last = self._sealed(record)
        # The mark comes first. If a crash left a journal without one, it would look like a restored
        # copy, with which a seat signs nothing.
        self._settled = last
        self.set_mark()
        self._write(entry, last)
        self.sync()

    def _sealed(self, record: bytes) -> tuple[bytes, bytes]:
        """Return the next record as it is in the file, and its check value."""
        number = self._number + 1
        sealed = self._form.seal(number, self._last, record)
        last = self._form.check(number, self._last, sealed)
        return len(sealed).to_bytes(4, "big") + last + sealed, last

    def _write(self, entry: bytes, last: bytes) -> None:
        """Write the record that `_sealed` has returned. It is on disk after the next `settle`."""
        with _told(JournalCode.STOPPED, self.path):
            self._file.write(entry)
        # Only now: a mark must not name a record that the file lacks, or the journal would look
        # like an old copy.
        self._last, self._number, self._dirty = last, self._number + 1, True

    def sync(self) -> None:
        """Force all appended records to the disk. Then write the rollback mark."""
        self.settle()
        self.set_mark()

    def settle(self) -> bool:
        """Force all appended records to the disk ([J-1]). Return False if they were there already.

        Raises:
            JournalError: If they cannot be written.
        """
        if not self._dirty:
            return False
        with _told(JournalCode.STOPPED, self.path):
            self._file.sync()
        # Only now, because another thread may write the mark at any moment: with a mark of a record
        # that a crash has lost, the journal would look like an old copy.
        self._dirty, self._settled = False, self._last
        return True

    def set_mark(self) -> None:
        """Name the last record on disk in the rollback mark. Any thread may call this.

        Raises:
            JournalError: If the mark cannot be written. The old one remains.
        """
        # A mark that comes late names an earlier record, which does no harm ([J-4]). But two
        # threads must not write an earlier one over a later one.
        with self._marking:
            last = self._settled
            if self._gone or last == self._marked:
                return
            with _told(JournalCode.STOPPED, self.mark):
                self._write_mark(last)
            # After the writing: if that fails, the next call has to try again.
            self._marked = last

    def _write_mark(self, last: bytes) -> None:
        where = os.fsencode(self.files.real(self.path))
        rollback_marks.write(self.files, self.mark, self._form.mark(last, self._file.number, where))

    def close(self) -> None:
        """Force everything to the disk, close the journal, and release its lock."""
        try:
            self.sync()
        finally:
            self._let_go()

    def _let_go(self) -> None:
        """Close the file and release its lock."""
        # From here on `set_mark` does nothing, so that no thread brings back the mark of a journal
        # that is removed.
        with self._marking:
            self._gone = True
            # `sync` has reported an error already. The lock is released all the same.
            with suppress(OSError):
                self._file.close()

    def remove(self) -> None:
        """Close the journal, and remove its file and its rollback mark.

        Call this when nothing is left to resume, because the journal contains secrets of the seat.
        """
        self._let_go()  # A full disk does not matter for a file that is removed.
        _remove(self.files, self.path)


def _remove(files: FileStore, path: Path) -> None:
    """Remove a journal, its rollback mark, and the other files that belong to it."""
    # The journal before its mark: one that a crash left without a mark would look like a copy.
    files.remove(path)
    files.remove(path.with_suffix(DAMAGED))
    files.remove(rollback_marks.path_of(path, files))
    for suffix in BESIDE:
        with suppress(OSError):  # They contain no secret.
            files.remove(path.with_suffix(suffix))


def check_marks(home: Path, files: FileStore = NAMED) -> None:
    """Check that rollback marks are not stored inside the folder of a player's files ([J-5]).

    Raises:
        JournalError: If they are. A copy of the folder would then contain the marks, too.
    """
    if rollback_marks.lies_with(home, files):
        path = str(rollback_marks.folder(files))
        raise JournalError(JournalCode.MARKS_INSIDE, path=path, home=str(home))


def _place(path: Path, files: FileStore) -> Path:
    check_marks(path.parent.parent, files)
    return rollback_marks.path_of(path, files)


def _files(files: FileStore | None, path: Path) -> FileStore:
    return files or PrivateFiles(path.parent.parent)


def create(
    path: Path, first: SeatRecord, passphrase: str | None = None, files: FileStore | None = None
) -> Journal:
    """Create a journal, with its first record on disk.

    Raises:
        JournalError: If there is already a journal at this path, or it cannot be written.
    """
    files = _files(files, path)
    mark, form = _place(path, files), new_form(passphrase)
    try:
        file = files.append(path, new=True)
    except FileExistsError as error:
        raise JournalError(JournalCode.EXISTS, path=str(path)) from error
    except OSError as error:
        raise JournalError(JournalCode.UNWRITTEN, path=str(path), why=of_system(error)) from error
    file.write(MAGIC + form.head)
    journal = Journal(path, mark, files, file, form, form.start)
    try:
        journal.begin(first.encode())
    except (JournalError, NotPrivateError):
        # A journal without a record cannot be continued, and would block the next attempt.
        journal.remove()
        raise
    rollback_marks.sweep(files)
    return journal


def _locked(files: FileStore, path: Path) -> StoredFile:
    """Open a journal and lock it against other processes until it is closed ([J-3])."""
    try:
        return files.append(path)
    except BlockingIOError as error:
        raise JournalError(JournalCode.IN_USE, journal=path.name) from error
    except OSError as error:
        raise JournalError(JournalCode.UNOPENED, path=str(path), why=of_system(error)) from error


def _got(files: FileStore | None, path: Path, most: int = -1) -> BytesIO:
    """Read the first bytes of a journal, at most `most` (all if negative), without locking it."""
    with _told(JournalCode.UNOPENED, path):
        return BytesIO(_files(files, path).get(path, most))


def reopen(
    path: Path, passphrase: str | None = None, files: FileStore | None = None
) -> tuple[Journal, SeatRecord, Iterator[bytes]]:
    """Open a journal to continue its game. An incomplete last record is cut off ([J-2]).

    The journal's attribute `current` is False if the mark is missing, was made for another file, or
    names a record that the journal lacks. It is also False if the journal is damaged, so that whole
    records follow a broken record. The records after the damage are dropped, and the mark is
    removed. `is_older` is True if a valid mark names a record that the journal lacks ([E-22]).

    Returns:
        The journal, its first record, and an iterator of the further records. They are read from
        the file as they are requested. Read all of them before you append a record.

    Raises:
        JournalError: If the journal cannot be used.
    """
    files = _files(files, path)
    # Before anything is read, or another process could append what this one then cuts off.
    file = _locked(files, path)
    unusable = ExitStack()
    unusable.callback(file.close)
    with unusable, _told(JournalCode.UNUSABLE, path):
        form = _form_of(file, passphrase)
        mark = _place(path, files)
        marked = form.marked(rollback_marks.read(files, mark))
        named, in_file = (None, None) if marked is None else marked
        last, number, end, has_named = form.start, 0, file.tell(), False
        for _, last in _chain(form, file):
            number, end, has_named = number + 1, file.tell(), has_named or last == named
        # A copy that was put back may have the same records, but is another file of the system.
        current = has_named and in_file == file.number
        # Without a valid mark nothing is certain: this may be the newest copy.
        is_older = named is not None and not has_named
        # Before anything is cut off: with a wrong passphrase no record is valid, and all would go.
        first = _first(form, file)
        file.seek(end)
        if form.goes_on_behind(file, number + 1, last):
            current = False
            # What is dropped may be the only proof of what another seat has signed. The mark goes
            # before anything is cut off, or the shortened journal would look current after a crash.
            _keep_damaged(files, path)
            files.remove(mark, settle=True)
        file.seek(end)
        file.truncate()
        journal = Journal(path, mark, files, file, form, last, number, current, is_older)
        unusable.pop_all()
        return journal, first, _rest(form, file, end)


def _keep_damaged(files: FileStore, path: Path) -> None:
    """Copy a damaged journal beside it, unless there is a copy already."""
    copy = path.with_suffix(DAMAGED)
    # The first copy has the most, because the journal was cut off after it.
    if not files.has(copy):
        files.put(copy, files.get(path, -1))


def _chain(form: Form, file: Readable) -> Iterator[tuple[bytes, bytes]]:
    """Yield each record with its check value as it is read, up to the first invalid one."""
    file.seek(len(MAGIC) + HEAD)
    last, number = form.start, 1
    while (found := form.next(file, number, last)) is not None:
        yield found
        last, number = found[1], number + 1


def _rest(form: Form, file: StoredFile, end: int) -> Iterator[bytes]:
    """Yield the records after the first one. Then set the file to `end`, where it is written on."""
    try:
        for number, (record, _) in enumerate(_chain(form, file)):
            if number:
                yield record
    finally:
        # The journal may be closed before all records were taken.
        if not file.closed:
            file.seek(end)


def _form_of(file: Readable, passphrase: str | None) -> Form:
    """Return the keys of a journal. Raise JournalError if the file is none of this version."""
    magic = file.read(len(MAGIC))
    if not magic:
        raise JournalError(JournalCode.EMPTY)
    if magic == MAGIC_OF_VERSION_2:
        raise JournalError(JournalCode.OF_VERSION_2)
    if magic != MAGIC:
        raise JournalError(JournalCode.OTHER_FILE)
    return read_form(file.read(HEAD), passphrase)


def _first(form: Form, file: Readable) -> SeatRecord:
    """Read and return the first record of a journal. Raise an error if that is impossible."""
    record = next(_chain(form, file), None)
    if record is None:
        # With a wrong passphrase every check value is wrong, so that no record is found.
        raise VaultError(VaultCode.WRONG) if form.locked else JournalError(JournalCode.EMPTY)
    try:
        return decode_seat_record(record[0])
    except EarlierRecord as error:
        raise JournalError(JournalCode.EARLIER) from error


def read_first(
    path: Path, passphrase: str | None = None, files: FileStore | None = None
) -> SeatRecord:
    """Read the first record of a journal without locking the journal.

    Raises:
        JournalError: If the file is not a journal, or was written by another version.
        VaultError: If the passphrase is wrong or missing.
        Invalid: If the first record is malformed.
    """
    file = _got(files, path, BEGINNING)
    return _first(_form_of(file, passphrase), file)


def read(
    path: Path, passphrase: str | None = None, files: FileStore | None = None
) -> tuple[SeatRecord, Iterator[bytes]]:
    """Read the first record of a journal and those after it, without locking the journal.

    Raises:
        JournalError: If the journal cannot be read.
        VaultError: If the passphrase is wrong or missing.
    """
    file = _got(files, path)
    form = _form_of(file, passphrase)
    return _first(form, file), (record for record, _ in islice(_chain(form, file), 1, None))


def check(path: Path, files: FileStore | None = None) -> None:
    """Check that the owner of a journal can open it, and that no other user can.

    Raises:
        JournalError: If the journal cannot be opened.
    """
    _got(files, path, 0)


def is_open(path: Path, files: FileStore | None = None) -> bool:
    """Return whether a process has a journal open, which means that its seat is being played.

    A JournalError is raised if the journal cannot be opened.
    """
    try:
        _locked(_files(files, path), path).close()
    except JournalError as error:
        if error.code != JournalCode.IN_USE:
            raise
        return True
    return False


def forget(path: Path, files: FileStore | None = None) -> None:
    """Remove a journal with its rollback mark. Raise JournalError if a process has it open."""
    files = _files(files, path)
    # Locked from here on: a seat that another process plays must not lose its journal.
    file = _locked(files, path)
    if os.name == "nt":  # There an open file cannot be removed.
        file.close()
    # Before the lock is released, where the system allows it: nobody opens the journal in between.
    _remove(files, path)
    file.close()
