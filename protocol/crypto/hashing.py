"""Labelled hashes to digests, scalars and key streams, all from SHA-512.

Every hash is SHA-512 over a framed list: the label first, then each part, each preceded by
its length in bytes as an unsigned 64-bit big-endian number. Two different lists never frame
to the same bytes. SHA-512: FIPS 180-4.
"""

from collections.abc import Iterable
from hashlib import sha512
from typing import Final

from .labels import Label

DIGEST_SIZE: Final = 32
ORDER: Final = 2**252 + 27742317777372353535851937790883648493


def u64(number: int) -> bytes:
    """`number` as 8 bytes, big-endian; OverflowError outside 0 .. 2^64 - 1."""
    return number.to_bytes(8, "big")


def framed(*parts: bytes) -> bytes:
    """Each part behind its 8-byte big-endian length: an injective encoding of a list."""
    return b"".join([len(part).to_bytes(8, "big") + part for part in parts])


def wide(label: Label, *parts: bytes) -> bytes:
    """The full 64-byte SHA-512 of the framed label and parts."""
    return sha512(framed(label.encode(), *parts)).digest()


def digest(label: Label, *parts: bytes) -> bytes:
    """The first 32 bytes of SHA-512 over the framed label and parts."""
    return wide(label, *parts)[:DIGEST_SIZE]


def digest_of_pieces(label: Label, size: int, pieces: Iterable[bytes]) -> bytes:
    """Return the digest of a label and one part of `size` bytes, which is never held as a whole."""
    state = sha512(framed(label.encode()) + u64(size))
    for piece in pieces:
        state.update(piece)
    return state.digest()[:DIGEST_SIZE]


def hash_to_scalar(label: Label, *parts: bytes) -> int:
    """All 64 bytes of the hash as a little-endian number, reduced mod the group order.

    The bias against uniform is below 2^-259.
    """
    return int.from_bytes(wide(label, *parts), "little") % ORDER


def expand(label: Label, size: int, *parts: bytes) -> bytes:
    """`size` pseudorandom bytes: blocks of `wide(label, size, counter, *parts)`, cut to size.

    Size and the counter (from 0) are 8-byte big-endian parts, before the caller's.
    """
    blocks = range(-(-size // 64))
    return b"".join([wide(label, u64(size), u64(block), *parts) for block in blocks])[:size]
