"""A cheap group of integers in the place of the curve, which refuses what the curve refuses.

The curve has 8 * ORDER points. Here a point is an integer modulo 8 * ORDER, and its multiples of 8
are the prime-order subgroup. As on the curve, an encoding is a field element y below 2^255 - 19
and a sign bit, a point and its negative differ in the sign only, about half of all y belong to no
point, and IDENTITY and BASE have their real encodings. So "no point", "small order", "mixed
order", "identity" and "not canonical" exist here too, and each call refuses those that libsodium
refuses. Logarithms are no secret: nothing here protects anything.

`cheap_cards` exchanges the group of the cards only. `support.sim.cheap` builds on it, and
`support.forged_points` knows the encodings that both groups refuse.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from protocol.crypto import group
from protocol.crypto.group import BASE, Point
from protocol.crypto.hashing import ORDER

FIELD: Final = 2**255 - 19
WHOLE: Final = 8 * ORDER
"""The order of the whole group."""
HALF: Final = 4 * ORDER
"""The point of order two, and the highest integer that stands for a pair of opposite points."""
SIGN: Final = 1 << 255
MASK: Final = SIGN - 1
BASE_Y: Final = int.from_bytes(BASE, "little")


def _scatter() -> tuple[int, int]:
    """Return a factor, and BASE under it: y = 1 + factor * point has BASE in the subgroup."""
    counter = 0
    while True:
        factor = int.from_bytes(hashlib.sha512(b"scatter %d" % counter).digest(), "little") % FIELD
        base = (BASE_Y - 1) * pow(factor, -1, FIELD) % FIELD
        if base < HALF and base % 8 == 0:
            return factor, base
        counter += 1


FACTOR, BASE_POINT = _scatter()
INVERSE: Final = pow(FACTOR, -1, FIELD)


def encode(point: int) -> Point:
    """Return the canonical encoding of an integer modulo 8 * ORDER."""
    point %= WHOLE
    sign = point > HALF
    y = (1 + FACTOR * (WHOLE - point if sign else point)) % FIELD
    return (y | SIGN if sign else y).to_bytes(32, "little")


def decode(data: Point) -> int:
    """Return the integer that 32 bytes encode, canonically or not. Raises ValueError."""
    if not isinstance(data, bytes) or len(data) != 32:
        raise ValueError("a point has 32 bytes")
    number = int.from_bytes(data, "little")
    point = ((number & MASK) - 1) * INVERSE % FIELD
    if point > HALF:
        raise ValueError("no point of the group")
    return WHOLE - point if number & SIGN else point


def _decode_valid(data: Point) -> int:
    """Return what `decode` returns; refuse what is not canonical, or of small or mixed order."""
    point = decode(data)
    if point % 8 or not point % ORDER or int.from_bytes(data, "little") & MASK >= FIELD:
        raise ValueError("not a canonical point of the prime-order subgroup")
    return point


class CheapGroup:
    """The backend of `protocol.crypto.group` that adds integers."""

    def multiply(self, scalar: bytes, point: Point) -> Point:
        """Return scalar · point. Refuse a point that `is_valid_point` refuses."""
        return encode(int.from_bytes(scalar, "little") * _decode_valid(point))

    def multiply_base(self, scalar: bytes) -> Point:
        """Return scalar · BASE."""
        return encode(int.from_bytes(scalar, "little") * BASE_POINT)

    def add(self, left: Point, right: Point) -> Point:
        """Return left + right. Refuse what encodes no point."""
        return encode(decode(left) + decode(right))

    def subtract(self, left: Point, right: Point) -> Point:
        """Return left - right. Refuse what encodes no point."""
        return encode(decode(left) - decode(right))

    def is_valid_point(self, point: bytes) -> bool:
        """Return whether 32 bytes are a canonical point of the subgroup and not the identity."""
        try:
            _decode_valid(point)
        except ValueError:
            return False
        return True


CHEAP: Final = CheapGroup()


@contextmanager
def cheap_cards() -> Iterator[None]:
    """Let all card arithmetic of this process, in every thread, be that of the cheap group.

    Identities and signatures stay real. It may be nested.
    """
    former = group.use_backend(CHEAP)
    try:
        yield
    finally:
        group.use_backend(former)
