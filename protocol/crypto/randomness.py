"""Scalars and permutations from randomness that the caller passes in, never from the system.

A proof nonce used for two challenges gives the secret away, so nonces are hedged: hashed from
fresh bytes, the secret and the statement together (Aranha, Orlandi, Takahashi, Zaverucha 2020,
"Security of Hedged Fiat-Shamir Signatures under Fault Attacks"). A source that repeats itself
then still gives different nonces for different statements.
"""

from collections.abc import Callable, Iterator
from itertools import count

from .hashing import ORDER, hash_to_scalar, u64
from .labels import Label

Random = Callable[[int], bytes]
"""Given n, returns n fresh random bytes."""


def scalar(rng: Random) -> int:
    """A uniform scalar from 1 to ORDER - 1: 64 bytes, little-endian, reduced; 0 is redrawn."""
    while True:
        number = int.from_bytes(rng(64), "little") % ORDER
        if number:
            return number


def below(rng: Random, bound: int) -> int:
    """A uniform number from 0 to bound - 1 out of 32 random bytes; bias under bound / 2^256."""
    return int.from_bytes(rng(32), "little") % bound


def permutation(rng: Random, size: int) -> tuple[int, ...]:
    """A uniform permutation of 0 .. size - 1 (Fisher and Yates; Knuth, TAOCP 2, 3.4.2 P)."""
    order = list(range(size))
    for last in range(size - 1, 0, -1):
        other = below(rng, last + 1)
        order[last], order[other] = order[other], order[last]
    return tuple(order)


def hedged(label: Label, rng: Random, *parts: bytes) -> Iterator[int]:
    """Endless nonzero scalars from 32 fresh bytes and `parts`: the secret and the statement.

    SPEC: [D-1].
    """
    seed = rng(32)
    for index in count():
        number = hash_to_scalar(label, seed, u64(index), *parts)
        if number:
            yield number
