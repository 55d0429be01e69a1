"""A pool of slots in memory above a disk, of which everything can fail."""

from collections.abc import Callable, Collection, Iterable

Kept = Callable[[int], tuple[int, int]]
"""Says which bytes of an unflushed change are on disk, from one to another; a size is one byte."""
CHANGES = ("write", "truncate", "flush")


class PowerFailure(Exception):
    """The computer goes off in the middle of a change."""


def lost(size: int) -> tuple[int, int]:
    """Lose every change that was not flushed."""
    return 0, 0


def whole(size: int) -> tuple[int, int]:
    """Keep every change although it was not flushed."""
    return 0, size


def over(data: bytes, at: int, new: bytes) -> bytes:
    """Return data with other bytes written over it."""
    return data[:at].ljust(at, b"\0") + new + data[at + len(new) :] if new else data


class MemorySlots:
    """The `Slots` of a store.

    Attributes:
        seen: The bytes of each slot, as everybody reads them.
        disk: The bytes of each slot that are certainly on disk.
        changes: How many changes were tried.
    """

    def __init__(self, count: int = 4, disk: Iterable[bytes] = ()) -> None:
        self.disk = [*disk] or [b""] * count
        self.seen = [*self.disk]
        self.changes = 0
        self._unflushed: list[list[tuple[int, bytes | None]]] = [[] for _ in self.disk]
        self.mend()

    @property
    def count(self) -> int:
        """How many slots there are."""
        return len(self.disk)

    def mend(self) -> None:
        """Let everything go well from here on."""
        self._left, self._error, self._part, self._fails_left = 10**9, None, None, 0
        self._kinds: Collection[str] = CHANGES

    def fail_after(
        self,
        changes: int,
        error: Exception | None,
        part: int | None = None,
        kinds: Collection[str] = CHANGES,
        times: int = 10**9,
    ) -> None:
        """Let changes fail after some more that go well.

        Args:
            changes: How many go well.
            error: What they fail with. None for writes that are only incomplete.
            part: How many bytes of a write are done all the same; all by default.
            kinds: Which changes count and fail.
            times: How many fail; all by default.
        """
        self._left, self._error, self._part, self._kinds = changes, error, part, kinds
        self._fails_left = times

    def _fails(self, kind: str) -> bool:
        if self._left < 0 and isinstance(self._error, PowerFailure):
            raise self._error  # It is off: nothing more is even begun.
        self.changes += 1
        if kind not in self._kinds:
            return False
        self._left -= 1
        return -self._fails_left <= self._left < 0

    def _end(self, fails: bool) -> None:
        if fails and self._error is not None:
            raise self._error

    def size(self, slot: int) -> int:
        """Return the size of a slot."""
        return len(self.seen[slot])

    def read(self, slot: int, size: int, at: int) -> bytes:
        """Return bytes of a slot."""
        assert min(size, at) >= 0
        return self.seen[slot][at : at + size]

    def write(self, slot: int, data: bytes, at: int) -> int:
        """Write bytes, or a part of them."""
        fails = self._fails("write")
        done = data[: self._part] if fails else data
        self.seen[slot] = over(self.seen[slot], at, done)
        self._unflushed[slot].append((at, done))
        self._end(fails)
        return len(done)

    def truncate(self, slot: int, size: int) -> None:
        """Cut a slot off, or fill it up."""
        fails = self._fails("truncate")
        if not fails or isinstance(self._error, PowerFailure):
            self.seen[slot] = self.seen[slot][:size].ljust(size, b"\0")
            self._unflushed[slot].append((size, None))
        self._end(fails)

    def flush(self, slot: int) -> None:
        """Put a slot on disk."""
        self._end(self._fails("flush"))
        self.disk[slot] = self.seen[slot]
        self._unflushed[slot].clear()

    def after_crash(self, kept: Kept) -> "MemorySlots":
        """Return the pool as it is found after the power has failed."""
        disk = []
        for data, changes in zip(self.disk, self._unflushed, strict=True):
            for at, new in changes:
                start, end = kept(1 if new is None else len(new))
                if new is not None:
                    data = over(data, at + start, new[start:end])
                elif end > start:
                    data = data[:at].ljust(at, b"\0")
            disk.append(data)
        return MemorySlots(disk=disk)
