"""The randomness of the vectors: drawn from a published seed and a label.

Draw number i (from 0) of `size` bytes is SHAKE-256 (FIPS 202), `size` bytes long, of three parts
one after the other, each behind its length as 8 bytes, big-endian: the seed (UTF-8), the label
(UTF-8), and i as 8 bytes, big-endian.
"""

from collections.abc import Callable, Sequence
from hashlib import shake_256
from itertools import count
from typing import TypeVar

Draw = Callable[[int], bytes]
T = TypeVar("T")


def part(data: bytes) -> bytes:
    """Return the bytes behind their length."""
    return len(data).to_bytes(8, "big") + data


def stream(seed: str, label: str) -> Draw:
    """Return a function that makes the draws of one label, in order."""
    head, calls = part(seed.encode()) + part(label.encode()), count()

    def draw(size: int) -> bytes:
        return shake_256(head + part(next(calls).to_bytes(8, "big"))).digest(size)

    return draw


def pick(draw: Draw, options: Sequence[T]) -> T:
    """Return one of the options: 8 drawn bytes, big-endian, modulo their number."""
    return options[int.from_bytes(draw(8), "big") % len(options)]
