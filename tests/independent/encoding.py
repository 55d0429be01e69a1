"""Values and bytes (2.1) and the hashes over framed lists (2.2)."""

import hashlib
from typing import Any

import msgpack  # type: ignore[import-untyped]

from . import constants as c


class EncodingError(Exception):
    """Bytes that are not the one encoding of a value ([C-5])."""


class Torn(EncodingError):
    """Bytes that end inside a value, or before it."""


class Reader:
    """A reader of one value, item after item, that keeps to [C-1] to [C-5]."""

    def __init__(self, data: bytes, in_file: bool) -> None:
        """Begin at the first byte.

        Args:
            data: the bytes to read.
            in_file: whether the limits are those of a file's value, else those of all others.
        """
        self.data = data
        self.position = 0
        self.items = 0
        self.most_items = c.MAX_FILE_ITEMS if in_file else c.MAX_ITEMS
        self.most_in_all = c.MAX_FILE_TOTAL if in_file else 2**62
        self.most_bytes = c.MAX_FILE_STRING if in_file else 2**62

    def take(self, count: int) -> bytes:
        """Return the next `count` bytes."""
        end = self.position + count
        if end > len(self.data):
            raise Torn
        piece = self.data[self.position : end]
        self.position = end
        return piece

    def number(self, size: int, least: int) -> int:
        """Return a number of `size` bytes that would not fit a shorter form."""
        value = int.from_bytes(self.take(size), "big")
        if value < least:
            raise EncodingError
        return value

    def text(self, size: int) -> str:
        """Return a string of `size` bytes."""
        try:
            return self.string(size).decode("utf-8")
        except UnicodeDecodeError as error:
            raise EncodingError from error

    def string(self, size: int) -> bytes:
        """Return a binary string of `size` bytes, within the limit of a file ([C-4])."""
        if size > self.most_bytes:
            raise EncodingError
        return self.take(size)

    def array(self, size: int, depth: int) -> list[Any]:
        """Return an array of `size` items that stands at `depth` ([C-4])."""
        if size > self.most_items or depth > c.MAX_DEPTH:
            raise EncodingError
        return [self.value(depth + 1) for _ in range(size)]

    def value(self, depth: int = 1) -> Any:
        """Return the next value; if it is an array, it stands at `depth`."""
        first = self.take(1)[0]
        self.items += 1
        if self.items > self.most_in_all:
            raise EncodingError
        if first < 0x80:
            return first
        if 0x90 <= first <= 0x9F:
            return self.array(first & 0x0F, depth)
        if 0xA0 <= first <= 0xBF:
            return self.text(first & 0x1F)
        match first:
            case 0xC0:
                return None
            case 0xC2 | 0xC3:
                return first == 0xC3
            case 0xC4:
                return self.string(self.number(1, 0))
            case 0xC5:
                return self.string(self.number(2, 2**8))
            case 0xC6:
                return self.string(self.number(4, 2**16))
            case 0xCC:
                return self.number(1, 2**7)
            case 0xCD:
                return self.number(2, 2**8)
            case 0xCE:
                return self.number(4, 2**16)
            case 0xCF:
                return self.number(8, 2**32)
            case 0xD9:
                return self.text(self.number(1, 2**5))
            case 0xDA:
                return self.text(self.number(2, 2**8))
            case 0xDB:
                return self.text(self.number(4, 2**16))
            case 0xDC:
                return self.array(self.number(2, 2**4), depth)
            case 0xDD:
                return self.array(self.number(4, 2**16), depth)
        raise EncodingError


def decode(data: bytes, in_file: bool = False) -> Any:
    """Return the value that `data` encodes, all of it.

    Raises:
        EncodingError: the bytes are not the one encoding of a value.
    """
    reader = Reader(data, in_file)
    value = reader.value()
    if reader.position < len(data):
        raise EncodingError
    return value


def encode(value: Any) -> bytes:
    """Return the one encoding of a value (2.1)."""
    return msgpack.packb(value, use_bin_type=True)


def is_int(value: Any, least: int = 0, most: int = 2**64 - 1) -> bool:
    """Return whether a decoded value is an integer within bounds, and no boolean."""
    return type(value) is int and least <= value <= most


def is_bytes(value: Any, size: int | None = None) -> bool:
    """Return whether a decoded value is a binary string, of `size` bytes if that is given."""
    return isinstance(value, bytes) and size in (None, len(value))


def is_array(value: Any, size: int | None = None) -> bool:
    """Return whether a decoded value is an array, of `size` items if that is given."""
    return isinstance(value, list) and size in (None, len(value))


def is_rising(values: list[Any]) -> bool:
    """Return whether values are strictly rising (1)."""
    return all(values[i] < values[i + 1] for i in range(len(values) - 1))


def u64(number: int) -> bytes:
    """Return a number as 8 bytes, big-endian (1)."""
    return number.to_bytes(8, "big")


def framed(*parts: bytes) -> bytes:
    """Return parts one behind the other, each behind its length (2.2)."""
    return b"".join(u64(len(part)) + part for part in parts)


def wide(name: str, *parts: bytes) -> bytes:
    """Return the whole SHA-512 of framed parts behind a label (2.2)."""
    return hashlib.sha512(framed(c.label(name), *parts)).digest()


def digest(name: str, *parts: bytes) -> bytes:
    """Return H(L, parts) (2.2)."""
    return wide(name, *parts)[:32]


def hash_scalar(name: str, *parts: bytes) -> int:
    """Return scalar(L, parts) (2.2)."""
    return int.from_bytes(wide(name, *parts), "little") % c.ORDER


def expand(name: str, size: int, *parts: bytes) -> bytes:
    """Return expand(L, size, parts) (2.2)."""
    blocks = range((size + 63) // 64)
    return b"".join(wide(name, u64(size), u64(i), *parts) for i in blocks)[:size]


def context(table: bytes, step: int, seat: int, kind: str) -> bytes:
    """Return the context that proofs and commitments are bound to (2.6)."""
    return framed(c.PROTOCOL.encode(), table, u64(step), u64(seat), kind.encode())
