"""Strict decoding of one long value from a stream, item by item, in bounded memory.

The profile is that of `encoding`. The stream is read in pieces, and every item is checked as it
comes: no more is held at any time than what the value has come to, one piece, and one string.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Protocol

from .codec import MAX_DEPTH, Value

PIECE: Final = 1 << 16
"""Bytes that are read at a time."""


class Readable(Protocol):
    """A stream of bytes, such as an open file."""

    def read(self, size: int, /) -> bytes:
        """Return at most so many bytes, and none only at the end."""


class Broken(Exception):
    """An item cannot be read.

    Attributes:
        offset: where it begins, in bytes from the beginning of the stream; if `is_cut`, the end.
        is_cut: whether nothing is wrong but that the stream ends.
    """

    def __init__(self, offset: int, is_cut: bool) -> None:
        super().__init__(offset, is_cut)
        self.offset, self.is_cut = offset, is_cut


@dataclass(frozen=True)
class Bounds:
    """How much one value may hold: items of an array, items in all, bytes of a string."""

    items: int
    total: int
    string: int


class Stream:
    """The bytes of a stream in order; `offset` says how many have been taken."""

    def __init__(self, file: Readable) -> None:
        self._file = file
        self._piece, self._at, self._before = b"", 0, 0

    @property
    def offset(self) -> int:
        """How many bytes have been taken."""
        return self._before + self._at

    def take(self, size: int) -> bytes:
        """Return the next bytes, exactly so many; EOFError, with all taken, if there are fewer."""
        end = self._at + size
        if end <= len(self._piece):
            found, self._at = self._piece[self._at : end], end
            return found
        found = self.take_up_to(size)
        if len(found) < size:
            raise EOFError
        return found

    def take_up_to(self, size: int) -> bytes:
        """Return the next bytes, fewer than `size` only at the end of the stream."""
        found = bytearray()
        while len(found) < size and self._fill():
            at = self._at
            self._at = min(len(self._piece), at + size - len(found))
            found += self._piece[at : self._at]
        return bytes(found)

    def count(self, most: int) -> int:
        """Take what is left, and return how many bytes there were in all; more than `most` are
        not counted on."""
        while self.offset <= most and self._fill():
            self._at = len(self._piece)
        return self.offset

    def _fill(self) -> bool:
        """Have at least one byte to take; return whether there is one."""
        if self._at == len(self._piece):
            self._before += self._at
            self._piece, self._at = self._file.read(PIECE), 0
        return bool(self._piece)


class Reader:
    """Reads values from a stream, one after the other, within bounds that hold for all of them."""

    def __init__(self, stream: Stream, bounds: Bounds, depth: int = 0, used: int = 0) -> None:
        """Begin inside so many arrays, when so many items have been read."""
        self._stream, self._bounds, self._depth = stream, bounds, depth
        self._room = bounds.total - used

    def value(self) -> Any:
        """Return the next value, arrays as tuples; Broken at the first item that is none ([V-1]).

        SPEC: [C-1], [C-2], [C-3], [C-4].
        """
        open_arrays: list[tuple[list[Any], int]] = []
        while True:
            found, size = self._next(self._depth + len(open_arrays) < MAX_DEPTH)
            if size:
                open_arrays.append(([], size))
                continue
            while open_arrays:
                items, size = open_arrays[-1]
                items.append(found)
                if len(items) < size:
                    break
                found = tuple(items)
                open_arrays.pop()
            if not open_arrays:
                return found

    def _next(self, may_nest: bool) -> tuple[Any, int]:
        """Return the next item and 0, or of an array that is not empty its number of items."""
        begin = self._stream.offset
        if self._room <= 0:
            raise Broken(begin, not self._stream.take_up_to(1))
        self._room -= 1
        try:
            return self._item(may_nest)
        except EOFError:
            raise Broken(self._stream.offset, True) from None
        except ValueError:
            raise Broken(begin, False) from None

    def _item(self, may_nest: bool) -> tuple[Any, int]:
        """Read an item: EOFError if it is cut, ValueError if it is wrong."""
        first = self._stream.take(1)[0]
        if first < _FIX_MAP:
            return first, 0
        if first in _SINGLE:
            return _SINGLE[first], 0
        if first in _SIZED:
            width, least = _SIZED[first]
            number = int.from_bytes(self._stream.take(width), "big")
            if number < least:
                raise ValueError("not the shortest form")
        elif _FIX_ARRAY <= first < _FIX_TEXT:
            number = first - _FIX_ARRAY
        elif _FIX_TEXT <= first < _NIL:
            number = first - _FIX_TEXT
        else:
            raise ValueError("a value of a kind that is not in the profile")
        if first in _NUMBERS:
            return number, 0
        if first < _FIX_TEXT or first in _ARRAYS:
            return (), self._checked(number, self._bounds.items if may_nest else -1)
        data = self._stream.take(self._checked(number, self._bounds.string))
        return (data if first in _BINS else data.decode()), 0

    def _checked(self, number: int, most: int) -> int:
        if number > most:
            raise ValueError("too long, or too deep")
        return number


_FIX_MAP, _FIX_ARRAY, _FIX_TEXT, _NIL = 0x80, 0x90, 0xA0, 0xC0
"""Where the ranges of first bytes begin; small numbers are below."""
_SINGLE: Final[dict[int, Value]] = {_NIL: None, 0xC2: False, 0xC3: True}
_NUMBERS: Final = {0xCC: (1, 128), 0xCD: (2, 2**8), 0xCE: (4, 2**16), 0xCF: (8, 2**32)}
_BINS: Final = {0xC4: (1, 0), 0xC5: (2, 2**8), 0xC6: (4, 2**16)}
_TEXTS: Final = {0xD9: (1, 32), 0xDA: (2, 2**8), 0xDB: (4, 2**16)}
_ARRAYS: Final = {0xDC: (2, 16), 0xDD: (4, 2**16)}
_SIZED: Final = _NUMBERS | _BINS | _TEXTS | _ARRAYS
"""First byte to the bytes of the number behind it, and the least that needs so many."""
