"""The group of prime order, its scalars and named points, and signatures over it (2.3, 2.4)."""

from functools import cache, lru_cache
from itertools import count

import nacl.bindings as sodium
from nacl.exceptions import CryptoError

from . import constants as c
from .encoding import digest, framed, u64

NEUTRAL = b"\x01" + bytes(31)


class NotAPoint(Exception):
    """Bytes that [C-6] does not take for a point."""


def scalar_bytes(number: int) -> bytes:
    """Return a scalar as it travels: 32 bytes, little-endian."""
    return number.to_bytes(32, "little")


def read_scalar(data: bytes) -> int | None:
    """Return the scalar that bytes hold, or None if [C-7] rejects them."""
    number = int.from_bytes(data, "little")
    return number if len(data) == 32 and number < c.ORDER else None


BASE = sodium.crypto_scalarmult_ed25519_base_noclamp(scalar_bytes(1))


@lru_cache(maxsize=1 << 16)
def is_point(data: bytes) -> bool:
    """Return whether [C-6] takes bytes for a point."""
    return len(data) == 32 and sodium.crypto_core_ed25519_is_valid_point(data)


def split_points(data: bytes) -> list[bytes]:
    """Return the 32-byte pieces of a string of points."""
    return [data[i : i + 32] for i in range(0, len(data), 32)]


def add(left: bytes, right: bytes) -> bytes:
    """Return the sum of two points."""
    return sodium.crypto_core_ed25519_add(left, right)


def subtract(left: bytes, right: bytes) -> bytes:
    """Return the difference of two points."""
    return sodium.crypto_core_ed25519_sub(left, right)


def total(points: list[bytes]) -> bytes:
    """Return the sum of points."""
    result = NEUTRAL
    for point in points:
        result = point if result == NEUTRAL else add(result, point)
    return result


def multiply(number: int, point: bytes) -> bytes:
    """Return a multiple of a point of the group, which may be the neutral element.

    Raises:
        NotAPoint: the bytes are no point by [C-6] ([D-7]: this multiplication checks it).
    """
    number %= c.ORDER
    if point == NEUTRAL or number == 0:
        return NEUTRAL
    try:
        if point == BASE:
            return sodium.crypto_scalarmult_ed25519_base_noclamp(scalar_bytes(number))
        return sodium.crypto_scalarmult_ed25519_noclamp(scalar_bytes(number), point)
    except CryptoError as error:
        raise NotAPoint from error


def hash_to_group(name: str, *parts: bytes) -> bytes:
    """Return the point that nobody has a logarithm of, for a label and parts (2.3)."""
    for counter in count():
        candidate = digest(name, *parts, u64(counter))
        if int.from_bytes(candidate, "little") % 2**255 >= c.PRIME:
            continue
        try:
            point = candidate
            for _ in range(3):
                point = add(point, point)
        except CryptoError:
            continue
        if point != NEUTRAL:
            return point
    raise AssertionError


@cache
def card_point(number: int) -> bytes:
    """Return M_i (2.3)."""
    return hash_to_group("card", u64(number))


@cache
def shuffle_generators(cards: int) -> list[bytes]:
    """Return h_0 to h_{N-1} (2.3)."""
    return [hash_to_group("shuffle generator", u64(i)) for i in range(cards)]


@cache
def shuffle_generator_sum(cards: int) -> bytes:
    """Return the sum of h_0 to h_{N-1}."""
    return total(shuffle_generators(cards))


CHAIN_GENERATOR = hash_to_group("chain generator")
SECOND_GENERATOR = hash_to_group("second generator")


@lru_cache(maxsize=1 << 16)
def signature_is_valid(name: str, identity: bytes, data: bytes, signature: bytes) -> bool:
    """Return whether [C-8] takes a signature of `data` under a label (2.4).

    The key is a point already ([C-9]).
    """
    return verifies(identity, framed(c.label(name)) + data, signature)


def verifies(identity: bytes, signed: bytes, signature: bytes) -> bool:
    """Return whether a signature of these very bytes, without a label, is valid by [C-8].

    With R and S checked here, the library's answer is the right one, whether it multiplies the
    equation by the cofactor or not.
    """
    if not is_point(signature[:32]) or read_scalar(signature[32:]) is None:
        return False
    try:
        sodium.crypto_sign_open(signature + signed, identity)
    except CryptoError:
        return False
    return True


def transport_public(secret: bytes) -> bytes:
    """Return the X25519 public key of a secret (RFC 7748)."""
    return sodium.crypto_scalarmult_base(secret)


def transport_shared(secret: bytes, public: bytes) -> bytes | None:
    """Return X25519(secret, public), or None if it is all zero."""
    try:
        return sodium.crypto_scalarmult(secret, public)
    except CryptoError:
        return None


def is_transport_key(public: bytes) -> bool:
    """Return whether an X25519 public key is canonical and not of low order (7.1)."""
    if int.from_bytes(public, "little") >= c.PRIME:
        return False
    return transport_shared(bytes(32), public) is not None
