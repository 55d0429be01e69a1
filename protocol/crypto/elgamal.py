"""ElGamal encryption of cards under the joint key, which only all seats together can decrypt.

ElGamal 1985. The joint key Y is the sum of the public keys of all seats. A deck is a tuple of
ciphertexts.
"""

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from ..errors import Invalid
from ..game_interface import MAX_CARDS
from . import group
from .group import Point, add, cache_per_backend


class Ciphertext(NamedTuple):
    """An encrypted card: a = r · BASE and b = M + r · Y, for the point M of the card."""

    a: Point
    b: Point


Deck: TypeAlias = tuple[Ciphertext, ...]
"""The ciphertext in each position of the deck."""


@cache_per_backend(16)
def starting_deck(joint_key: Point, n: int) -> Deck:
    """Return the deck before the first shuffle: card i is (BASE, M_i + Y), as anybody can check."""
    return tuple(Ciphertext(group.BASE, add(card, joint_key)) for card in group.card_points(n))


def share(secret: int, ciphertext: Ciphertext) -> Point:
    """Return the decryption share of one key for a card, secret · a."""
    return group.mul(secret, ciphertext.a)


def open_card(ciphertext: tuple[Point, Point], shares: Iterable[Point], n: int = MAX_CARDS) -> int:
    """Return the card, from 0 to n - 1, that the shares of all keys open in a ciphertext.

    Raises:
        Invalid: With code `bad-card` if the shares do not give the point of a card. This cannot be
            if all shuffles and shares are proven.
    """
    index = group.card_index().get(group.sub(ciphertext[1], group.total(shares)))
    # `card_index` has the points of the largest deck, and this deck has only the first n.
    if index is None or index >= n:
        raise Invalid("bad-card", "the shares do not open this ciphertext to a card")
    return index


def well_formed(deck: Deck) -> bool:
    """Return whether all points have 32 bytes and none is the identity. No group is checked."""
    # With the identity as `a` every share is the identity, and `b` shows the card. That the points
    # are of the group is found where the proof of the shuffle multiplies each of them.
    return all(
        isinstance(component, bytes) and len(component) == 32 and component != group.IDENTITY
        for ciphertext in deck
        for component in ciphertext
    )
