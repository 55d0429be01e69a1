"""The rules of the steps of setup: keys, key sharing, coins, and shuffles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from ..crypto import group, key_sharing, shuffle_proof, sigma_proofs
from ..crypto.elgamal import Ciphertext, starting_deck
from ..crypto.hashing import Label, Random, digest
from ..errors import FieldPlace, Invalid, coded, within
from ..wire import step_bodies
from ..wire.step_bodies import COIN, Complaint, KeyCommit, KeyReveal, SealBody, ShuffleBody
from . import chain_state
from .chain_state import Conviction, Keys, Kind, Node, SealedChoice, Secrets, Want
from .sealed_choices import check_sealed, seal_choice
from .step_interface import StepRules

Deck = tuple[Ciphertext, ...]
"""The ciphertext in each slot of the deck."""
T = TypeVar("T")
"""The type of the content of a step's body."""


def key_hash(node: Node, seat: int, step: int, vector: tuple[bytes, ...]) -> bytes:
    """Return the hash by which a seat commits to its key vector, for the number of `key.commit`."""
    context = node.table.context(step, seat, "key")
    return digest(Label.KEY_COMMIT, context.encode(), *vector)


class KeyCommitStep(StepRules[KeyCommit]):
    """The rules of `key.commit`, in which each seat commits to its key vector."""

    def check(self, node: Node, seat: int, body: bytes) -> KeyCommit:
        """Check that the X25519 transport key in a body is canonical and not of low order.

        Raises:
            Invalid: With code `bad-body` or `bad-key`.
        """
        read = step_bodies.parse(step_bodies.KeyCommit, body)
        with within("box"), coded("bad-key"):
            key_sharing.check_x25519_public(read.box)
        return read

    def apply(self, node: Node, inputs: Mapping[int, KeyCommit]) -> Node:
        """Return the node after the step, with each seat's hash and transport key."""
        every = in_seat_order(node, inputs)
        hashes, boxes = tuple(r.hash for r in every), tuple(r.box for r in every)
        return replace(node, keys=Keys(hashes=hashes, boxes=boxes))

    def write(self, node: Node, seat: int, secrets: Secrets, rng: Random) -> bytes:
        """Return the encoded body: the hash of the own key vector, and the own transport key."""
        vector = key_sharing.feldman_vector(secrets.polynomial)
        public = key_sharing.x25519_public(secrets.box)
        return step_bodies.encode_body(
            KeyCommit(key_hash(node, seat, node.step, tuple(vector)), public)
        )


class KeyRevealStep(StepRules[KeyReveal]):
    """The rules of `key.reveal`, in which each seat shows its key vector and deals key shares."""

    def check(self, node: Node, seat: int, body: bytes) -> KeyReveal:
        """Check a seat's key vector, its key proof, and the sizes of its key shares ([N-11]).

        Raises:
            Invalid: With code `bad-body`, `bad-point`, `bad-key-hash`, `bad-key-proof` or
                `bad-key-sharing`.
        """
        table = node.table
        counts = (1, 0) if table.strict else (table.quorum, table.seats)
        read = step_bodies.parse(step_bodies.key_reveal_form(*counts), body)
        # Otherwise the last seat to show its key could choose the joint key.
        if key_hash(node, seat, node.step - 1, read.vector) != node.keys.hashes[seat]:
            why = "the key shown is not the one committed to"
            raise Invalid("bad-key-hash", why, FieldPlace("vector"))
        context = node.table.context(node.step, seat, "key")
        with within("proof"):
            # A seat could else show a key whose secret it does not know, and cancel the keys of
            # others.
            node.table.check_proof(sigma_proofs.verify_key, context, read.vector[0], read.proof)
        with within("vector"):
            # If the dealer falls silent, the holder of a zero key share would owe decryption shares
            # that are the identity. No body can contain these.
            for holder in set(range(table.seats)) - {seat} if len(read.vector) > 1 else ():
                if chain_state.public_key_share_of(read.vector, holder + 1) == group.IDENTITY:
                    why = "a key share is zero: its holder could give no share"
                    raise Invalid("bad-key-sharing", why)
        for holder, key_share in enumerate(read.key_shares):
            if len(key_share) != (0 if holder == seat else key_sharing.ENCRYPTED_SHARE_SIZE):
                why = "an encrypted key share has the wrong size"
                raise Invalid("bad-body", why, FieldPlace("key_shares", holder))
        return read

    def apply(self, node: Node, inputs: Mapping[int, KeyReveal]) -> Node:
        """Store the key vectors and compute the joint key.

        The table ends with nobody at fault if a point that follows from the keys of all seats is
        the identity ([D-8]).
        """
        every = in_seat_order(node, inputs)
        keys = replace(
            node.keys,
            vectors=tuple(r.vector for r in every),
            key_shares=tuple(r.key_shares for r in every),
            joint=group.total(r.vector[0] for r in every),
        )
        # A receiver must accept every point that follows from the vectors. All vectors were fixed
        # by hash before one was shown. So one of these points is the identity only if all seats
        # conspire, or by a chance that can be neglected.
        table, derived = node.table, [keys.joint]
        if not table.strict:
            derived += [keys.total_key(holder) for holder in range(table.seats)]
        derived += [card.b for card in starting_deck(keys.joint, table.layout.cards)]
        return replace(node, keys=keys, has_dead_keys=group.IDENTITY in derived)

    def write(self, node: Node, seat: int, secrets: Secrets, rng: Random) -> bytes:
        """Return the encoded body: the key vector, its proof, and the encrypted key shares."""
        vector = tuple(key_sharing.feldman_vector(secrets.polynomial))
        context = node.table.context(node.step, seat, "key")
        proof = sigma_proofs.prove_key(context, secrets.key, vector[0], rng)
        key_shares = []
        for holder in () if node.table.strict else range(node.table.seats):
            context = node.table.context(node.step, seat, f"key-share-{holder}")
            key_share, box = (
                key_sharing.key_share_at(secrets.polynomial, holder + 1),
                node.keys.boxes[holder],
            )
            is_own = holder == seat
            key_shares.append(
                b"" if is_own else key_sharing.encrypt_key_share(context, box, key_share, rng)
            )
        return step_bodies.encode_body(KeyReveal(vector, proof, tuple(key_shares)))


def key_share_is_valid(node: Node, dealer: int, holder: int, secret: bytes) -> bool:
    """Return whether a key share can be decrypted and fits the key vector of its dealer.

    The node stands behind `key.reveal`.

    Args:
        secret: The secret transport key of the holder, 32 bytes.
    """
    context = node.table.context(chain_state.KEY_SHARE_STEP, dealer, f"key-share-{holder}")
    try:
        key_share = key_sharing.decrypt_key_share(
            context, secret, node.keys.key_shares[dealer][holder]
        )
        key_sharing.verify_key_share(node.keys.vectors[dealer], holder + 1, key_share)
    except Invalid:
        return False
    return True


class KeyOkStep(StepRules[SealedChoice | Complaint]):
    """The rules of `key.ok`: each seat commits to its coin, or complains of a key share.

    A seat complains if the key share that another seat dealt to it is invalid.
    """

    def check(self, node: Node, seat: int, body: bytes) -> SealedChoice | Complaint:
        """Check a commitment with its escrow, or a complaint about an invalid key share.

        Raises:
            Invalid: With code `bad-body`, `bad-escrow` or `false-complaint`.
        """
        read = step_bodies.parse_key_ok(body)
        if isinstance(read, SealBody):
            return check_sealed(node, seat, COIN, read)
        if node.table.strict or read.blamed == seat or not 0 <= read.blamed < node.table.seats:
            raise Invalid("bad-body", "a complaint names no dealer", FieldPlace("blamed"))
        # With another secret no key share can be decrypted, so that an honest dealer would be
        # guilty.
        if key_sharing.x25519_public(read.secret) != node.keys.boxes[seat]:
            why = "the secret shown is not that of the transport key"
            raise Invalid("false-complaint", why, FieldPlace("secret"))
        if key_share_is_valid(node, read.blamed, seat, read.secret):
            raise Invalid(
                "false-complaint", "the key share complained of is valid", FieldPlace("blamed")
            )
        return read

    def apply(self, node: Node, inputs: Mapping[int, SealedChoice | Complaint]) -> Node:
        """Store the commitments and make the deck, or convict the seat that a complaint names."""
        sealed = dict(node.sealed)
        for seat, one in enumerate(in_seat_order(node, inputs)):
            if isinstance(one, Complaint):
                # Only the first complaint counts, because the table ends by it.
                guilty = Conviction(node.step, one.blamed, "bad-key-sharing")
                return replace(node, convictions=(*node.convictions, guilty))
            sealed[COIN, seat] = one
        deck = starting_deck(node.keys.joint, node.table.layout.cards)
        return replace(node, sealed=sealed, keys=replace(node.keys, deck=tuple(deck)))

    def write(self, node: Node, seat: int, secrets: Secrets, rng: Random) -> bytes:
        """Return a complaint about the first seat whose key share for this seat is invalid.

        If there is none, return a commitment to a fresh coin.
        """
        dealers = () if node.table.strict else (s for s in range(node.table.seats) if s != seat)
        for dealer in dealers:
            if not key_share_is_valid(node, dealer, seat, secrets.box):
                # The secret may be shown: the table ends by this, and the key is for it alone.
                return step_bodies.encode_body(Complaint(dealer, secrets.box))
        return seal_choice(node, seat, COIN, rng(step_bodies.COIN_SIZE), secrets, rng)


class ShuffleStep(StepRules[Deck]):
    """The rules of `shuffle`, in which one seat permutes and re-encrypts the deck."""

    def check(self, node: Node, seat: int, body: bytes) -> Deck:
        """Check the proof that a body's deck is a shuffle of the current deck.

        Raises:
            Invalid: With code `bad-body` or `bad-shuffle`.
        """
        read = step_bodies.parse(step_bodies.shuffle_form(node.table.layout.cards), body)
        points = [read.deck[i : i + 32] for i in range(0, len(read.deck), 32)]
        deck = tuple(Ciphertext(a, b) for a, b in zip(points[::2], points[1::2], strict=True))
        context = node.table.context(node.step, seat, "shuffle")
        statement = (context, node.keys.joint, node.keys.deck, deck)
        try:
            node.table.check_proof(shuffle_proof.verify, *statement, read.proof)
        except Invalid as error:
            error.place = _of_shuffle(deck)
            raise
        return deck

    def apply(self, node: Node, inputs: Mapping[int, Deck]) -> Node:
        """Replace the current deck by the shuffled deck."""
        (deck,) = inputs.values()
        return replace(node, keys=replace(node.keys, deck=deck, shuffles=node.keys.shuffles + 1))

    def write(self, node: Node, seat: int, secrets: Secrets, rng: Random) -> bytes:
        """Return a new shuffle of the deck and its proof, made with the prepared part, if any."""
        context = node.table.context(node.step, seat, "shuffle")
        joint, before = node.keys.joint, node.keys.deck
        after, secret = shuffle_proof.shuffle(joint, before, rng, secrets.take_shuffle())
        proof = shuffle_proof.prove(context, joint, before, after, secret, rng)
        return step_bodies.encode_body(ShuffleBody(b"".join(a + b for a, b in after), proof))


def _of_shuffle(deck: Deck) -> FieldPlace:
    """Return the faulty field of a refused shuffle: the first malformed card, or the proof."""
    for index, card in enumerate(deck):
        try:
            group.decode_point(card.a), group.decode_point(card.b)
        except Invalid:
            return FieldPlace("deck", index)
    return FieldPlace("proof")


def in_seat_order(node: Node, inputs: Mapping[int, T]) -> list[T]:
    """Return the contents of all seats' bodies, in the order of the seats."""
    return [inputs[seat] for seat in range(node.table.seats)]


def setup_want(node: Node) -> Want:
    """Return the next step of setup ([N-3], [N-6]), `ended` if the table cannot go on."""
    everyone = node.table.everyone
    keys = node.keys
    # First, because after a complaint there is no deck, and `key.ok` would be asked for again.
    if node.convictions or node.has_dead_keys:
        return Want(Kind.ENDED, frozenset())
    if not keys.hashes:
        return Want(Kind.KEY_COMMIT, everyone)
    if not keys.joint:
        return Want(Kind.KEY_REVEAL, everyone)
    if not keys.deck:
        return Want(Kind.KEY_OK, everyone)
    if keys.shuffles < node.table.seats:
        return Want(Kind.SHUFFLE, frozenset({keys.shuffles}))
    return Want(Kind.DECK_OK, everyone)
