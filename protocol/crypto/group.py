"""The group of the cards: the prime-order subgroup of Ed25519.

A point is its 32-byte canonical compressed encoding (RFC 8032, section 5.1.2), a scalar an int
mod ORDER. Every multiplication also checks that its point is canonical, not of small order and
in the subgroup, so a multiplied point needs no `decode_point` before. Additions check no
subgroup: only decoded or multiplied points go in.

All arithmetic goes through one backend, which is libsodium. Only a call of `use_backend` replaces
it. Identities and their signatures do not go through it (`identities`).

Fixed group elements: generators and cards whose logarithms nobody knows.

All come from `hash_to_group` of a fixed label and an index, so nobody chose them (a generator
with a known logarithm let a mixer forge shuffle proofs: Lewis, Pereira, Teague 2019).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache, reduce
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from nacl import bindings

from ..errors import Invalid
from .hashing import ORDER, Label, digest, u64

if TYPE_CHECKING:
    from functools import _lru_cache_wrapper

Point = bytes

FIELD: Final = 2**255 - 19
IDENTITY: Final = bytes([1]) + bytes(31)
BASE: Final = bytes([0x58]) + bytes([0x66]) * 31
ORDER_TWO: Final = (FIELD - 1).to_bytes(32, "little")
"""The point (0, -1)."""
SIZE: Final = 32

# The bindings raise their own kinds of these three, for a wrong type, length or point.
_REFUSALS: Final = (RuntimeError, TypeError, ValueError)

Value = TypeVar("Value")


class Backend(Protocol):
    """The arithmetic of the whole curve group, of order 8 * ORDER, on encoded points.

    A call refuses an argument with a RuntimeError, TypeError or ValueError. A scalar is 32
    little-endian bytes, above 0 and below ORDER.
    """

    def multiply(self, scalar: bytes, point: Point, /) -> Point:
        """Return scalar · point. Refuse a point that `is_valid_point` refuses."""

    def multiply_base(self, scalar: bytes, /) -> Point:
        """Return scalar · BASE."""

    def add(self, left: Point, right: Point, /) -> Point:
        """Return left + right. Refuse what encodes no point, canonical or not, of the curve."""

    def subtract(self, left: Point, right: Point, /) -> Point:
        """Return left - right. Refuse what `add` refuses."""

    def is_valid_point(self, point: bytes, /) -> bool:
        """Return whether 32 bytes are a canonical point of the subgroup and not the identity."""


class Libsodium:
    """The arithmetic of libsodium."""

    multiply = staticmethod(bindings.crypto_scalarmult_ed25519_noclamp)
    multiply_base = staticmethod(bindings.crypto_scalarmult_ed25519_base_noclamp)
    add = staticmethod(bindings.crypto_core_ed25519_add)
    subtract = staticmethod(bindings.crypto_core_ed25519_sub)
    is_valid_point = staticmethod(bindings.crypto_core_ed25519_is_valid_point)


class EarlierLibsodium(Libsodium):
    """The arithmetic of libsodium before 1.0.21, whose check accepts P + (0, -1) (CVE-2025-69277).

    PyNaCl brings a later one, but may have been built with that of the operating system. Every
    check of a point costs a second multiplication here.
    """

    @staticmethod
    def is_valid_point(point: bytes, /) -> bool:
        """Return whether 32 bytes are a canonical point of the subgroup and not the identity.

        (ORDER - 1) · P is -P in the subgroup. P + (0, -1) gives -P, too, which is not its negative.
        """
        if not Libsodium.is_valid_point(point):
            return False
        negative = point[:31] + bytes([point[31] ^ 0x80])
        return Libsodium.multiply((ORDER - 1).to_bytes(32, "little"), point) == negative

    @staticmethod
    def multiply(scalar: bytes, point: Point, /) -> Point:
        """Return scalar · point.

        Raises:
            ValueError: If `is_valid_point` refuses the point.
        """
        if not EarlierLibsodium.is_valid_point(point):
            raise ValueError("not a point of the group")
        return Libsodium.multiply(scalar, point)


def _libsodium() -> Libsodium:
    """Return the arithmetic of the libsodium that is installed."""
    mixed = Libsodium.add(BASE, ORDER_TWO)
    return EarlierLibsodium() if Libsodium.is_valid_point(mixed) else Libsodium()


LIBSODIUM: Final = _libsodium()
_backend: Backend = LIBSODIUM
_caches: Final[list[_lru_cache_wrapper[Any]]] = []


def use_backend(backend: Backend) -> Backend:
    """Do all further arithmetic of this process with `backend`, and return the one before.

    What `cache_per_backend` keeps is forgotten.
    """
    global _backend
    former, _backend = _backend, backend
    for cache in _caches if backend is not former else ():
        cache.cache_clear()
    return former


def cache_per_backend(
    maxsize: int | None,
) -> Callable[[Callable[..., Value]], _lru_cache_wrapper[Value]]:
    """Decorate a function of points with an `lru_cache` that belongs to one backend."""

    def decorate(function: Callable[..., Value]) -> _lru_cache_wrapper[Value]:
        cached = lru_cache(maxsize)(function)
        _caches.append(cached)
        return cached

    return decorate


def mul(k: int, point: Point) -> Point:
    """k · point for any int k. Invalid('bad-point') if the point is not in the group.

    With k = 0 mod ORDER the point is not looked at.
    """
    k %= ORDER
    if not k or point == IDENTITY:
        return IDENTITY
    try:
        return _backend.multiply(k.to_bytes(32, "little"), point)
    except _REFUSALS:
        raise Invalid("bad-point", "not a point of the group") from None


def mul_base(k: int) -> Point:
    """k · BASE for any int k, about five times as fast as `mul`."""
    k %= ORDER
    return _backend.multiply_base(k.to_bytes(32, "little")) if k else IDENTITY


def add(left: Point, right: Point) -> Point:
    """left + right. Invalid('bad-point') off the curve; the subgroup is not checked."""
    try:
        return _backend.add(left, right)
    except _REFUSALS:
        raise Invalid("bad-point", "not a point of the curve") from None


def sub(left: Point, right: Point) -> Point:
    """left - right. Invalid('bad-point') off the curve; the subgroup is not checked."""
    try:
        return _backend.subtract(left, right)
    except _REFUSALS:
        raise Invalid("bad-point", "not a point of the curve") from None


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
    if not isinstance(data, bytes) or len(data) != SIZE or not _backend.is_valid_point(data):
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
        twice = _backend.add(data, data)
    except _REFUSALS:
        return IDENTITY
    four_times = _backend.add(twice, twice)
    return _backend.add(four_times, four_times)


MAX_CARDS: Final = 128


def check_size(n: int) -> None:
    """Raise ValueError unless a deck of n cards is within bounds."""
    if not 1 <= n <= MAX_CARDS:
        raise ValueError(f"a deck has 1 to {MAX_CARDS} cards")


@cache_per_backend(None)
def card_points(n: int) -> tuple[Point, ...]:
    """M_0 .. M_{n-1}: the points that stand for cards 0 .. n-1, the same for every n."""
    check_size(n)
    return tuple(hash_to_group(Label.CARD, u64(index)) for index in range(n))


@cache_per_backend(None)
def card_index() -> dict[Point, int]:
    """From each of the MAX_CARDS card points back to its index."""
    return {point: index for index, point in enumerate(card_points(MAX_CARDS))}


@cache_per_backend(None)
def shuffle_generators(n: int) -> tuple[Point, ...]:
    """h_0 .. h_{n-1} of the permutation commitment, the same for every n."""
    check_size(n)
    return tuple(hash_to_group(Label.SHUFFLE_GENERATOR, u64(index)) for index in range(n))


@cache_per_backend(None)
def shuffle_generators_total(n: int) -> Point:
    """h_0 + .. + h_{n-1}."""
    return total(shuffle_generators(n))


@cache_per_backend(None)
def chain_generator() -> Point:
    """h, where the commitment chain of a shuffle proof begins."""
    return hash_to_group(Label.CHAIN_GENERATOR)


@cache_per_backend(None)
def second_generator() -> Point:
    """g-bar of TDH2."""
    return hash_to_group(Label.SECOND_GENERATOR)
