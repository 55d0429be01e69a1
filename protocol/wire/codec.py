"""The wire format: a strict profile of msgpack, and readers for the values in it.

Every value has exactly one encoding. What was decoded becomes a value of its type, or `Invalid`.

Allowed: nil, bool, unsigned integers below 2^64, str (UTF-8), bin and arrays, each in its
shortest form, nested at most 16 arrays deep. Not allowed: floats, negative integers, maps and
extensions. Format: https://github.com/msgpack/msgpack/blob/master/spec.md

SPEC: section 2.1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeAlias, TypeVar

import msgpack  # type: ignore[import-untyped]  # it ships no types

from ..errors import Invalid

Value: TypeAlias = "bool | int | str | bytes | Sequence[Value] | None"

MAX_DEPTH: Final = 16
MAX_ITEMS: Final = 4096
"""Items in one array, by default."""


def encode(value: Value) -> bytes:
    """The one encoding of `value`. Raises Invalid('bad-encoding') if it has none ([C-1], [C-2])."""
    _check(value, 0)
    try:
        return bytes(msgpack.packb(value, use_bin_type=True))
    except (ValueError, OverflowError):  # a lone surrogate; 2^32 bytes or more
        raise Invalid("bad-encoding", "a string that is not Unicode, or too long") from None


def decode(data: bytes, max_size: int, max_items: int = MAX_ITEMS) -> Any:
    """The value of `data`, arrays as tuples; its shape is for the caller to check.

    Raises Invalid('bad-encoding') for more than `max_size` bytes, arrays of more than
    `max_items`, deeper nesting, anything outside the profile, missing or trailing bytes, and
    any bytes that differ from the encoding of their own value ([C-1], [C-2], [C-3], [C-4], [C-5]).
    """
    if not isinstance(data, bytes) or len(data) > max_size:
        raise Invalid("bad-encoding", f"more than {max_size} bytes")
    value = _unpack(data, max_items)
    if encode(value) != data:
        raise Invalid("bad-encoding", "not the shortest encoding of its value")
    return value


def _unpack(data: bytes, max_items: int) -> Value:
    """msgpack under limits: it sets aside room for an array's items before it sees them ([C-4])."""
    try:
        value: Value = msgpack.unpackb(
            data,
            raw=False,
            use_list=False,
            max_array_len=max_items,
            max_map_len=0,
            max_ext_len=0,
        )
    except (ValueError, msgpack.exceptions.UnpackException):
        raise Invalid("bad-encoding", "not the encoding of one value") from None
    return value


_PLAIN: Final = frozenset((type(None), bool, bytes, str))
"""Kinds of which every value belongs to the profile; there may be thousands in one array."""


def _check(value: object, depth: int) -> None:
    """Raise unless the value and all in it belong to the profile ([C-3])."""
    if type(value) in _PLAIN:
        return
    if isinstance(value, int):
        if not 0 <= value < 2**64:
            raise Invalid("bad-encoding", "an integer outside 0 to 2^64 - 1")
    elif isinstance(value, tuple | list) and not isinstance(value, msgpack.ExtType):
        if depth == MAX_DEPTH:
            raise Invalid("bad-encoding", f"arrays nested more than {MAX_DEPTH} deep")
        for item in value:
            if type(item) not in _PLAIN:
                _check(item, depth + 1)
    elif not isinstance(value, bytes | str):
        raise Invalid("bad-encoding", "a value of a kind that is not in the profile")


# The encoding of a long value, in parts.


def size(value: Value) -> int:
    """Return how many bytes the encoding of `value` has, without making it."""
    if isinstance(value, tuple | list):
        head = 1 if len(value) < 16 else 3 if len(value) < 2**16 else 5
        return head + sum(map(size, value))
    if isinstance(value, bytes):
        head = 2 if len(value) < 2**8 else 3 if len(value) < 2**16 else 5
        return head + len(value)
    return len(encode(value))


def pieces(value: Value) -> Iterator[bytes]:
    """Yield the encoding of `value` in parts: an array's head, then its items one by one."""
    if isinstance(value, tuple | list):
        yield bytes(msgpack.Packer().pack_array_header(len(value)))
        for item in value:
            yield from pieces(item)
    else:
        yield encode(value)


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
