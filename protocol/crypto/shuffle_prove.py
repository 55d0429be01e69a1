"""Shuffle a deck, and prove it: permute, and re-encrypt every card, so that nobody can follow.

`shuffle_verify` says what the proof shows, and by whose design.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from .elgamal import Ciphertext, Deck
from .group import (
    ORDER,
    Point,
    add,
    chain_generator,
    check_size,
    encode_scalar,
    mul,
    mul_base,
    shuffle_generators,
    sub,
    weighted,
)
from .hashing import Context, Label, Random, hedged, permutation, scalar, u64
from .shuffle_verify import ShuffleProof, challenge_of, statement_digest, weights


@dataclass(frozen=True, slots=True)
class ShuffleSecret:
    """What only the shuffler knows: after[i] = before[order[i]] + randomness[i] · (BASE, Y)."""

    order: tuple[int, ...] = field(repr=False)
    randomness: tuple[int, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Prepared:
    """All of a shuffle that needs no deck, for one use: `blinds` are encryptions of nothing."""

    joint_key: Point = field(repr=False)
    secret: ShuffleSecret = field(repr=False)
    blinds: tuple[Ciphertext, ...] = field(repr=False)


def prepare(joint_key: Point, n: int, rng: Random) -> Prepared:
    """Draw order and randomness for n cards and multiply: what can be done while waiting."""
    check_size(n)
    secret = ShuffleSecret(permutation(rng, n), tuple(scalar(rng) for _ in range(n)))
    blinds = tuple(Ciphertext(mul_base(r), mul(r, joint_key)) for r in secret.randomness)
    return Prepared(joint_key, secret, blinds)


def shuffle(
    joint_key: Point, deck: Deck, rng: Random, prepared: Prepared | None = None
) -> tuple[Deck, ShuffleSecret]:
    """The deck in a fresh uniform order, re-encrypted, and the secret to prove it with.

    What was prepared must never be used for a second deck: ValueError for another size or
    key, but nothing here notices a second use.
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
    """Proof that `after` is `before` shuffled with `secret`: 32 · (5 + 4N) bytes."""
    n = len(before)
    witness = _witness(secret)
    claim = statement_digest(context, joint_key, before, after, ())
    openings = _draw(Label.SHUFFLE_COMMITMENT_RANDOMNESS, rng, n, claim, witness)
    commitments = _commit_to_order(secret.order, openings)
    statement = statement_digest(context, joint_key, before, after, commitments)
    by_position = weights(statement, n)
    in_order = [by_position[source] for source in secret.order]

    nonces = _draw(Label.SHUFFLE_NONCE, rng, 3 * n + 4, statement, witness)
    links, chain_nonces, order_nonces = nonces[:n], nonces[n : 2 * n], nonces[2 * n : 3 * n]
    last = nonces[3 * n :]
    chain = _chain(links, in_order)
    announcement = _announce(joint_key, after, chain, last, chain_nonces, order_nonces)
    challenge = challenge_of(statement, chain, announcement)

    answers = (
        sum(openings),
        _chain_opening(links, in_order),
        _dot(by_position, openings),
        _dot(in_order, secret.randomness),
    )
    s1, s2, s3, s4 = _respond(challenge, last, answers)
    return ShuffleProof(
        challenge,
        (s1, s2, s3, s4),
        tuple(_respond(challenge, chain_nonces, links)),
        tuple(_respond(challenge, order_nonces, in_order)),
        tuple(commitments),
        tuple(chain),
    ).encode()


def _witness(secret: ShuffleSecret) -> bytes:
    return b"".join([*map(u64, secret.order), *map(encode_scalar, secret.randomness)])


def _draw(label: Label, rng: Random, size: int, *parts: bytes) -> list[int]:
    source = hedged(label, rng, *parts)
    return [next(source) for _ in range(size)]


def _commit_to_order(order: Sequence[int], openings: Sequence[int]) -> list[Point]:
    """c_j = h_i + opening_j · BASE, where j = order[i] (GenPermutationCommitment)."""
    generators = shuffle_generators(len(order))
    commitments: dict[int, Point] = {
        j: add(generators[i], mul_base(openings[j])) for i, j in enumerate(order)
    }
    return [commitments[j] for j in range(len(order))]


def _chain(links: Sequence[int], in_order: Sequence[int]) -> list[Point]:
    """chain_i = link_i · BASE + u'_i · chain_{i-1} (GenCommitmentChain)."""
    chain = [chain_generator()]
    for link, weight in zip(links, in_order, strict=True):
        chain.append(add(mul_base(link), mul(weight, chain[-1])))
    return chain[1:]


def _chain_opening(links: Sequence[int], in_order: Sequence[int]) -> int:
    """log of chain_N - (prod u) h to BASE."""
    value = 0
    for link, weight in zip(links, in_order, strict=True):
        value = (link + weight * value) % ORDER
    return value


def _dot(left: Sequence[int], right: Sequence[int]) -> int:
    return sum(a * b for a, b in zip(left, right, strict=True)) % ORDER


def _respond(challenge: int, nonces: Sequence[int], answers: Sequence[int]) -> list[int]:
    return [
        (nonce + challenge * answer) % ORDER for nonce, answer in zip(nonces, answers, strict=True)
    ]


def _announce(
    joint_key: Point,
    after: Deck,
    chain: Sequence[Point],
    last: Sequence[int],
    chain_nonces: Sequence[int],
    order_nonces: Sequence[int],
) -> list[Point]:
    """t1, t2, t3, t4 (a and b), then the N chain announcements."""
    n1, n2, n3, n4 = last
    before_links = [chain_generator(), *chain[:-1]]
    return [
        mul_base(n1),
        mul_base(n2),
        add(mul_base(n3), weighted(order_nonces, shuffle_generators(len(after)))),
        sub(weighted(order_nonces, [card.a for card in after]), mul_base(n4)),
        sub(weighted(order_nonces, [card.b for card in after]), mul(n4, joint_key)),
        *[
            add(mul_base(chain_nonce), mul(order_nonce, link))
            for chain_nonce, order_nonce, link in zip(
                chain_nonces, order_nonces, before_links, strict=True
            )
        ],
    ]
