"""ElGamal encryption of cards under the joint key, which only all seats together decrypt.

ElGamal 1985 over the group, n-of-n: the joint key Y is the sum of all key shares. A deck is a
tuple of ciphertexts.
"""

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from ..errors import Invalid
from . import group
from .group import Point, add, cache_per_backend


class Ciphertext(NamedTuple):
    """a = r · BASE and b = M + r · Y, for a message point M under the joint key Y."""

    a: Point
    b: Point


Deck: TypeAlias = tuple[Ciphertext, ...]


@cache_per_backend(16)
def starting_deck(joint_key: Point, n: int) -> Deck:
    """Cards 0 .. n-1 encrypted with randomness 1, so that anyone can check: (BASE, M_i + Y)."""
    return tuple(Ciphertext(group.BASE, add(card, joint_key)) for card in group.card_points(n))


def share(secret: int, ciphertext: Ciphertext) -> Point:
    """secret · a: the decryption share of one key."""
    return group.mul(secret, ciphertext.a)


def open_card(
    ciphertext: tuple[Point, Point], shares: Iterable[Point], n: int = group.MAX_CARDS
) -> int:
    """Which of cards 0 .. n-1 is under a ciphertext, given every key share's share of it.

    Raises Invalid('bad-card') if no card point remains. With proven shuffles and proven
    shares of all keys that cannot happen.
    """
    index = group.card_index().get(group.sub(ciphertext[1], group.total(shares)))
    if index is None or index >= n:
        raise Invalid("bad-card", "the shares do not open this ciphertext to a card")
    return index


def well_formed(deck: Deck) -> bool:
    """Whether all components are 32 bytes and none the identity; the group is not checked."""
    return all(
        isinstance(component, bytes) and len(component) == 32 and component != group.IDENTITY
        for ciphertext in deck
        for component in ciphertext
    )
