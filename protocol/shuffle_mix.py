"""The shuffling hands: permute a deck and re-encrypt every card, so that nobody can follow."""

from dataclasses import dataclass, field

from .elgamal import Deck, re_encrypt
from .generators import check_size
from .group import Point
from .randomness import Random, permutation, scalar


@dataclass(frozen=True, slots=True)
class ShuffleSecret:
    """What only the shuffler knows: after[i] = re_encrypt(before[order[i]], randomness[i])."""

    order: tuple[int, ...] = field(repr=False)
    randomness: tuple[int, ...] = field(repr=False)


def shuffle(joint_key: Point, deck: Deck, rng: Random) -> tuple[Deck, ShuffleSecret]:
    """The deck in a fresh uniform order, re-encrypted, and the secret to prove it with."""
    check_size(len(deck))
    order = permutation(rng, len(deck))
    randomness = tuple(scalar(rng) for _ in deck)
    after = tuple(
        re_encrypt(joint_key, deck[source], r) for source, r in zip(order, randomness, strict=True)
    )
    return after, ShuffleSecret(order, randomness)
