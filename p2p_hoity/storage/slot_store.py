"""A store of files over a fixed pool of slots, as a web browser gives it to the worker of a page.

A worker can read and write only those private files at once that were opened before. So the page
opens a fixed number of them, the slots, before the program starts. Nobody else can open a slot
meanwhile, neither another page nor a second copy of this one. So nothing here is ever refused as
not private, and a file needs no lock but the one in memory.

A slot holds one file, or is free. There are no folders and no links: a path is only a name.

    0       header: check value (16 bytes), generation, number of the file, time at which it was
            made (8 each), length of the path (2), path
    4096    time: the last change after that (8), check value (16)
    8192    the bytes of the file

A file is put into a free slot, and is on disk before its header is written. Only when the header is
on disk, too, the older file with the same path is removed. After a crash in between, two slots have
the same path, and the higher generation counts. A header is never changed, because a crash could
tear it. A torn header fails its check, and its slot is free.
"""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from .file_store import FileInfo, FileStore

BLOCK: Final = 4096
"""The space for a header, and for a time.

They share no page of the disk with each other or with the bytes of the file, so that no write to
one of them can harm another one.
"""
CONTENT: Final = 2 * BLOCK
"""Where the bytes of a file begin in its slot."""
FIELDS: Final = struct.Struct(">QQQH")
"""The fields of a header between its check value and the path."""
CHECK: Final = 16
LONGEST_PATH: Final = BLOCK - CHECK - FIELDS.size
"""The most bytes of a path."""


NO_SPACE: Final = "No space left on device"
"""The system's own words for that, which are translated."""


class Slots(Protocol):
    """A pool of slots that are open for this program alone. They have the numbers from 0 on.

    Every method raises OSError if the browser refuses or fails. After a crash any part of what was
    written to a slot since its last `flush` may be lost. A change of the size is lost or done.
    """

    @property
    def count(self) -> int:
        """How many slots there are."""

    def size(self, slot: int) -> int:
        """Return the size of a slot.

        Args:
            slot: Its number.

        Returns:
            The number of its bytes. A new slot has none.
        """

    def read(self, slot: int, size: int, at: int) -> bytes:
        """Read bytes of a slot.

        Args:
            slot: Its number.
            size: The most bytes to read.
            at: Where they begin.

        Returns:
            The bytes, fewer than `size` only where the slot ends.
        """

    def write(self, slot: int, data: bytes, at: int) -> int:
        """Write bytes to a slot. It grows if necessary, and a gap is filled with zeros.

        Args:
            slot: Its number.
            data: What to write. It may be empty.
            at: Where it begins.

        Returns:
            The number of bytes that were written, fewer than given if there is no more space.
        """

    def truncate(self, slot: int, size: int) -> None:
        """Cut a slot off, or fill it up with zeros. To cut it off takes no space.

        Args:
            slot: Its number.
            size: Its new size, in bytes.
        """

    def flush(self, slot: int) -> None:
        """Force everything that was written to a slot to the disk.

        Args:
            slot: Its number.
        """


class _Removed:
    """The bytes of a file that was removed or replaced while it was open: `Slots` of its own.

    Whoever has the file open goes on reading and writing it, as on a disk.
    """

    count = 1

    def __init__(self, data: bytes) -> None:
        self._data = bytearray(data)

    def size(self, slot: int) -> int:
        """Return the size of the slot that the file had."""
        return len(self._data)

    def read(self, slot: int, size: int, at: int) -> bytes:
        """Read bytes of it."""
        return bytes(self._data[at : at + size])

    def write(self, slot: int, data: bytes, at: int) -> int:
        """Write bytes to it."""
        self.truncate(slot, max(at, len(self._data)))
        self._data[at : at + len(data)] = data
        return len(data)

    def truncate(self, slot: int, size: int) -> None:
        """Cut it off, or fill it up."""
        self._data = self._data[:size].ljust(size, b"\0")

    def flush(self, slot: int) -> None:
        """Do nothing: nobody can find the file any more."""


@dataclass
class _File:
    """A file in a slot.

    Attributes:
        number: A random number, so that no copy has the same one, not even in the same slot.
        opened: The open file, which locks this one. None if it is not locked.
    """

    path: Path
    slot: int
    generation: int
    number: int
    changed: int
    opened: SlotFile | None = None

    def header(self) -> bytes:
        """Return the header of the slot. The path must not be too long."""
        name = os.fsencode(self.path)
        fields = FIELDS.pack(self.generation, self.number, self.changed, len(name)) + name
        return _check(fields) + fields

    def time(self) -> bytes:
        """Return what a slot stores of the last change."""
        changed = self.changed.to_bytes(8, "big")
        return changed + _check(changed)


def _check(data: bytes) -> bytes:
    """Return the check value of a header or time."""
    return hashlib.blake2b(data, digest_size=CHECK, person=b"hoity slot").digest()


def _file_in(slots: Slots, slot: int) -> _File | None:
    """Return the file in a slot, or None if the slot is free."""
    header = slots.read(slot, BLOCK, 0)
    if len(header) < CHECK + FIELDS.size:
        return None
    generation, number, changed, length = FIELDS.unpack_from(header, CHECK)
    end = CHECK + FIELDS.size + length
    if _check(header[CHECK:end]) != header[:CHECK]:
        return None
    path = Path(os.fsdecode(header[CHECK + FIELDS.size : end]))
    file = _File(path, slot, generation, number, changed)
    stored = slots.read(slot, 8 + CHECK, BLOCK)
    file.changed = int.from_bytes(stored[:8], "big")
    # Before the first change there is no time, and a crash can have torn it.
    if stored != file.time():
        file.changed = changed
    return file


def _size(slots: Slots, slot: int) -> int:
    """Return the size of the file in a slot."""
    return max(0, slots.size(slot) - CONTENT)


def _write(slots: Slots, slot: int, data: bytes, at: int) -> None:
    """Write bytes to a slot, or raise OSError (ENOSPC)."""
    # A browser may also return a larger number in the place of an error.
    if slots.write(slot, data, at) != len(data):
        raise OSError(errno.ENOSPC, NO_SPACE)


class SlotFile:
    """An open file in a slot, a `StoredFile`. Its bytes are in the slot as soon as it is written.

    A ValueError is raised if it is closed.
    """

    def __init__(self, store: SlotStore, slots: Slots, file: _File) -> None:
        self._store, self._slots, self._slot, self._file = store, slots, file.slot, file
        self._at = 0
        self._has_changed = False
        self._closed = False

    @property
    def number(self) -> int:
        """The number that the store has drawn for the file."""
        return self._file.number

    @property
    def closed(self) -> bool:
        """True if the file was closed."""
        return self._closed

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Let no other thread use the store meanwhile."""
        with self._store.guard:
            if self._closed:
                raise ValueError("the file is closed")
            yield

    def _size(self) -> int:
        return _size(self._slots, self._slot)

    def read(self, size: int = -1, /) -> bytes:
        """Read bytes from the current position."""
        with self._held():
            left = max(0, self._size() - self._at)
            most = left if size < 0 else min(size, left)
            data = self._slots.read(self._slot, most, CONTENT + self._at)
            self._at += len(data)
            return data

    def write(self, data: bytes, /) -> int:
        """Write all bytes at the current position.

        If that fails, neither the position nor the size has changed.
        """
        with self._held():
            size = self._size()
            try:
                _write(self._slots, self._slot, data, CONTENT + self._at)
            except OSError:
                # Behind what is written here next, a part of these bytes must not follow.
                with suppress(OSError):
                    self._slots.truncate(self._slot, CONTENT + size)
                raise
            self._at += len(data)
            self._change()
            return len(data)

    def _change(self) -> None:
        self._file.changed, self._has_changed = time.time_ns(), True

    def seek(self, offset: int, /) -> int:
        """Move to a position in the file."""
        with self._held():
            self._at = offset
            return offset

    def tell(self) -> int:
        """Return the current position."""
        with self._held():
            return self._at

    def truncate(self) -> int:
        """Cut off everything after the current position."""
        with self._held():
            self._slots.truncate(self._slot, CONTENT + self._at)
            self._change()
            return self._at

    def sync(self) -> None:
        """Force all written bytes to the disk."""
        with self._held():
            # Otherwise a header that should have failed could win after a crash, and this file with
            # all that is written here would be lost.
            self._store.empty()
            self._write_time()
            self._slots.flush(self._slot)

    def _write_time(self) -> None:
        """Write the time of the last change."""
        if self._has_changed:
            # Nothing depends on it. The bytes of the file must reach the disk all the same.
            with suppress(OSError):
                self._slots.write(self._slot, self._file.time(), BLOCK)
            self._has_changed = False

    def close(self) -> None:
        """Close the file and release its lock."""
        with self._store.guard:
            if not self._closed:
                self._write_time()
                self._file.opened, self._closed = None, True

    def leave_slot(self) -> None:
        """Go on in memory. The store calls this before it removes or replaces the file."""
        data = b""
        # Otherwise the file could not be removed. Who has it open finds it empty.
        with suppress(OSError):
            data = self._slots.read(self._slot, self._slots.size(self._slot), 0)
        self._slots, self._slot = _Removed(data), 0


class SlotStore(FileStore):
    """A `FileStore` over a pool of slots. No other store may use the pool.

    One file needs one slot, and one more has to be free while a file is replaced. An OSError
    (ENOSPC) is raised if no slot is free. What is put or removed is always forced to the disk.

    Attributes:
        guard: What a thread holds while it uses the pool. A rollback mark is written in a thread of
            its own where the system has threads.
    """

    def __init__(self, slots: Slots) -> None:
        self.guard = threading.RLock()
        self._slots = slots
        found = [file for slot in range(slots.count) if (file := _file_in(slots, slot)) is not None]
        found.sort(key=lambda file: file.generation)
        # The higher generation is the later one here, and takes the place of the other.
        self._files = {file.path: file for file in found}
        self._generation = found[-1].generation if found else 0
        kept = {file.slot for file in self._files.values()}
        self._leftover = {slot for slot in range(slots.count) if slots.size(slot)} - kept
        """The slots without a file that may not be empty on disk."""
        # If it fails now, it is tried again before anything is written.
        with suppress(OSError):
            self.empty()

    def empty(self) -> None:
        """Empty the slots whose file no longer counts, on disk.

        An OSError is raised if that is impossible. Then nothing may be written, because such a file
        could count again after a crash.
        """
        for slot in sorted(self._leftover):
            self._slots.truncate(slot, 0)
            self._slots.flush(slot)
            self._leftover.discard(slot)

    def _found(self, path: Path) -> _File:
        """Return a file, or raise FileNotFoundError."""
        file = self._files.get(self.real(path))
        if file is None:
            raise FileNotFoundError(errno.ENOENT, "there is no such file", str(path))
        return file

    def get(self, path: Path, most: int = -1) -> bytes:
        """Return the first bytes of a file."""
        with self.guard:
            slot = self._found(path).slot
            size = _size(self._slots, slot)
            return self._slots.read(slot, size if most < 0 else min(most, size), CONTENT)

    def put(self, path: Path, data: bytes, once: bool = False, settle: bool = True) -> None:
        """Write a file as a whole or not at all.

        Raises:
            FileExistsError: If the file exists, and `once` is True.
            OSError: Also if no slot is free (ENOSPC) or the path is too long (ENAMETOOLONG).
        """
        with self.guard:
            path = self.real(path)
            if once and path in self._files:
                raise FileExistsError(errno.EEXIST, "the file exists", str(path))
            if len(os.fsencode(path)) > LONGEST_PATH:
                raise OSError(errno.ENAMETOOLONG, "the path is too long", str(path))
            self.empty()
            file = self._new(path)
            # From here on until the header is on disk: if anything fails, the slot is emptied, and
            # the older file is still there.
            self._leftover.add(file.slot)
            try:
                self._fill(file, data)
                self._leftover.discard(file.slot)
                self._drop(path)
                self._files[path] = file
            finally:
                # The new file is there already, or the error is that of the writing.
                with suppress(OSError):
                    self.empty()

    def _new(self, path: Path) -> _File:
        """Return a new file in a free slot, or raise OSError (ENOSPC)."""
        taken = {file.slot for file in self._files.values()}
        free = next((slot for slot in range(self._slots.count) if slot not in taken), None)
        if free is None:
            raise OSError(errno.ENOSPC, NO_SPACE, str(path))
        # Also of an attempt that fails: its header may be on disk.
        self._generation += 1
        return _File(path, free, self._generation, secrets.randbits(64), time.time_ns())

    def _fill(self, file: _File, data: bytes) -> None:
        """Write a file to its empty slot, on disk."""
        # With zeros for the header and the time, so that later there is space for them.
        _write(self._slots, file.slot, bytes(CONTENT) + data, 0)
        # Before the header, which would otherwise count without the bytes after a crash.
        self._slots.flush(file.slot)
        _write(self._slots, file.slot, file.header(), 0)
        self._slots.flush(file.slot)

    def _drop(self, path: Path) -> None:
        """Let a file count no longer, if there is one. `empty` then removes it from the disk."""
        file = self._files.pop(path, None)
        if file is not None:
            self._leftover.add(file.slot)
            if file.opened is not None:
                file.opened.leave_slot()

    def append(self, path: Path, new: bool = False) -> SlotFile:
        """Open a file for reading and writing, and lock it.

        Raises:
            BlockingIOError: If it is open already.
        """
        with self.guard:
            if new:
                self.put(path, b"", once=True)
            file = self._found(path)
            if file.opened is not None:
                raise BlockingIOError(errno.EAGAIN, "it is locked", str(path))
            file.opened = SlotFile(self, self._slots, file)
            return file.opened

    def lock(self, path: Path, wait: bool = False) -> SlotFile | None:
        """Lock a file that serves only as a lock.

        It is never waited for: this program itself holds the lock, and would wait forever.
        """
        with self.guard:
            if not self.has(path):
                self.put(path, b"")
            with suppress(BlockingIOError):
                return self.append(path)
            return None

    def list(self, folder: Path, ending: str) -> list[Path]:
        """Return the files whose paths name a folder and end with a suffix."""
        with self.guard:
            names = [path.name for path in self._files if path.parent == self.real(folder)]
        return sorted(folder / name for name in names if name.endswith(ending))

    def has(self, path: Path) -> bool:
        """Return whether a file exists."""
        return self.real(path) in self._files

    def info(self, path: Path) -> FileInfo:
        """Return the size of a file and the time of its last change.

        After a crash, the time may be an earlier one.
        """
        with self.guard:
            file = self._found(path)
            return FileInfo(_size(self._slots, file.slot), file.changed)

    def real(self, path: Path) -> Path:
        """Return a path without `..`. There are no links."""
        return Path(os.path.normpath(path))

    def remove(self, path: Path, settle: bool = False) -> None:
        """Remove a file, if it exists."""
        with self.guard:
            # Before the file itself: if an older one of this path is left, it would come back.
            self.empty()
            self._drop(self.real(path))
            self.empty()
