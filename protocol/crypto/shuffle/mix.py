"""The re-encryption mix: permute a deck and re-encrypt every card, so that nobody can follow."""

from dataclasses import dataclass, field

from ..elgamal import Ciphertext, Deck
from ..group import Point, add, check_size, mul, mul_base
from ..hashing import Random, permutation, scalar


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
