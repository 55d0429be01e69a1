"""Verify a shuffle: proof that a deck was permuted and re-encrypted and nothing else.

Terelius and Wikström 2010 ("Proofs of Restricted Shuffles") as written out by Haenni, Locher,
Koenig and Dubuis 2017 ("Pseudo-Code Algorithms for Verifiable Re-encryption Mix-Nets"),
algorithms GenShuffleProof and CheckShuffleProof; the proof carries the challenge in place of
the announcement. With u the weights of the positions before and u'_i = u_order[i], it shows:

1. sum c_j - sum h_i = (..) BASE and 2. chain_N - (prod u) h = (..) BASE and
3. sum u_j c_j = (..) BASE + sum u'_i h_i: the c_j commit to a permutation;
4. sum u'_i after_i re-encrypts sum u_j before_j;
5. chain_i = (..) BASE + u'_i chain_{i-1}, from chain_0 = h.

Multiplications: prove 5N and 3N of BASE; verify 8N and N of BASE. Additions: 6N and 9N.

A proof for N cards has 32 · (5 + 4N) bytes: the challenge; responses s1 .. s4; N chain
responses; N order responses; N permutation commitments; N chain commitments. The first
2N + 5 are scalars, the last 2N points. No scalar in it may be 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import Invalid
from .elgamal import Deck, well_formed
from .group import (
    BASE,
    IDENTITY,
    ORDER,
    Point,
    add,
    chain_generator,
    decode_scalar,
    encode_scalar,
    mul,
    mul_base,
    shuffle_generators,
    shuffle_generators_total,
    sub,
    total,
    weighted,
)
from .hashing import Context, Label, digest, hash_to_scalar, u64


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


def verify(context: Context, joint_key: Point, before: Deck, after: Deck, proof: bytes) -> None:
    """Raise Invalid('bad-shuffle') unless `proof` shows that `after` is `before` shuffled ([D-7]).

    `before` must be verified already. All points of `after` and of the proof are checked to
    be canonical points of the group other than the identity; none needs decoding before.
    """
    if not before or len(before) != len(after):
        raise Invalid("bad-shuffle", "not as many cards after as before")
    if not well_formed(after):
        raise Invalid("bad-shuffle", "a card is two points, none the identity")
    try:
        parts = decode_proof(proof, len(before))
        statement = statement_digest(context, joint_key, before, after, parts.commitments)
        announcement = _recompute(joint_key, before, after, parts, statement)
    except Invalid as fault:
        raise Invalid("bad-shuffle", fault.reason) from None
    if parts.challenge != challenge_of(statement, parts.chain, announcement):
        raise Invalid("bad-shuffle", "not a shuffle of the deck before it")


def _recompute(
    joint_key: Point, before: Deck, after: Deck, proof: ShuffleProof, statement: bytes
) -> list[Point]:
    """The announcement that the proof's challenge and responses stand for.

    Every commitment, chain point and card is multiplied by a scalar other than 0 here, by
    which libsodium checks that it lies in the group.
    """
    n, c = len(before), proof.challenge
    s1, s2, s3, s4 = proof.responses
    by_position = weights(statement, n)
    product = 1
    for weight in by_position:
        product = product * weight % ORDER
    minus = [-c * weight for weight in by_position]
    order_sum = sub(total(proof.commitments), shuffle_generators_total(n))
    chain_end = sub(proof.chain[-1], mul(product, chain_generator()))
    scalars = [*minus, *proof.order_responses]
    return [
        sub(mul_base(s1), mul(c, order_sum)),
        sub(mul_base(s2), mul(c, chain_end)),
        add(mul_base(s3), weighted(scalars, [*proof.commitments, *shuffle_generators(n)])),
        sub(weighted(scalars, [x.a for x in (*before, *after)]), mul_base(s4)),
        sub(weighted(scalars, [x.b for x in (*before, *after)]), mul(s4, joint_key)),
        *_recompute_chain(proof),
    ]


def _recompute_chain(proof: ShuffleProof) -> list[Point]:
    c = proof.challenge
    links = zip(
        proof.chain,
        [chain_generator(), *proof.chain[:-1]],
        proof.chain_responses,
        proof.order_responses,
        strict=True,
    )
    return [
        sub(add(mul_base(s_chain), mul(s_order, last)), mul(c, link))
        for link, last, s_chain, s_order in links
    ]
