"""Fixed group elements: generators and cards whose logarithms nobody knows.

All come from `hash_to_group` of a fixed label and an index, so nobody chose them (a generator
with a known logarithm let a mixer forge shuffle proofs: Lewis, Pereira, Teague 2019).
"""

from typing import Final

from .group import Point, cache_per_backend, hash_to_group, total
from .hashing import u64
from .labels import Label

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
