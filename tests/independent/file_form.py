"""The outer form of a file and the shapes of its parts ([V-1], [V-2])."""

from typing import Any

from . import constants as c
from .encoding import EncodingError, Torn, decode, is_array, is_bytes, is_int, is_rising


class Problem(Exception):
    """The first thing that is wrong with a file."""

    def __init__(self, code: str, step: int | None = None, seat: int | None = None) -> None:
        """Take the code, and step and seat if there are any."""
        super().__init__(code)
        self.code, self.step, self.seat = code, step, seat


def read_file(data: bytes) -> Any:
    """Return the value of a file ([V-1])."""
    if not data:
        raise Problem("empty")
    if len(data) > c.MAX_FILE:
        raise Problem("too-large")
    start = b"\x94\xb0" + c.FILE_MAGIC.encode("ascii")
    if data[: len(start)] != start[: len(data)]:
        raise Problem("wrong-magic")
    if len(data) <= len(start):
        raise Problem("torn")
    if data[len(start)] != c.FILE_VERSION:
        raise Problem("other-version")
    try:
        return decode(data, in_file=True)
    except Torn as error:
        raise Problem("torn") from error
    except EncodingError as error:
        raise Problem("bad-encoding") from error


def is_seats(value: Any) -> bool:
    """Return whether a value is a rising array of seats."""
    return is_array(value) and all(is_int(s, 0, 15) for s in value) and is_rising(value)


def is_entry(value: Any) -> bool:
    """Return whether a value has the shape of an entry of the chain (11.1)."""
    if is_array(value, 2) and is_int(value[0], 0, 0) and is_array(value[1]):
        return all(is_bytes(slot) or is_int(slot, c.NONE, c.FAULT) for slot in value[1])
    if is_array(value, 4) and is_int(value[0], 1, 1) and is_array(value[3]):
        counts = all(is_int(count, 0, c.MAX_COUNT) for count in value[3])
        return is_seats(value[1]) and is_seats(value[2]) and counts
    return False


def is_signed_pair(value: Any, most: int | None) -> bool:
    """Return whether a value is a pair of a number up to `most`, or of bytes, and a signature."""
    if not is_array(value, 2) or not is_bytes(value[1], 64):
        return False
    return is_bytes(value[0]) if most is None else is_int(value[0], 0, most)


def has_form(value: Any) -> bool:
    """Return whether a file has the shapes of 11.1 ([V-2])."""
    if not is_array(value, 4) or not is_array(value[2], 2) or not is_array(value[3], 5):
        return False
    (header, entries), (signatures, messages, new_epochs, commits, final) = value[2:]
    if not is_bytes(header) or not all(map(is_array, (entries, *value[3]))):
        return False
    rows = all(is_array(row) for row in signatures)
    return (
        all(is_entry(entry) for entry in entries)
        and rows
        and all(is_signed_pair(pair, c.MAX_EPOCH) for row in signatures for pair in row)
        and all(is_signed_pair(pair, None) for pair in [*messages, *new_epochs])
        and all(is_signed_pair(pair, 15) for pair in [*commits, *final])
    )
