"""A strict msgpack profile in which every value has exactly one encoding.

Allowed: nil, bool, unsigned integers below 2^64, str (UTF-8), bin and arrays, each in its
shortest form, nested at most 16 arrays deep. Not allowed: floats, negative integers, maps and
extensions. Format: https://github.com/msgpack/msgpack/blob/master/spec.md
"""

import re
from collections.abc import Sequence
from typing import Any, Final, TypeAlias

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


# Where reading stops.


def first_break(
    data: bytes, max_items: int = MAX_ITEMS, max_total: int | None = None
) -> tuple[int, bool] | None:
    """(offset, whether only the end is missing) of the first item that cannot be read ([V-1]).

    Items are read in the order of their bytes, each as a whole: its head, then what the head
    announces; after `max_total` of them none can be. None if `data` is one encoding with nothing
    behind it.
    """
    at, left = 0, [1]
    room = len(data) if max_total is None else max_total
    while left:
        singles = _SINGLE.match(data, at, at + min(left[-1], room))
        run = singles.end() - at if singles else 0
        at, left[-1], room = at + run, left[-1] - run, room - run
        if not left[-1]:
            left.pop()
            continue
        if room <= 0 and at < len(data):
            return at, False
        left[-1], room = left[-1] - 1, room - 1
        try:
            end, items = _item(data, at, max_items if len(left) <= MAX_DEPTH else -1)
        except EOFError:
            return len(data), True
        except ValueError:
            return at, False
        at = end
        if items is not None:
            left.append(items)
    return None if at == len(data) else (at, False)


_SINGLE: Final = re.compile(rb"[\x00-\x7f\xc0\xc2\xc3]*")
"""Items of one byte; there may be millions of them."""
_NUMBERS: Final = {0xCC: (1, 128), 0xCD: (2, 2**8), 0xCE: (4, 2**16), 0xCF: (8, 2**32)}
_BINS: Final = {0xC4: (1, 0), 0xC5: (2, 2**8), 0xC6: (4, 2**16)}
_TEXTS: Final = {0xD9: (1, 32), 0xDA: (2, 2**8), 0xDB: (4, 2**16)}
_ARRAYS: Final = {0xDC: (2, 16), 0xDD: (4, 2**16)}
_SIZED: Final = _NUMBERS | _BINS | _TEXTS | _ARRAYS
"""First byte to the bytes of the number behind it, and the least that needs so many."""


def _item(data: bytes, at: int, max_items: int) -> tuple[int, int | None]:
    """(end, items of an array) of the item at `at`; EOFError if it is cut, ValueError if wrong."""
    first = _cut(data, at, 1)[0]
    at += 1
    if first in _SIZED:
        width, least = _SIZED[first]
        number = int.from_bytes(_cut(data, at, width), "big")
        at += width
        if number < least:
            raise ValueError("not the shortest form")
    else:
        number = first & (0x0F if first < 0xA0 else 0x1F)
    if 0x90 <= first < 0xA0 or first in _ARRAYS:
        if number > max_items:
            raise ValueError("too many items, or too deep")
        return at, number
    return _end_of(data, at, first, number), None


def _end_of(data: bytes, at: int, first: int, number: int) -> int:
    """Where the number or string with this first byte ends."""
    if first in _NUMBERS:
        return at
    if first in _TEXTS or 0xA0 <= first < 0xC0:
        _cut(data, at, number).decode()
    elif first in _BINS:
        _cut(data, at, number)
    else:
        raise ValueError("a value of a kind that is not in the profile")
    return at + number


def _cut(data: bytes, at: int, size: int) -> bytes:
    if at + size > len(data):
        raise EOFError
    return data[at : at + size]
