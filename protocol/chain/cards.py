"""Cards in the slots of the deck: their decryption shares, and who can see them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..crypto import elgamal, sigma_proofs
from ..crypto.elgamal import Ciphertext, open_card
from ..crypto.group import cache_per_backend
from ..crypto.hashing import Random
from ..errors import Invalid
from ..game_interface import Choice
from ..wire import step_bodies
from .chain_state import Node, Secrets, ShareKey

Shares = Mapping[ShareKey, bytes]
"""The proven decryption shares, 32 bytes each."""


def hidden_of(node: Node, seat: int, choice: Choice) -> tuple[int, ...]:
    """Return the hidden cards that a seat shows by a choice, as slots in the order of the choice.

    A card of the hand is hidden while the seat's own share of it is missing. An int as choice shows
    no card.
    """
    if not isinstance(choice, tuple):
        return ()
    hand = node.table.layout.hands[seat]
    return tuple(s for s in choice if s in hand and (s, seat) not in node.shares)


def check_showable(node: Node, seat: int, choice: Choice) -> None:
    """Check that a choice names different deck slots, all open or in the seat's own hand.

    Raises:
        Invalid: With code `illegal-choice` if the choice is no tuple, repeats a slot, or names
            another seat's hidden slot.
    """
    slots = choice if isinstance(choice, tuple) else None
    may_show = {*node.cards, *node.table.layout.hands[seat]}
    # A slot that is named twice would show one card as two.
    if slots is None or len(set(slots)) != len(slots) or not may_show.issuperset(slots):
        raise Invalid("illegal-choice", "it shows a card that is not its own to show")


# Decryption shares


@dataclass(frozen=True)
class ShareBatch:
    """The decryption shares of several slots under one key, with one proof for all of them.

    Attributes:
        node: The node before the step in which the shares are given.
        seat: The seat that signs the body with the shares.
        kind: Is hashed into the proof. It says whether the shares are the seat's own, or in place
            of which absent seat they are given.
        giver: The seat whose decryption shares these are: `seat` itself, or an absent seat.
        public: The public key for which the proof holds, 32 bytes.
    """

    node: Node
    seat: int
    kind: str
    giver: int
    public: bytes
    slots: tuple[int, ...]

    def check(self, data: bytes) -> dict[ShareKey, bytes]:
        """Return the shares of a batch after checking their proof.

        Args:
            data: The points, 32 bytes each in the order of `slots`, and the proof, 64 bytes. Empty
                if there are no slots.

        Raises:
            Invalid: If the batch is malformed or the proof is invalid.
        """
        # Also without slots: then any bytes are too many, and must not pass unread.
        points, proof = step_bodies.parse_batch(data, len(self.slots))
        if not self.slots:
            return {}
        about = self._statement()
        self.node.table.check_proof(sigma_proofs.verify_shares, about, points, proof)
        return {(s, self.giver): point for s, point in zip(self.slots, points, strict=True)}

    def write(self, secret: int, rng: Random) -> bytes:
        """Return the bytes that `check` reads, made with the secret scalar of `self.public`."""
        if not self.slots:
            return b""
        points, proof = sigma_proofs.prove_shares(self._statement(), secret, rng)
        return b"".join(points) + proof

    def _statement(self) -> sigma_proofs.ShareStatement:
        """Return the statement of the proof, but for the shares: these keys made all of them."""
        context = self.node.table.context(self.node.step, self.seat, self.kind)
        keys = self.node.keys
        bases = [keys.deck[slot].a for slot in self.slots]
        return sigma_proofs.ShareStatement(context, keys.joint, self.public, bases)


def own_shares(node: Node, seat: int, slots: tuple[int, ...]) -> ShareBatch:
    """Return the batch of the decryption shares that a seat makes with its own key."""
    return ShareBatch(node, seat, "shares", seat, node.keys.share_key(seat), slots)


# Opened cards


@cache_per_backend(4096)
def _open(a: bytes, b: bytes, shares: tuple[bytes, ...], cards: int) -> int:
    return open_card(Ciphertext(a, b), shares, cards)


def opened_cards(
    node: Node, slots: Iterable[int], more: Mapping[tuple[int, int], bytes]
) -> dict[int, int]:
    """Return the card of each slot all of whose decryption shares are known, here or in `more`."""
    known, found = {**node.shares, **more}, dict[int, int]()
    for slot in slots:
        keys = [(slot, seat) for seat in range(node.table.seats)]
        points = tuple(known[key] for key in keys if key in known)
        # Only with the shares of all keys: what fewer of them give is the point of no card.
        if len(points) == len(keys):
            found[slot] = _open(*node.keys.deck[slot], points, node.table.layout.cards)
    return found


def hand(node: Node, seat: int, secrets: Secrets, opened: dict[Ciphertext, int]) -> dict[int, int]:
    """Return the cards that one seat alone can decrypt, by slot, and cache them in `opened`.

    Slots that lack the share of another seat are left out.
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
