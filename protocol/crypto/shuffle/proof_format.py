"""The format of a shuffle proof: its bytes, and the hashes that both sides take of it.

A proof for N cards has 32 · (5 + 4N) bytes: the challenge; responses s1 .. s4; N chain
responses; N order responses; N permutation commitments; N chain commitments. The first
2N + 5 are scalars, the last 2N points. No scalar in it may be 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ...errors import Invalid
from ..elgamal import Deck
from ..group import (
    BASE,
    IDENTITY,
    Point,
    chain_generator,
    decode_scalar,
    encode_scalar,
    shuffle_generators,
)
from ..hashing import Context, Label, digest, hash_to_scalar, u64


@dataclass(frozen=True, slots=True)
class ShuffleProof:
    """A proof taken apart; scalars are decoded, points are 32 bytes and not yet checked."""

    challenge: int
    responses: tuple[int, int, int, int]
    chain_responses: tuple[int, ...]
    order_responses: tuple[int, ...]
    commitments: tuple[Point, ...]
    chain: tuple[Point, ...]

    def encode(self) -> bytes:
        """The proof's bytes."""
        scalars = (
            self.challenge,
            *self.responses,
            *self.chain_responses,
            *self.order_responses,
        )
        return b"".join([*map(encode_scalar, scalars), *self.commitments, *self.chain])


def proof_size(n: int) -> int:
    """Bytes of a proof for n cards."""
    return 32 * (5 + 4 * n)


def decode_proof(proof: bytes, n: int) -> ShuffleProof:
    """Take apart a proof for n cards. Raises Invalid('bad-shuffle' or 'bad-scalar')."""
    if not isinstance(proof, bytes) or len(proof) != proof_size(n):
        raise Invalid("bad-shuffle", f"a proof for {n} cards has {proof_size(n)} bytes")
    words = [proof[at : at + 32] for at in range(0, len(proof), 32)]
    scalars = [decode_scalar(word) for word in words[: 5 + 2 * n]]
    points = words[5 + 2 * n :]
    if 0 in scalars or IDENTITY in points:
        raise Invalid("bad-shuffle", "a proof holds no 0 and no identity")
    challenge, s1, s2, s3, s4 = scalars[:5]
    return ShuffleProof(
        challenge,
        (s1, s2, s3, s4),
        tuple(scalars[5 : 5 + n]),
        tuple(scalars[5 + n :]),
        tuple(points[:n]),
        tuple(points[n:]),
    )


def statement_digest(
    context: Context, joint_key: Point, before: Deck, after: Deck, commitments: Sequence[Point]
) -> bytes:
    """The digest of all a shuffle claims, and of the permutation commitments."""
    head = (context.encode(), joint_key, BASE, chain_generator(), u64(len(before)))
    components = [component for deck in (before, after) for card in deck for component in card]
    return digest(
        Label.SHUFFLE_STATEMENT,
        *head,
        *shuffle_generators(len(before)),
        *components,
        *commitments,
    )


def weights(statement: bytes, n: int) -> list[int]:
    """u_0 .. u_{n-1}: the verifier's weights for the positions of the deck before."""
    return [hash_to_scalar(Label.SHUFFLE_WEIGHT, statement, u64(index)) for index in range(n)]


def challenge_of(statement: bytes, chain: Sequence[Point], announcement: Sequence[Point]) -> int:
    """The challenge; the announcement is t1, t2, t3, t4 (a and b), then N chain points."""
    return hash_to_scalar(Label.SHUFFLE_CHALLENGE, statement, *chain, *announcement)
