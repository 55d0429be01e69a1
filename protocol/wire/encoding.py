"""A strict msgpack profile in which every value has exactly one encoding.

Allowed: nil, bool, unsigned integers below 2^64, str (UTF-8), bin and arrays, each in its
shortest form, nested at most 16 arrays deep. Not allowed: floats, negative integers, maps and
extensions. Format: https://github.com/msgpack/msgpack/blob/master/spec.md
"""

from collections.abc import Iterator, Sequence
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
