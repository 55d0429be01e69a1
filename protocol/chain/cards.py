"""Cards from shares: what a slot holds once every seat's share of it is known, and who sees it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..crypto import elgamal, sigma_proofs
from ..crypto.elgamal import Ciphertext, open_card
from ..crypto.group import cache_per_backend
from ..crypto.hashing import Random
from ..errors import Invalid
from ..game_interface import Choice
from ..wire import step_bodies
from .chain_state import Node, Secrets, ShareKey

Shares = Mapping[ShareKey, bytes]
"""(slot, giver) to a proven share."""


def hidden_of(node: Node, seat: int, choice: Choice) -> tuple[int, ...]:
    """Return the slots of a shown choice that still lack this seat's share."""
    if not isinstance(choice, tuple):
        return ()
    hand = node.table.layout.hands[seat]
    return tuple(s for s in choice if s in hand and (s, seat) not in node.shares)


def showable(node: Node, seat: int, choice: Choice) -> bool:
    """Return whether the slots differ, and each is open already or of the seat's own hand."""
    if not isinstance(choice, tuple) or len(set(choice)) != len(choice):
        return False
    hand = node.table.layout.hands[seat]
    return all(slot in node.cards or slot in hand for slot in choice)


def check_showable(node: Node, seat: int, choice: Choice) -> None:
    """Check that a choice is `showable`. Raises Invalid('illegal-choice') if not."""
    if not showable(node, seat, choice):
        raise Invalid("illegal-choice", "it shows a card that is not its own to show")


# Shares.


def check_batch(
    node: Node,
    seat: int,
    kind: str,
    giver: int,
    public: bytes,
    slots: tuple[int, ...],
    data: bytes,
) -> dict[ShareKey, bytes]:
    """Return the shares of `slots`, of one proof for the key `public`, by (slot, giver)."""
    points, proof = step_bodies.parse_batch(data, len(slots))
    if not slots:
        return {}
    bases = [node.keys.deck[slot].a for slot in slots]
    context = node.table.context(node.step, seat, kind)
    statement = (context, node.keys.joint, public, bases, points)
    node.table.check_proof(sigma_proofs.verify_shares, *statement, proof)
    return {(slot, giver): point for slot, point in zip(slots, points, strict=True)}


def write_batch(
    node: Node,
    seat: int,
    kind: str,
    secret: int,
    public: bytes,
    slots: tuple[int, ...],
    rng: Random,
) -> bytes:
    """Return the bytes that `check_batch` takes; empty for no slots."""
    if not slots:
        return b""
    bases = [node.keys.deck[slot].a for slot in slots]
    context = node.table.context(node.step, seat, kind)
    points, proof = sigma_proofs.prove_shares(context, node.keys.joint, secret, public, bases, rng)
    return b"".join(points) + proof


def check_own_batch(
    node: Node, seat: int, slots: tuple[int, ...], data: bytes
) -> dict[ShareKey, bytes]:
    """Return a seat's own shares of `slots`."""
    return check_batch(node, seat, "shares", seat, node.keys.share_key(seat), slots, data)


def write_own_batch(
    node: Node, seat: int, slots: tuple[int, ...], secrets: Secrets, rng: Random
) -> bytes:
    """Return a seat's own shares of `slots`."""
    return write_batch(node, seat, "shares", secrets.key, node.keys.share_key(seat), slots, rng)


# Opening cards.


@cache_per_backend(4096)
def _open(a: bytes, b: bytes, shares: tuple[bytes, ...], cards: int) -> int:
    return open_card(Ciphertext(a, b), shares, cards)


def card_at(node: Node, slot: int, shares: Mapping[tuple[int, int], bytes]) -> int:
    """Return the card in a slot, from all n shares."""
    ciphertext = node.keys.deck[slot]
    points = tuple(shares[slot, seat] for seat in range(node.table.seats))
    return _open(ciphertext.a, ciphertext.b, points, node.table.layout.cards)


def opened_cards(
    node: Node, slots: Iterable[int], more: Mapping[tuple[int, int], bytes]
) -> dict[int, int]:
    """Return the cards of those slots of which every share is known."""
    known = {**node.shares, **more}
    seats = range(node.table.seats)
    return {
        slot: card_at(node, slot, known)
        for slot in slots
        if all((slot, seat) in known for seat in seats)
    }


def hand(node: Node, seat: int, secrets: Secrets, opened: dict[Ciphertext, int]) -> dict[int, int]:
    """Return slot to card for what only this seat sees, as far as all others gave their shares.

    What is `opened` once stays so, as shares are proven; it is remembered there.
    """
    found = {}
    for slot in node.table.layout.hands[seat] if node.keys.deck else ():
        others = [node.shares.get((slot, s)) for s in range(node.table.seats) if s != seat]
        given = [share for share in others if share is not None]
        if len(given) == len(others):
            ciphertext = node.keys.deck[slot]
            if ciphertext not in opened:
                shares = [*given, elgamal.share(secrets.key, ciphertext)]
                opened[ciphertext] = open_card(ciphertext, shares, node.table.layout.cards)
            found[slot] = opened[ciphertext]
    return found
