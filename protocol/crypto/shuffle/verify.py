"""The verifier of a shuffle; `shuffle` says what is proven and by whose design."""

from ...errors import Invalid
from ..elgamal import Deck, well_formed
from ..group import (
    ORDER,
    Point,
    add,
    chain_generator,
    mul,
    mul_base,
    shuffle_generators,
    shuffle_generators_total,
    sub,
    total,
    weighted,
)
from ..hashing import Context
from .proof_format import ShuffleProof, challenge_of, decode_proof, statement_digest, weights


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
