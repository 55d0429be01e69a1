"""Reading decoded values: whatever came in becomes a value of its type, or Invalid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from ..errors import Invalid

T = TypeVar("T", int, bytes, tuple[bytes, ...])


class Malformed(Invalid):
    """A value that is not of its form; `path` leads to it, indices from the outermost array in."""

    def __init__(self, code: str, reason: str, path: tuple[int, ...] = ()) -> None:
        super().__init__(code, reason)
        self.path = path


class Raw:
    """A decoded value that may still be anything; complaints have this `code` and call it `name`.

    Each reader gives the value as its type, or raises Malformed. True and False are no numbers.
    """

    __slots__ = ("code", "name", "path", "value")

    def __init__(
        self, value: Any, code: str, name: str = "the whole", path: tuple[int, ...] = ()
    ) -> None:
        self.value, self.code, self.name, self.path = value, code, name, path

    def need(self, holds: bool, words: str) -> None:
        """Raise Malformed unless this holds; `words` go on after the name."""
        if not holds:
            raise Malformed(self.code, f"{self.name} {words}", self.path)

    def integer(self, high: int, low: int = 0) -> int:
        """A number from `low` to `high`, both included."""
        fits = type(self.value) is int and low <= self.value <= high
        self.need(fits, f"is no number from {low} to {high}")
        return int(self.value)

    def flag(self) -> bool:
        """True or False."""
        self.need(isinstance(self.value, bool), "is neither true nor false")
        return bool(self.value)

    def octets(self, *sizes: int) -> bytes:
        """Bytes, as many as one of `sizes` says; of any number if there is none."""
        fits = isinstance(self.value, bytes) and (not sizes or len(self.value) in sizes)
        how_many = " or ".join(map(str, sizes))
        self.need(fits, f"is not {how_many} bytes" if sizes else "is not bytes")
        return bytes(self.value)

    def text(self, most: int | None = None) -> str:
        """Text, of at most so many characters."""
        fits = isinstance(self.value, str) and (most is None or len(self.value) <= most)
        self.need(fits, "is no text" if most is None else f"is no text of up to {most} characters")
        return str(self.value)

    def row(self, *names: str) -> tuple[Raw, ...]:
        """An array with exactly these fields."""
        fields = self._array(None)
        self.need(len(fields) == len(names), f"has not {len(names)} fields")
        return tuple(self._inner(i, name) for i, name in enumerate(names))

    def items(self, name: str, most: int | None = None) -> tuple[Raw, ...]:
        """An array of any number of items, at most so many, each called `name`."""
        return tuple(self._inner(i, name) for i in range(len(self._array(most))))

    def exactly(self, count: int, name: str) -> tuple[Raw, ...]:
        """An array of so many items, each called `name`."""
        self.need(len(self._array(None)) == count, f"has not {count} items")
        return self.items(name)

    def hashes(self, size: int, most: int | None = None) -> tuple[bytes, ...]:
        """An array of byte strings of this size; there may be thousands."""
        found = self._array(most)
        fits = all(isinstance(one, bytes) and len(one) == size for one in found)
        self.need(fits, f"holds what is not {size} bytes")
        return tuple(found)

    def rising(self, found: Sequence[T]) -> tuple[T, ...]:
        """What was read of this array, each item above the one before."""
        self.need(list(found) == sorted(set(found)), "is not in rising order")
        return tuple(found)

    def _array(self, most: int | None) -> Sequence[Any]:
        self.need(isinstance(self.value, (tuple, list)), "is no list")
        self.need(most is None or len(self.value) <= most, f"is a list of more than {most}")
        found: Sequence[Any] = self.value
        return found

    def _inner(self, index: int, name: str) -> Raw:
        return Raw(self.value[index], self.code, name, (*self.path, index))
