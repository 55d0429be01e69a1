"""The group of the cards: the prime-order subgroup of Ed25519.

A point is represented by its 32-byte canonical compressed encoding (RFC 8032, section 5.1.2), and a
scalar by an int modulo ORDER. Every multiplication checks that its point is canonical, not of small
order and in the subgroup. So a point that is multiplied need not be passed to `decode_point`
before. An addition does not check the subgroup. So its operands must be results of `decode_point`
or of a multiplication.

All arithmetic uses one backend, which is libsodium unless `use_backend` replaces it. Identities and
their signatures always use libsodium (`identities`).

The module also has the fixed points of the protocol: generators and card points, whose discrete
logarithms nobody knows. They are results of `hash_to_group` for a fixed label and an index, so
nobody could choose them. With a generator of known logarithm a seat could forge shuffle proofs
(Lewis, Pereira, Teague 2019).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache, reduce
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from nacl import bindings

from ..errors import Invalid
from ..game_interface import MAX_CARDS
from .hashing import ORDER, Label, digest, u64

if TYPE_CHECKING:
    from functools import _lru_cache_wrapper

Point = bytes

FIELD: Final = 2**255 - 19
"""The prime modulus of the coordinates of Ed25519."""
IDENTITY: Final = bytes([1]) + bytes(31)
"""The encoding of the neutral element."""
BASE: Final = bytes([0x58]) + bytes([0x66]) * 31
"""The encoding of the base point of Ed25519."""
ORDER_TWO: Final = (FIELD - 1).to_bytes(32, "little")
"""The encoding of the point (0, -1), which has order 2."""
SIZE: Final = 32
"""The length in bytes of an encoded point or scalar."""

# The bindings raise their own kinds of these three, for a wrong type, length or point.
_REFUSALS: Final = (RuntimeError, TypeError, ValueError)

Value = TypeVar("Value")


class Backend(Protocol):
    """Arithmetic of the whole curve group, of order 8 · ORDER, on encoded points.

    A method rejects an invalid argument with a RuntimeError, TypeError or ValueError. A scalar is
    32 little-endian bytes, above 0 and below ORDER.
    """

    def multiply(self, scalar: bytes, point: Point, /) -> Point:
        """Return scalar · point, and reject a point that `is_valid_point` rejects."""

    def multiply_base(self, scalar: bytes, /) -> Point:
        """Return scalar · BASE."""

    def add(self, left: Point, right: Point, /) -> Point:
        """Return left + right, also of non-canonical encodings, and reject what is no point."""

    def subtract(self, left: Point, right: Point, /) -> Point:
        """Return left - right, and reject what is no point of the curve."""

    def is_valid_point(self, point: bytes, /) -> bool:
        """Return whether 32 bytes are a canonical point of the subgroup and not the identity."""


class Libsodium:
    """The arithmetic of libsodium 1.0.21 or newer."""

    multiply = staticmethod(bindings.crypto_scalarmult_ed25519_noclamp)
    multiply_base = staticmethod(bindings.crypto_scalarmult_ed25519_base_noclamp)
    add = staticmethod(bindings.crypto_core_ed25519_add)
    subtract = staticmethod(bindings.crypto_core_ed25519_sub)
    is_valid_point = staticmethod(bindings.crypto_core_ed25519_is_valid_point)


class EarlierLibsodium(Libsodium):
    """The arithmetic of libsodium before 1.0.21, with a stricter check of points.

    The check of these versions accepts P + (0, -1) (CVE-2025-69277). So this class adds a second
    check, which costs a multiplication for each point. PyNaCl contains a newer libsodium, but may
    have been built with the libsodium of the operating system.
    """

    @staticmethod
    def is_valid_point(point: bytes, /) -> bool:
        """Return whether 32 bytes pass libsodium's check and a multiplication by ORDER."""
        if not Libsodium.is_valid_point(point):
            return False
        # (ORDER - 1) · P is -P only in the subgroup. The encoding of -P has the other sign bit.
        negative = point[:31] + bytes([point[31] ^ 0x80])
        return Libsodium.multiply((ORDER - 1).to_bytes(32, "little"), point) == negative

    @staticmethod
    def multiply(scalar: bytes, point: Point, /) -> Point:
        """Return scalar · point. The scalar has the form that `Backend` states.

        Raises:
            ValueError: If `is_valid_point` rejects the point.
        """
        if not EarlierLibsodium.is_valid_point(point):
            raise ValueError("not a point of the group")
        return Libsodium.multiply(scalar, point)


def _libsodium() -> Libsodium:
    """Return the arithmetic that fits the installed libsodium."""
    # The versions with the error take this point of mixed order for one of the group.
    mixed = Libsodium.add(BASE, ORDER_TWO)
    return EarlierLibsodium() if Libsodium.is_valid_point(mixed) else Libsodium()


LIBSODIUM: Final = _libsodium()
_backend: Backend = LIBSODIUM
_caches: Final[list[_lru_cache_wrapper[Any]]] = []


def use_backend(backend: Backend) -> Backend:
    """Use another backend from now on, drop all cached results, and return the former backend."""
    global _backend
    former, _backend = _backend, backend
    # Other backends may disagree about points, so no result of the former one may stay.
    for cache in _caches if backend is not former else ():
        cache.cache_clear()
    return former


def cache_per_backend(
    maxsize: int | None,
) -> Callable[[Callable[..., Value]], _lru_cache_wrapper[Value]]:
    """Decorate a function by an `lru_cache` that is cleared when the backend changes."""

    def decorate(function: Callable[..., Value]) -> _lru_cache_wrapper[Value]:
        cached = lru_cache(maxsize)(function)
        _caches.append(cached)
        return cached

    return decorate


def mul(k: int, point: Point) -> Point:
    """Return k · point, for any int k.

    If k is 0 modulo ORDER, the point is not checked, and the result is IDENTITY.

    Raises:
        Invalid: With code `bad-point` if the point is not in the group.
    """
    k %= ORDER
    # libsodium refuses a factor of 0, and the identity as operand or result.
    if not k or point == IDENTITY:
        return IDENTITY
    try:
        return _backend.multiply(k.to_bytes(32, "little"), point)
    except _REFUSALS:
        raise Invalid("bad-point", "not a point of the group") from None


def mul_base(k: int) -> Point:
    """Return k · BASE for any int k, about five times as fast as `mul` does."""
    k %= ORDER
    return _backend.multiply_base(k.to_bytes(32, "little")) if k else IDENTITY


def add(left: Point, right: Point) -> Point:
    """Return left + right without checking the subgroup.

    Raises:
        Invalid: With code `bad-point` if an operand is no point of the curve.
    """
    try:
        return _backend.add(left, right)
    except _REFUSALS:
        raise Invalid("bad-point", "not a point of the curve") from None


def sub(left: Point, right: Point) -> Point:
    """Return left - right without checking the subgroup.

    Raises:
        Invalid: With code `bad-point` if an operand is no point of the curve.
    """
    try:
        return _backend.subtract(left, right)
    except _REFUSALS:
        raise Invalid("bad-point", "not a point of the curve") from None


def total(points: Iterable[Point]) -> Point:
    """Return the sum of points, IDENTITY if there are none."""
    rest = iter(points)
    return reduce(add, rest, next(rest, IDENTITY))


def weighted(weights: Iterable[int], points: Iterable[Point]) -> Point:
    """Return the sum of weight · point. A point is checked unless its weight is 0 ([D-7])."""
    of_base = 0
    terms = []
    for weight, point in zip(weights, points, strict=True):
        # BASE needs no check. In the unshuffled deck the first point of every card is BASE, and so
        # is multiplied only once.
        if point == BASE:
            of_base += weight
        else:
            terms.append(mul(weight, point))
    return total([*terms, mul_base(of_base)] if of_base else terms)


def decode_point(data: bytes) -> Point:
    """Return 32 bytes that are a canonical point of the subgroup and not the identity ([C-6]).

    Raises:
        Invalid: With code `bad-point` for anything else: another type or length, y ≥ 2^255 - 19, no
            point of the curve, or a point of small or mixed order.
    """
    if not isinstance(data, bytes) or len(data) != SIZE or not _backend.is_valid_point(data):
        raise Invalid("bad-point", "not a canonical point of the prime-order group")
    return data


def decode_scalar(data: bytes) -> int:
    """Return the scalar, from 0 to ORDER - 1, that 32 little-endian bytes encode ([C-7]).

    Raises:
        Invalid: With code `bad-scalar` if there are not 32 bytes, or the number is not below ORDER.
    """
    if not isinstance(data, bytes) or len(data) != SIZE:
        raise Invalid("bad-scalar", "a scalar has 32 bytes")
    number = int.from_bytes(data, "little")
    if number >= ORDER:
        raise Invalid("bad-scalar", "a scalar is below the group order")
    return number


def encode_scalar(number: int) -> bytes:
    """Return any int, modulo ORDER, as 32 little-endian bytes."""
    return (number % ORDER).to_bytes(SIZE, "little")


def hash_to_group(label: Label, *parts: bytes) -> Point:
    """Return a point whose discrete logarithm nobody knows.

    Bytes are hashed with a rising counter until they encode a point (try-and-increment), so the
    running time depends on the input. Only public inputs may be hashed. For counter = 0, 1, 2, …:

    1. data = digest(label, *parts, counter as 8 bytes big-endian). Read data as a compressed point:
       bit 255 is the sign of x, and the other bits are y, little-endian.
    2. If y ≥ 2^255 - 19, or no point of the curve has this y, continue with the next counter. Half
       of all attempts succeed.
    3. Double the point three times, which moves it into the subgroup. If the result is the
       identity, continue with the next counter.
    """
    counter = 0
    while True:
        point = _times_eight(digest(label, *parts, u64(counter)))
        if point != IDENTITY:
            return point
        counter += 1


def _times_eight(data: bytes) -> Point:
    """Return 8 times the point that 32 bytes encode, or IDENTITY if they encode none."""
    # libsodium adds points whose y is not reduced, so the addition below would accept them.
    if int.from_bytes(data, "little") % 2**255 >= FIELD:
        return IDENTITY
    try:
        twice = _backend.add(data, data)
    except _REFUSALS:
        return IDENTITY
    four_times = _backend.add(twice, twice)
    return _backend.add(four_times, four_times)


def check_size(n: int) -> None:
    """Check the number of cards of a deck.

    Raises:
        ValueError: If the number is not from 1 to MAX_CARDS.
    """
    if not 1 <= n <= MAX_CARDS:
        raise ValueError(f"a deck has 1 to {MAX_CARDS} cards")


@cache_per_backend(None)
def card_points(n: int) -> tuple[Point, ...]:
    """Return the points M_0 to M_{n-1} of the cards 0 to n-1. M_i does not depend on n."""
    check_size(n)
    return tuple(hash_to_group(Label.CARD, u64(index)) for index in range(n))


@cache_per_backend(None)
def card_index() -> dict[Point, int]:
    """Return the number of the card of each of the MAX_CARDS card points."""
    return {point: index for index, point in enumerate(card_points(MAX_CARDS))}


@cache_per_backend(None)
def shuffle_generators(n: int) -> tuple[Point, ...]:
    """Return the generators h_0 to h_{n-1} of a permutation commitment. No h_i depends on n."""
    check_size(n)
    return tuple(hash_to_group(Label.SHUFFLE_GENERATOR, u64(index)) for index in range(n))


@cache_per_backend(None)
def shuffle_generators_total(n: int) -> Point:
    """Return the sum of `shuffle_generators(n)`."""
    return total(shuffle_generators(n))


@cache_per_backend(None)
def chain_generator() -> Point:
    """Return the generator h with which the commitment chain of a shuffle proof begins."""
    return hash_to_group(Label.CHAIN_GENERATOR)


@cache_per_backend(None)
def second_generator() -> Point:
    """Return the second generator of TDH2, called g-bar in the paper (Shoup and Gennaro 1998)."""
    return hash_to_group(Label.SECOND_GENERATOR)
