"""Reading decoded values: whatever came in becomes a value of its type, or Invalid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from ..errors import Invalid

T = TypeVar("T", int, bytes, tuple[bytes, ...])


class WrongForm(Invalid):
    """A value that is not of its form; `path` leads to it, indices from the outermost array in."""

    def __init__(self, code: str, reason: str, path: tuple[int, ...] = ()) -> None:
        super().__init__(code, reason)
        self.path = path


class Raw:
    """A decoded value that may still be anything; complaints have this `code` and call it `name`.

    Each reader gives the value as its type, or raises WrongForm. True and False are no numbers.
    """

    __slots__ = ("_above", "_index", "code", "name", "value")

    def __init__(
        self, value: Any, code: str, name: str = "the whole", path: tuple[int, ...] = ()
    ) -> None:
        self.value, self.code, self.name = value, code, name
        self._above: Raw | tuple[int, ...] = path
        self._index = 0

    @property
    def path(self) -> tuple[int, ...]:
        """The indices that lead to it, from the outermost array in."""
        above = self._above
        return (*above.path, self._index) if isinstance(above, Raw) else above

    def unfit(self, words: str) -> WrongForm:
        """What to raise; `words` go on after the name."""
        return WrongForm(self.code, f"{self.name} {words}", self.path)

    def need(self, holds: bool, words: str) -> None:
        """Raise WrongForm unless this holds."""
        if not holds:
            raise self.unfit(words)

    def integer(self, high: int, low: int = 0) -> int:
        """A number from `low` to `high`, both included."""
        if type(self.value) is not int or not low <= self.value <= high:
            raise self.unfit(f"is no number from {low} to {high}")
        return self.value

    def flag(self) -> bool:
        """True or False."""
        if not isinstance(self.value, bool):
            raise self.unfit("is neither true nor false")
        return self.value

    def octets(self, *sizes: int) -> bytes:
        """Bytes, as many as one of `sizes` says; of any number if there is none."""
        if not isinstance(self.value, bytes):
            raise self.unfit("is not bytes")
        if sizes and len(self.value) not in sizes:
            raise self.unfit(f"is not {' or '.join(map(str, sizes))} bytes")
        return self.value

    def text(self, most: int | None = None) -> str:
        """Text, of at most so many characters."""
        if not isinstance(self.value, str):
            raise self.unfit("is no text")
        if most is not None and len(self.value) > most:
            raise self.unfit(f"is longer than {most} characters")
        return self.value

    def head(self, name: str) -> Raw:
        """The first item of an array, which says what the array is."""
        if not self._array(None):
            raise self.unfit("is empty")
        return self._inner(0, name)

    def row(self, *names: str) -> tuple[Raw, ...]:
        """An array with exactly these fields ([X-2])."""
        if len(self._array(None)) != len(names):
            raise self.unfit(f"has not {len(names)} fields")
        return tuple([self._inner(i, name) for i, name in enumerate(names)])

    def start(self, *names: str, most: int | None = None) -> tuple[Raw, ...]:
        """The first fields of an array that has at least these, and at most so many items."""
        if len(self._array(most)) < len(names):
            raise self.unfit(f"has not {len(names)} fields")
        return tuple([self._inner(i, name) for i, name in enumerate(names)])

    def items(self, name: str, most: int | None = None) -> tuple[Raw, ...]:
        """An array of any number of items, at most so many, each called `name`."""
        return tuple([self._inner(i, name) for i in range(len(self._array(most)))])

    def exactly(self, count: int, name: str) -> tuple[Raw, ...]:
        """An array of so many items, each called `name`."""
        if len(self._array(None)) != count:
            raise self.unfit(f"has not {count} items")
        return self.items(name)

    def hashes(self, size: int, most: int | None = None) -> tuple[bytes, ...]:
        """An array of byte strings of this size; there may be thousands."""
        found = self._array(most)
        if not all(isinstance(one, bytes) and len(one) == size for one in found):
            raise self.unfit(f"holds what is not {size} bytes")
        return tuple(found)

    def rising(self, found: Sequence[T]) -> tuple[T, ...]:
        """What was read of this array, each item above the one before."""
        self.need(list(found) == sorted(set(found)), "is not in rising order")
        return tuple(found)

    def _array(self, most: int | None) -> Sequence[Any]:
        if not isinstance(self.value, (tuple, list)):
            raise self.unfit("is no list")
        if most is not None and len(self.value) > most:
            raise self.unfit(f"is a list of more than {most}")
        return self.value

    def _inner(self, index: int, name: str) -> Raw:
        inner = Raw(self.value[index], self.code, name)
        inner._above, inner._index = self, index  # its path is made when something is amiss
        return inner
