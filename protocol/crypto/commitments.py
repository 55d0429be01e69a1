"""Hash commitments: a hash that hides a choice now and binds its owner to it.

A commitment is `digest(COMMITMENT, context, choice, nonce)` with a fresh 32-byte nonce; it
hides while the nonce is unknown and binds while SHA-512/32 bytes has no collision.

The opening has a fixed length per kind of choice, so that its escrow tells nothing of the
choice: nonce (32), length of the choice (2, big-endian), the choice, zeros.
"""

from __future__ import annotations

from typing import Final

from ..errors import Invalid
from .hashing import Context, Label, digest

COMMITMENT_SIZE: Final = 32
NONCE_SIZE: Final = 32
HEAD_SIZE: Final = NONCE_SIZE + 2


def commit(context: Context, choice: bytes, nonce: bytes) -> bytes:
    """The 32-byte commitment to `choice`, as said in `context`.

    Raises ValueError for a nonce of another size than 32 bytes.
    """
    if len(nonce) != NONCE_SIZE:
        raise ValueError("a commitment needs a nonce of 32 bytes")
    return digest(Label.COMMITMENT, context.encode(), choice, nonce)


def opening(choice: bytes, nonce: bytes, size: int) -> bytes:
    """`size` bytes that hold nonce and choice; ValueError if the choice does not fit."""
    room = size - HEAD_SIZE - len(choice)
    if len(nonce) != NONCE_SIZE or room < 0 or len(choice) >= 2**16:
        raise ValueError("the choice does not fit an opening of this size")
    return nonce + len(choice).to_bytes(2, "big") + choice + bytes(room)


def parse_opening(data: bytes) -> tuple[bytes, bytes]:
    """(choice, nonce) of an opening. Raises Invalid('bad-commitment') if it is malformed."""
    if not isinstance(data, bytes) or len(data) < HEAD_SIZE:
        raise Invalid("bad-commitment", "an opening is longer")
    end = HEAD_SIZE + int.from_bytes(data[NONCE_SIZE:HEAD_SIZE], "big")
    if end > len(data) or any(data[end:]):
        raise Invalid("bad-commitment", "an opening is its choice, then zeros only")
    return data[HEAD_SIZE:end], data[:NONCE_SIZE]
