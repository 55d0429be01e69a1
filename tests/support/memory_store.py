"""A store of files in memory, which forgets at a power failure what was not put on its disk."""

from __future__ import annotations

import io
import time
from itertools import count
from pathlib import Path

from p2p_hoity.storage.file_store import FileInfo, FileStore


class MemoryFile(io.BytesIO):
    """One open file; its store keeps what `sync` puts there.

    Attributes:
        number: Which file of its store it is.
    """

    def __init__(self, store: MemoryStore, path: Path, number: int) -> None:
        super().__init__(store.written.get(path, b""))
        self.number = number
        self._store, self._path = store, path

    def write(self, data: bytes, /) -> int:  # type: ignore[override]
        """Write bytes, which other readers see at once."""
        size = super().write(data)
        self._told()
        return size

    def truncate(self, size: int | None = None, /) -> int:
        """Cut off what follows."""
        size = super().truncate(size)
        self._told()
        return size

    def _told(self) -> None:
        if self._is_there():
            self._store.change(self._path, self.getvalue())

    def _is_there(self) -> bool:
        # It may have been removed or replaced.
        return self._store.number(self._path) == self.number

    def sync(self) -> None:
        """Put everything on disk."""
        if self._is_there():
            self._store.settle(self._path)

    def close(self) -> None:
        """Release the lock."""
        self._store.locked.discard(self.number)
        super().close()


class MemoryStore(FileStore):
    """A `FileStore` in memory.

    Attributes:
        written: The bytes of each file, as every reader sees them.
        on_disk: The bytes of each file that would be there after a power failure.
        locked: The numbers of the files that are open.
    """

    def __init__(self) -> None:
        self.written: dict[Path, bytes] = {}
        self.on_disk: dict[Path, bytes] = {}
        self.locked: set[int] = set()
        self._numbers: dict[Path, int] = {}
        self._changed: dict[Path, int] = {}
        self._next = count(1)

    def settle(self, path: Path) -> None:
        """Put a file on disk."""
        if path in self.written:
            self.on_disk[path] = self.written[path]

    def fail(self) -> None:
        """Lose what is not on disk, and all locks."""
        self.written = dict(self.on_disk)
        self.locked.clear()

    def number(self, path: Path) -> int | None:
        """Return the number of the file at this path. None if there is none."""
        return self._numbers[path] if path in self.written else None

    def change(self, path: Path, data: bytes) -> None:
        """Replace the bytes of a file."""
        self.written[path] = data
        self._changed[path] = time.time_ns()

    def _new(self, path: Path, data: bytes) -> None:
        self.change(path, data)
        self._numbers[path] = next(self._next)

    def get(self, path: Path, most: int = -1) -> bytes:
        """Return the first bytes of a file."""
        if path not in self.written:
            raise FileNotFoundError(2, "No such file", str(path))
        return self.written[path][: most if most >= 0 else None]

    def put(self, path: Path, data: bytes, once: bool = False, settle: bool = True) -> None:
        """Write a file whole."""
        if once and path in self.written:
            raise FileExistsError(17, "File exists", str(path))
        self._new(path, data)
        if settle:
            self.settle(path)

    def append(self, path: Path, new: bool = False) -> MemoryFile:
        """Open a file and lock it."""
        if new:
            self.put(path, b"", once=True, settle=False)
        self.get(path)
        number = self._numbers[path]
        if number in self.locked:
            raise BlockingIOError(11, "it is locked", str(path))
        self.locked.add(number)
        return MemoryFile(self, path, number)

    def lock(self, path: Path, wait: bool = False) -> MemoryFile | None:
        """Lock a file that has no other purpose."""
        if self.number(path) in self.locked:
            return None
        if path not in self.written:
            self._new(path, b"")
        return self.append(path)

    def list(self, folder: Path, ending: str) -> list[Path]:
        """Return the files of a folder whose names end so."""
        found = (path for path in self.written if path.parent == folder)
        return sorted(path for path in found if path.name.endswith(ending))

    def has(self, path: Path) -> bool:
        """Return whether there is such a file."""
        return path in self.written

    def info(self, path: Path) -> FileInfo:
        """Return the size of a file and the time of its last change."""
        return FileInfo(len(self.get(path)), self._changed[path])

    def real(self, path: Path) -> Path:
        """Return the same path, because there are no links."""
        return path

    def remove(self, path: Path, settle: bool = False) -> None:
        """Remove a file, if there is one."""
        self.written.pop(path, None)
        if settle:
            self.on_disk.pop(path, None)
