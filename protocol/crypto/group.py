"""The prime-order subgroup of Ed25519, and the only code that touches the curve.

A point is its 32-byte canonical compressed encoding (RFC 8032, section 5.1.2), a scalar an int
mod ORDER. libsodium does the arithmetic; every call of it that multiplies also checks that its
point is canonical, not of small order and in the subgroup, so a multiplied point needs no
`decode_point` before. Additions check no subgroup: only decoded or multiplied points go in.
"""

from collections.abc import Iterable
from functools import reduce
from typing import Final

from nacl import bindings

from ..errors import Invalid
from .hashing import ORDER, digest, u64
from .labels import Label

__all__ = [
    "BASE",
    "IDENTITY",
    "ORDER",
    "Point",
    "add",
    "decode_point",
    "decode_scalar",
    "encode_scalar",
    "hash_to_group",
    "mul",
    "mul_base",
    "neg",
    "sub",
    "total",
    "weighted",
]

Point = bytes

FIELD: Final = 2**255 - 19
IDENTITY: Final = bytes([1]) + bytes(31)
BASE: Final = bytes([0x58]) + bytes([0x66]) * 31
SIZE: Final = 32

_multiply = bindings.crypto_scalarmult_ed25519_noclamp
_multiply_base = bindings.crypto_scalarmult_ed25519_base_noclamp
_add = bindings.crypto_core_ed25519_add
_sub = bindings.crypto_core_ed25519_sub
_is_valid = bindings.crypto_core_ed25519_is_valid_point
# The bindings raise their own kinds of these three, for a wrong type, length or point.
_SODIUM_ERRORS: Final = (RuntimeError, TypeError, ValueError)


def mul(k: int, point: Point) -> Point:
    """k · point for any int k. Invalid('bad-point') if the point is not in the group.

    With k = 0 mod ORDER the point is not looked at.
    """
    k %= ORDER
    if not k or point == IDENTITY:
        return IDENTITY
    try:
        return _multiply(k.to_bytes(32, "little"), point)
    except _SODIUM_ERRORS:
        raise Invalid("bad-point", "not a point of the group") from None


def mul_base(k: int) -> Point:
    """k · BASE for any int k, about five times as fast as `mul`."""
    k %= ORDER
    return _multiply_base(k.to_bytes(32, "little")) if k else IDENTITY


def add(left: Point, right: Point) -> Point:
    """left + right. Invalid('bad-point') off the curve; the subgroup is not checked."""
    try:
        return _add(left, right)
    except _SODIUM_ERRORS:
        raise Invalid("bad-point", "not a point of the curve") from None


def sub(left: Point, right: Point) -> Point:
    """left - right. Invalid('bad-point') off the curve; the subgroup is not checked."""
    try:
        return _sub(left, right)
    except _SODIUM_ERRORS:
        raise Invalid("bad-point", "not a point of the curve") from None


def neg(point: Point) -> Point:
    """-point: the sign bit flipped, the identity being its own."""
    return point if point == IDENTITY else point[:31] + bytes([point[31] ^ 0x80])


def total(points: Iterable[Point]) -> Point:
    """The sum of the points; IDENTITY of none."""
    rest = iter(points)
    return reduce(add, rest, next(rest, IDENTITY))


def weighted(weights: Iterable[int], points: Iterable[Point]) -> Point:
    """The sum of weight · point over both sequences, of equal length ([D-7]).

    BASE is multiplied once, the fast way: the starting deck's first components are all BASE.
    Every other point is multiplied by itself, and so checked unless its weight is 0.
    """
    of_base = 0
    terms = []
    for weight, point in zip(weights, points, strict=True):
        if point == BASE:
            of_base += weight
        else:
            terms.append(mul(weight, point))
    return total([*terms, mul_base(of_base)] if of_base else terms)


def decode_point(data: bytes) -> Point:
    """The same 32 bytes, if they are a canonical point of the subgroup and not the identity.

    Raises Invalid('bad-point') for anything else: another type or length, y >= 2^255 - 19, no
    point of the curve, small order, mixed order ([C-6]).
    """
    if not isinstance(data, bytes) or len(data) != SIZE or not _is_valid(data):
        raise Invalid("bad-point", "not a canonical point of the prime-order group")
    return data


def decode_scalar(data: bytes) -> int:
    """32 little-endian bytes below ORDER as an int. Raises Invalid('bad-scalar') ([C-7])."""
    if not isinstance(data, bytes) or len(data) != SIZE:
        raise Invalid("bad-scalar", "a scalar has 32 bytes")
    number = int.from_bytes(data, "little")
    if number >= ORDER:
        raise Invalid("bad-scalar", "a scalar is below the group order")
    return number


def encode_scalar(number: int) -> bytes:
    """number mod ORDER as 32 little-endian bytes."""
    return (number % ORDER).to_bytes(SIZE, "little")


def hash_to_group(label: Label, *parts: bytes) -> Point:
    """A point whose logarithm nobody knows, by try-and-increment; for public inputs only.

    For counter = 0, 1, 2, ... let data = digest(label, *parts, counter as 8 bytes big-endian),
    read as a compressed point: bit 255 is the sign of x, the other bits are y, little-endian.
    If y >= 2^255 - 19, or no point of the curve has that y, go on to the next counter. Double
    the point three times, which brings it into the subgroup. If the result is the identity go
    on, else it is the answer. Half of all tries succeed.
    """
    counter = 0
    while True:
        point = _times_eight(digest(label, *parts, u64(counter)))
        if point != IDENTITY:
            return point
        counter += 1


def _times_eight(data: bytes) -> Point:
    """8 · the point that `data` encodes; IDENTITY if it encodes none."""
    if int.from_bytes(data, "little") % 2**255 >= FIELD:
        return IDENTITY
    try:
        twice = _add(data, data)
    except _SODIUM_ERRORS:
        return IDENTITY
    four_times = _add(twice, twice)
    return _add(four_times, four_times)
