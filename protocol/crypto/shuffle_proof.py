"""The shuffle of a deck, and the proof that the new deck has the same cards.

A shuffle permutes the cards and re-encrypts each of them. The proof is that of Terelius and
Wikström 2010 ("Proofs of Restricted Shuffles"). It has the form of Haenni, Locher, Koenig and
Dubuis 2017 ("Pseudo-Code Algorithms for Verifiable Re-encryption Mix-Nets"), algorithms
GenShuffleProof and CheckShuffleProof, with the challenge in place of the announcement.

The deck has N cards. BASE is the generator of the group, and h and the h_i are further generators
with unknown logarithms. Each c_j commits to the place of a card. The weights u_j are scalars,
hashed from both decks and all c_j. The weights in the shuffled order are u'_i = u_order[i]. Each
chain_i commits to the product of the first i of these.

In the following, "x BASE" is a multiple of BASE whose factor the prover knows. The proof shows:

1. sum c_j - sum h_i = x BASE and 2. chain_N - (prod u) h = x BASE and
3. sum u_j c_j = x BASE + sum u'_i h_i: the c_j commit to a permutation;
4. sum u'_i after_i re-encrypts sum u_j before_j;
5. chain_i = x BASE + u'_i chain_{i-1}, from chain_0 = h.

To prove takes about 5N multiplications of points other than BASE, 3N of BASE, and 6N additions. To
verify takes about 8N multiplications of points other than BASE, N of BASE, and 9N additions.

A proof for N cards has 32 · (5 + 4N) bytes, which are in this order:

- the challenge, and the responses s1 to s4;
- N responses of the chain, and N responses of the order;
- N permutation commitments, and N commitments of the chain.

The first 2N + 5 of these are scalars, and the last 2N are points. No scalar may be 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import prod

from ..errors import Invalid, coded
from . import group, hashing
from .elgamal import Ciphertext, Deck, well_formed
from .group import Point, add, encode_scalar, mul, mul_base, sub, weighted
from .hashing import ORDER, Context, Label, Random, digest, hash_to_scalar, hedged, u64


@dataclass(frozen=True, slots=True)
class ShuffleProof:
    """A proof in its parts. Scalars are decoded, and points are 32 bytes that are not checked yet.

    Attributes:
        responses: The scalars s1 to s4, then N responses for the chain, then N for the order.
        commitments: The N commitments to the permutation.
        chain: N commitments, each of which is made from the commitment before it.
    """

    challenge: int
    responses: tuple[int, ...]
    commitments: tuple[Point, ...]
    chain: tuple[Point, ...]

    def encode(self) -> bytes:
        """Return the bytes of the proof."""
        scalars = map(encode_scalar, (self.challenge, *self.responses))
        return b"".join([*scalars, *self.commitments, *self.chain])


def proof_size(n: int) -> int:
    """Return the length of a shuffle proof in bytes."""
    return 32 * (5 + 4 * n)


def decode_proof(proof: bytes, n: int) -> ShuffleProof:
    """Return the parts of a proof. Its points are not checked yet.

    Raises:
        Invalid: With code `bad-shuffle` if the length is wrong or a part is 0 or the identity, and
            `bad-scalar` if a scalar is malformed.
    """
    if not isinstance(proof, bytes) or len(proof) != proof_size(n):
        raise Invalid("bad-shuffle", f"a proof for {n} cards has {proof_size(n)} bytes")
    words = [proof[at : at + 32] for at in range(0, len(proof), 32)]
    challenge, *responses = map(group.decode_scalar, words[: 5 + 2 * n])
    points = words[5 + 2 * n :]
    # `mul` does not check a point that it multiplies by 0, and lets the identity pass.
    if 0 in (challenge, *responses) or group.IDENTITY in points:
        raise Invalid("bad-shuffle", "a proof contains no 0 and no identity")
    return ShuffleProof(challenge, tuple(responses), tuple(points[:n]), tuple(points[n:]))


def statement_digest(
    context: Context, joint_key: Point, before: Deck, after: Deck, commitments: Sequence[Point]
) -> bytes:
    """Return the digest of both decks, the key, the context and the permutation commitments."""
    head = (context.encode(), joint_key, group.BASE, group.chain_generator(), u64(len(before)))
    components = [component for deck in (before, after) for card in deck for component in card]
    return digest(
        Label.SHUFFLE_STATEMENT,
        *head,
        *group.shuffle_generators(len(before)),
        *components,
        # The weights are hashed from this: who knew them before could fit the commitments to them.
        *commitments,
    )


def weights(statement: bytes, n: int) -> list[int]:
    """Return the verifier's weights u_0 to u_{n-1} for the positions before the shuffle."""
    return [hash_to_scalar(Label.SHUFFLE_WEIGHT, statement, u64(index)) for index in range(n)]


def challenge_of(statement: bytes, chain: Sequence[Point], announcement: Sequence[Point]) -> int:
    """Return the challenge of a proof, a scalar.

    Args:
        announcement: The points t1, t2, t3, t4a and t4b, then one for each link of the chain.
    """
    # The chain is made from the weights, so the statement that they are hashed from cannot have it.
    return hash_to_scalar(Label.SHUFFLE_CHALLENGE, statement, *chain, *announcement)


def verify(context: Context, joint_key: Point, before: Deck, after: Deck, proof: bytes) -> None:
    """Check the proof of a shuffle, and all points of the new deck and of the proof ([D-7]).

    Args:
        before: The deck before the shuffle, which must have been checked.
        after: The deck after it, which need not have been decoded.

    Raises:
        Invalid: With code `bad-shuffle` if the proof is invalid.
    """
    if not before or len(before) != len(after):
        raise Invalid("bad-shuffle", "not as many cards after as before")
    if not well_formed(after):
        raise Invalid("bad-shuffle", "a card is two points, none the identity")
    with coded("bad-shuffle"):
        parts = decode_proof(proof, len(before))
        statement = statement_digest(context, joint_key, before, after, parts.commitments)
        announcement = _recompute(joint_key, before, after, parts, statement)
    if parts.challenge != challenge_of(statement, parts.chain, announcement):
        raise Invalid("bad-shuffle", "not a shuffle of the deck before it")


def _recompute(
    joint_key: Point, before: Deck, after: Deck, proof: ShuffleProof, statement: bytes
) -> list[Point]:
    """Return the announcement that a valid proof has hashed, from its challenge and responses."""
    n, c = len(before), proof.challenge
    by_position = weights(statement, n)
    # No weight and no response is 0, so `mul` checks every commitment and every card.
    minus = [-c * weight for weight in by_position]
    order_sum = sub(group.total(proof.commitments), group.shuffle_generators_total(n))
    chain_end = sub(proof.chain[-1], mul(prod(by_position), group.chain_generator()))
    claimed = [
        mul(-c, order_sum),
        mul(-c, chain_end),
        weighted(minus, proof.commitments),
        weighted(minus, [card.a for card in before]),
        weighted(minus, [card.b for card in before]),
        *[mul(-c, link) for link in proof.chain],
    ]
    return list(map(add, claimed, _image(joint_key, after, proof.chain, proof.responses)))


def _image(
    joint_key: Point, after: Deck, chain: Sequence[Point], scalars: Sequence[int]
) -> list[Point]:
    """Apply the five linear maps of the shuffle proof to nonces or to the responses of a proof.

    For the prover's nonces the result is the announcement. For the responses the result is the
    announcement plus the challenge times the claimed values. `scalars` has the order of
    `ShuffleProof.responses`, and the result that of the announcement.
    """
    n = len(after)
    s1, s2, s3, s4 = scalars[:4]
    of_chain, of_order = scalars[4 : 4 + n], scalars[4 + n :]
    links = zip(of_chain, of_order, [group.chain_generator(), *chain[:-1]], strict=True)
    return [
        mul_base(s1),
        mul_base(s2),
        add(mul_base(s3), weighted(of_order, group.shuffle_generators(n))),
        sub(weighted(of_order, [card.a for card in after]), mul_base(s4)),
        sub(weighted(of_order, [card.b for card in after]), mul(s4, joint_key)),
        *[add(mul_base(s_chain), mul(s_order, link)) for s_chain, s_order, link in links],
    ]


# Shuffling and proving


@dataclass(frozen=True, slots=True)
class ShuffleSecret:
    """The secret of a shuffle: after[i] = before[order[i]] + randomness[i] · (BASE, Y)."""

    order: tuple[int, ...] = field(repr=False)
    randomness: tuple[int, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Prepared:
    """The parts of a shuffle without its deck, to be used once: blinds = randomness · (BASE, Y)."""

    joint_key: Point = field(repr=False)
    secret: ShuffleSecret = field(repr=False)
    blinds: tuple[Ciphertext, ...] = field(repr=False)


def prepare(joint_key: Point, n: int, rng: Random) -> Prepared:
    """Draw a permutation and randomness, and make the multiplications that need no deck."""
    group.check_size(n)
    order = hashing.permutation(rng, n)
    secret = ShuffleSecret(order, tuple(hashing.scalar(rng) for _ in range(n)))
    blinds = tuple(Ciphertext(mul_base(r), mul(r, joint_key)) for r in secret.randomness)
    return Prepared(joint_key, secret, blinds)


def shuffle(
    joint_key: Point, deck: Deck, rng: Random, prepared: Prepared | None = None
) -> tuple[Deck, ShuffleSecret]:
    """Return the deck shuffled and re-encrypted, and the secret with which this is proven.

    Args:
        prepared: A prepared shuffle, which must not have been used before. This is not checked.
            None draws a new one.

    Raises:
        ValueError: If `prepared` is for another number of cards or another key.
    """
    ready = prepared or prepare(joint_key, len(deck), rng)
    if len(ready.blinds) != len(deck) or ready.joint_key != joint_key:
        raise ValueError("a shuffle prepared for another size or key")
    after = tuple(
        Ciphertext(add(deck[source].a, blind.a), add(deck[source].b, blind.b))
        for source, blind in zip(ready.secret.order, ready.blinds, strict=True)
    )
    return after, ready.secret


def prove(
    context: Context,
    joint_key: Point,
    before: Deck,
    after: Deck,
    secret: ShuffleSecret,
    rng: Random,
) -> bytes:
    """Return a proof that one deck is a shuffle of the other."""
    n = len(before)
    witness = b"".join([*map(u64, secret.order), *map(encode_scalar, secret.randomness)])
    # The openings are needed for the commitments, so they are hashed from the statement without
    # these.
    claim = statement_digest(context, joint_key, before, after, ())
    openings = [*islice(hedged(Label.SHUFFLE_COMMITMENT_RANDOMNESS, rng, claim, witness), n)]
    commitments = _commit_to_order(secret.order, openings)
    statement = statement_digest(context, joint_key, before, after, commitments)
    by_position = weights(statement, n)
    in_order = [by_position[source] for source in secret.order]

    drawn = [*islice(hedged(Label.SHUFFLE_NONCE, rng, statement, witness), 3 * n + 4)]
    # Separate draws: a nonce that also opens the chain could be computed from the responses.
    links, nonces = drawn[:n], [*drawn[3 * n :], *drawn[n : 3 * n]]
    chain, chain_opening = _chain(links, in_order)
    challenge = challenge_of(statement, chain, _image(joint_key, after, chain, nonces))
    answers = (
        sum(openings),
        chain_opening,
        _dot(by_position, openings),
        _dot(in_order, secret.randomness),
        *links,
        *in_order,
    )
    responses = (
        (nonce + challenge * answer) % ORDER for nonce, answer in zip(nonces, answers, strict=True)
    )
    return ShuffleProof(challenge, tuple(responses), tuple(commitments), tuple(chain)).encode()


def _commit_to_order(order: Sequence[int], openings: Sequence[int]) -> list[Point]:
    """Return c_j = h_i + openings[j] · BASE for j = order[i] (GenPermutationCommitment)."""
    generators = group.shuffle_generators(len(order))
    commitments: dict[int, Point] = {
        j: add(generators[i], mul_base(openings[j])) for i, j in enumerate(order)
    }
    return [commitments[j] for j in range(len(order))]


def _chain(links: Sequence[int], in_order: Sequence[int]) -> tuple[list[Point], int]:
    """Return the chain of commitments, and the opening of the last one (GenCommitmentChain).

    The opening is the scalar x for which the last commitment is x · BASE + w · h, where w is the
    product of all items of `in_order`.
    """
    chain, opening = [group.chain_generator()], 0
    for link, weight in zip(links, in_order, strict=True):
        chain.append(add(mul_base(link), mul(weight, chain[-1])))
        opening = (link + weight * opening) % ORDER
    return chain[1:], opening


def _dot(left: Sequence[int], right: Sequence[int]) -> int:
    return sum(a * b for a, b in zip(left, right, strict=True)) % ORDER
