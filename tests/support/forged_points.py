"""Encodings that are no valid card points, of whichever group the cards have at the time of a call.

They are found by additions alone, which check no subgroup.
"""

from collections.abc import Callable
from hashlib import sha512
from typing import Final

from nacl import bindings

from protocol.crypto import group
from protocol.crypto.group import IDENTITY, Point
from protocol.crypto.hashing import ORDER
from protocol.errors import Invalid

FIELD: Final = 2**255 - 19


@group.cache_per_backend(None)
def off_curve() -> Point:
    """Return a canonical encoding that is no point of the group."""
    return next(data for data in map(_of_y, range(2, FIELD)) if not _is_point(data))


@group.cache_per_backend(None)
def small_order() -> list[Point]:
    """Return the eight points whose order divides 8: the multiples of one of order 8, from 0."""
    torsion = next(filter(None, map(_of_order_eight, map(_of_y, range(2, FIELD)))))
    points = [IDENTITY]
    while len(points) < 8:
        points.append(group.add(points[-1], torsion))
    return points


def order_eight() -> Point:
    """Return a point of order 8."""
    return small_order()[1]


def mixed_order(point: Point) -> list[Point]:
    """Return the seven points outside the subgroup that are `point` plus one of small order."""
    return [group.add(point, torsion) for torsion in small_order()[1:]]


def not_canonical() -> list[Point]:
    """Return all encodings of a y that is not below the field's prime, points and others."""
    return [_of_y(FIELD + k, sign) for k in range(19) for sign in (0, 1)]


def signed_zeros() -> list[Point]:
    """Return the two points with x = 0, which are their own negatives, each with a sign bit."""
    return [_of_y(int.from_bytes(data, "little"), 1) for data in (IDENTITY, small_order()[4])]


def forgeries(point: Point) -> dict[str, Point]:
    """Return every kind of encoding that no card point has, by name; `point` is a card point."""
    kinds = {
        "off the curve": [off_curve()],
        "small order": small_order(),
        "mixed order": mixed_order(point),
        "not canonical": not_canonical(),
        "sign of zero": signed_zeros(),
    }
    return {f"{kind} {k}": data for kind, every in kinds.items() for k, data in enumerate(every)}


def with_the_cofactor_only(seed: bytes, public: Point, message: bytes, order: int = 8) -> bytes:
    """Return a signature that is valid only where an equation is multiplied by the cofactor.

    Its R is a point of the subgroup plus one of small order. RFC 8032 allows both equations.

    Args:
        seed: The 32 bytes of the signer's secret seed.
        public: The key that the signature is of.
        message: What is signed.
        order: The small order: 8, 4 or 2.
    """
    return _signed(seed, public, message, small_order()[8 // order])


def with_the_identity(seed: bytes, public: Point, message: bytes) -> bytes:
    """Return a signature whose R is the identity: its equation is true, and shows the secret."""
    return _signed(seed, public, message, IDENTITY, nonce=0)


def of_a_key_outside_the_group(
    seed: bytes, public: Point, message: bytes, order: int = 8
) -> bytes | None:
    """Return a signature for a key with a part of small order that is valid by every equation.

    None for a message whose challenge is no multiple of this order.
    """
    signature = _signed(seed, public, message, IDENTITY)
    return None if _challenge(signature[:32], public, message) % order else signature


class UnfixedLibsodium(group.Libsodium):
    """What libsodium did before 1.0.21: it accepted P + (0, -1) for P of the subgroup."""

    @staticmethod
    def is_valid_point(point: bytes, /) -> bool:
        """Return whether these bytes are a P of the subgroup, not the identity, or P + (0, -1)."""
        check = bindings.crypto_core_ed25519_is_valid_point
        return bool(check(point)) or (_is_point(point) and check(group.add(point, group.ORDER_TWO)))

    @staticmethod
    def multiply(scalar: bytes, point: Point, /) -> Point:
        """Return scalar · P, plus (0, -1) if the scalar is odd and the point P + (0, -1)."""
        times: Callable[[bytes, Point], Point] = bindings.crypto_scalarmult_ed25519_noclamp
        if bindings.crypto_core_ed25519_is_valid_point(point):
            return times(scalar, point)
        result = times(scalar, group.add(point, group.ORDER_TWO))
        return group.add(result, group.ORDER_TWO) if scalar[0] % 2 else result


def _signed(
    seed: bytes, public: Point, message: bytes, torsion: Point, nonce: int | None = None
) -> bytes:
    secret = sha512(seed).digest()
    key = int.from_bytes(secret[:32], "little") & ((1 << 254) - 8) | 1 << 254
    if nonce is None:
        nonce = int.from_bytes(sha512(secret[32:] + message).digest(), "little") % ORDER
    point = group.add(group.mul_base(nonce), torsion)
    response = (nonce + _challenge(point, public, message) * key) % ORDER
    return point + response.to_bytes(32, "little")


def _challenge(point: Point, public: Point, message: bytes) -> int:
    return int.from_bytes(sha512(point + public + message).digest(), "little") % ORDER


def _of_y(y: int, sign: int = 0) -> Point:
    return (y | sign << 255).to_bytes(32, "little")


def _is_point(data: bytes) -> bool:
    try:
        group.add(data, IDENTITY)
    except Invalid:
        return False
    return True


def _of_order_eight(data: bytes) -> Point | None:
    """Return ORDER times the point, if that has order 8."""
    if not _is_point(data):
        return None
    result = IDENTITY
    for bit in bin(ORDER)[2:]:
        result = group.add(result, result)
        if bit == "1":
            result = group.add(result, data)
    twice = group.add(result, result)
    return result if group.add(twice, twice) != IDENTITY else None


def negated(point: bytes) -> bytes:
    """Return -point: the sign bit flipped, the identity being its own."""
    return point if point == IDENTITY else point[:31] + bytes([point[31] ^ 0x80])
