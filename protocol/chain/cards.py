"""Cards from shares: what a slot holds once every seat's share of it is known, and who sees it."""

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
"""(slot, giver) to a proven share."""


def hidden_of(node: Node, seat: int, choice: Choice) -> tuple[int, ...]:
    """Return the slots of a shown choice that still lack this seat's share."""
    if not isinstance(choice, tuple):
        return ()
    hand = node.table.layout.hands[seat]
    return tuple(s for s in choice if s in hand and (s, seat) not in node.shares)


def check_showable(node: Node, seat: int, choice: Choice) -> None:
    """Check that the slots of a choice differ, and each is open already or of the seat's own hand.

    Raises:
        Invalid: If not ('illegal-choice').
    """
    slots = choice if isinstance(choice, tuple) else None
    may_show = {*node.cards, *node.table.layout.hands[seat]}
    if slots is None or len(set(slots)) != len(slots) or not may_show.issuperset(slots):
        raise Invalid("illegal-choice", "it shows a card that is not its own to show")


# Shares.


@dataclass(frozen=True)
class ShareBatch:
    """The shares of some slots, all of one key, that a seat gives with one proof for them all.

    Attributes:
        node: The node that stands before the step in which they are said.
        seat: The seat that says them.
        kind: The kind of statement that their proof is.
        giver: The seat whose shares they are. Others give those of an absent seat.
        public: The public form of the key.
        slots: The slots.
    """

    node: Node
    seat: int
    kind: str
    giver: int
    public: bytes
    slots: tuple[int, ...]

    def check(self, data: bytes) -> dict[ShareKey, bytes]:
        """Return the shares by (slot, giver).

        Args:
            data: The bytes that `write` gives.

        Raises:
            Invalid: If they are of another form, or not proven.
        """
        points, proof = step_bodies.parse_batch(data, len(self.slots))
        if not self.slots:
            return {}
        about = self._statement()
        self.node.table.check_proof(sigma_proofs.verify_shares, about, points, proof)
        return {(s, self.giver): point for s, point in zip(self.slots, points, strict=True)}

    def write(self, secret: int, rng: Random) -> bytes:
        """Return the shares and their proof; nothing if there are no slots.

        Args:
            secret: The key.
            rng: Where randomness comes from.
        """
        if not self.slots:
            return b""
        points, proof = sigma_proofs.prove_shares(self._statement(), secret, rng)
        return b"".join(points) + proof

    def _statement(self) -> sigma_proofs.ShareStatement:
        context = self.node.table.context(self.node.step, self.seat, self.kind)
        keys = self.node.keys
        bases = [keys.deck[slot].a for slot in self.slots]
        return sigma_proofs.ShareStatement(context, keys.joint, self.public, bases)


def own_shares(node: Node, seat: int, slots: tuple[int, ...]) -> ShareBatch:
    """Return the shares that a seat gives of its own key."""
    return ShareBatch(node, seat, "shares", seat, node.keys.share_key(seat), slots)


# Opening cards.


@cache_per_backend(4096)
def _open(a: bytes, b: bytes, shares: tuple[bytes, ...], cards: int) -> int:
    return open_card(Ciphertext(a, b), shares, cards)


def opened_cards(
    node: Node, slots: Iterable[int], more: Mapping[tuple[int, int], bytes]
) -> dict[int, int]:
    """Return the cards of those slots of which every share is known."""
    known, found = {**node.shares, **more}, dict[int, int]()
    for slot in slots:
        keys = [(slot, seat) for seat in range(node.table.seats)]
        points = tuple(known[key] for key in keys if key in known)
        if len(points) == len(keys):
            found[slot] = _open(*node.keys.deck[slot], points, node.table.layout.cards)
    return found


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
