"""Hash commitments: a hash that hides a choice now and binds its owner to it.

A commitment is `digest(COMMITMENT, context, choice, nonce)` with a fresh nonce of 32 bytes. The
commitment hides the choice while the nonce is unknown. It binds its owner as long as nobody finds a
collision of the hash.

An opening has a fixed length for each kind of choice, so that the length of its encryption (the
escrow) shows nothing of the choice. It is the nonce (32 bytes), the length of the choice (2 bytes,
big-endian), the choice, and zero bytes.
"""

from __future__ import annotations

from typing import Final

from ..errors import Invalid
from .hashing import Context, Label, digest

COMMITMENT_SIZE: Final = 32
"""Bytes of a commitment."""
NONCE_SIZE: Final = 32
"""Bytes of the nonce of a commitment."""
HEAD_SIZE: Final = NONCE_SIZE + 2
"""Bytes of an opening before the choice."""


def commit(context: Context, choice: bytes, nonce: bytes) -> bytes:
    """Return the commitment to an encoded choice, made with a nonce of 32 fresh random bytes.

    Raises:
        ValueError: If the nonce does not have 32 bytes.
    """
    if len(nonce) != NONCE_SIZE:
        raise ValueError("a commitment needs a nonce of 32 bytes")
    # With its context no commitment can be copied to another table, step, seat or kind.
    return digest(Label.COMMITMENT, context.encode(), choice, nonce)


def opening(choice: bytes, nonce: bytes, size: int) -> bytes:
    """Return the opening of a commitment to an encoded choice, padded to `size` bytes.

    Raises:
        ValueError: If the nonce does not have 32 bytes, or the choice does not fit.
    """
    room = size - HEAD_SIZE - len(choice)
    if len(nonce) != NONCE_SIZE or room < 0 or len(choice) >= 2**16:
        raise ValueError("the choice does not fit an opening of this size")
    return nonce + len(choice).to_bytes(2, "big") + choice + bytes(room)


def parse_opening(data: bytes) -> tuple[bytes, bytes]:
    """Return the encoded choice and the nonce from a padded opening.

    Raises:
        Invalid: With code `bad-commitment` if `data` is too short, or if a byte after the choice is
            not zero.
    """
    if not isinstance(data, bytes) or len(data) < HEAD_SIZE:
        raise Invalid("bad-commitment", "an opening is longer")
    end = HEAD_SIZE + int.from_bytes(data[NONCE_SIZE:HEAD_SIZE], "big")
    # Another padding would be a second opening of the same commitment, with another escrow.
    if end > len(data) or any(data[end:]):
        raise Invalid("bad-commitment", "an opening is its choice, then zeros only")
    return data[HEAD_SIZE:end], data[:NONCE_SIZE]
