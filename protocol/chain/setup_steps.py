"""The steps before the deal: keys, backup, the joint coin's commitment, shuffles, deck.ok."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from ..crypto import escrow, group, schnorr, secret_sharing, shuffle
from ..crypto.elgamal import Ciphertext, starting_deck
from ..crypto.hashing import digest
from ..crypto.labels import Label
from ..errors import Invalid
from ..wire import bodies
from ..wire.bodies import COIN, COIN_SIZE, Complaint, KeyCommit, KeyReveal, SealBody, ShuffleBody
from .state import Conviction, Keys, Kind, Node, Sealed, Table, Want, public_piece

PIECE_STEP: Final = 2
"""The step in which backup pieces are said, `key.reveal`; each is sealed in its context."""
Said = Mapping[int, bytes]
"""The bodies of a step by seat."""


def opening_size(choice_size: int) -> int:
    """The fixed length of a padded opening: length, choice, nonce, zeros."""
    return 2 + choice_size + bodies.NONCE


def vector_size(node: Node) -> int:
    """Points in a Feldman vector: the quorum, or one on a strict table."""
    return 1 if node.table.strict else node.table.quorum


# key.commit


def key_hash(node: Node, seat: int, step: int, vector: tuple[bytes, ...]) -> bytes:
    """The hash that key.commit shows and key.reveal must fit."""
    context = node.table.context(step, seat, "key")
    return digest(Label.KEY_COMMIT, context.encode(), *vector)


def check_key_commit(node: Node, seat: int, body: bytes) -> KeyCommit:
    """The transport key must not be of low order."""
    read = bodies.parse_key_commit(body)
    try:
        secret_sharing.check_x25519_public(read.box)
    except Invalid as error:
        raise Invalid("bad-key", error.reason) from error
    return read


def apply_key_commit(node: Node, said: Said) -> Node:
    """Keep the hashes and the transport keys."""
    read = [bodies.parse_key_commit(said[i]) for i in range(node.table.seats)]
    keys = Keys(hashes=tuple(r.hash for r in read), boxes=tuple(r.box for r in read))
    return replace(node, keys=keys)


# key.reveal


def read_key_reveal(node: Node, body: bytes) -> KeyReveal:
    """The body with the numbers of points and pieces that this table has."""
    pieces = 0 if node.table.strict else node.table.seats
    return bodies.parse_key_reveal(body, vector_size(node), pieces)


def check_key_reveal(node: Node, seat: int, body: bytes) -> KeyReveal:
    """The vector fits its hash, its secret is known, every piece is of the fixed size."""
    read = read_key_reveal(node, body)
    if key_hash(node, seat, node.step - 1, read.vector) != node.keys.hashes[seat]:
        raise Invalid("bad-key-hash", "the key shown is not the one committed to")
    schnorr.verify_key(node.table.context(node.step, seat, "key"), read.vector[0], read.proof)
    _check_backup(node, seat, read.vector)
    for holder, piece in enumerate(read.pieces):
        size = 0 if holder == seat else secret_sharing.SEALED_SIZE
        if len(piece) != size:
            raise Invalid("bad-body", "a sealed piece has another size")
    return read


def _check_backup(node: Node, dealer: int, vector: tuple[bytes, ...]) -> None:
    """No other seat's public piece is the identity.

    A dealer who fell silent could else have it owe shares of the identity, which no body can hold.
    """
    for holder in range(node.table.seats if len(vector) > 1 else 0):
        if holder != dealer and public_piece(vector, holder + 1) == group.IDENTITY:
            raise Invalid("bad-backup", "a backup piece is zero: its holder could give no share")


def apply_key_reveal(node: Node, said: Said) -> Node:
    """The joint key is the sum of all key shares; keys that do not carry a table end it."""
    read = [read_key_reveal(node, said[i]) for i in range(node.table.seats)]
    keys = replace(
        node.keys,
        vectors=tuple(r.vector for r in read),
        pieces=tuple(r.pieces for r in read),
        joint=group.total(r.vector[0] for r in read),
    )
    return replace(node, keys=keys, useless=not _carries(node.table, keys))


def _carries(table: Table, keys: Keys) -> bool:
    """Whether every point derived from the vectors is one that a receiver would take.

    All vectors were fixed by hash before any was shown: only seats that all conspire, one
    with another and against nobody, can bring it about.
    """
    derived = [keys.joint]
    if not table.strict:
        derived += [keys.total_key(holder) for holder in range(table.seats)]
    derived += [card.b for card in starting_deck(keys.joint, table.layout.cards)]
    return group.IDENTITY not in derived


# key.ok


def piece_is_sound(node: Node, dealer: int, holder: int, secret: bytes) -> bool:
    """Whether the piece that `dealer` sealed to `holder` opens and fits the dealer's vector."""
    context = node.table.context(PIECE_STEP, dealer, f"piece-{holder}")
    try:
        piece = secret_sharing.open_piece(context, secret, node.keys.pieces[dealer][holder])
        secret_sharing.verify_piece(node.keys.vectors[dealer], holder + 1, piece)
    except Invalid:
        return False
    return True


def check_key_ok(node: Node, seat: int, body: bytes) -> SealBody | Complaint:
    """A coin commitment, or a complaint that proves itself."""
    read = bodies.parse_key_ok(body)
    if isinstance(read, SealBody):
        check_sealed(node, seat, COIN, COIN_SIZE, read)
        return read
    if node.table.strict or read.blamed == seat or not 0 <= read.blamed < node.table.seats:
        raise Invalid("bad-body", "a complaint names no dealer")
    if secret_sharing.x25519_public(read.secret) != node.keys.boxes[seat]:
        raise Invalid("false-complaint", "the secret shown is not that of the transport key")
    if piece_is_sound(node, read.blamed, seat, read.secret):
        raise Invalid("false-complaint", "the piece complained of is sound")
    return read


def apply_key_ok(node: Node, said: Said) -> Node:
    """Keep the coin commitments; a sound complaint ends the table."""
    sealed = dict(node.sealed)
    for seat in range(node.table.seats):
        read = bodies.parse_key_ok(said[seat])
        if isinstance(read, Complaint):
            guilty = Conviction(node.step, read.blamed, "bad-backup")
            return replace(node, convictions=(*node.convictions, guilty))
        sealed[COIN, seat] = Sealed(node.step, read.commitment, read.escrow)
    deck = starting_deck(node.keys.joint, node.table.layout.cards)
    return replace(node, sealed=sealed, keys=replace(node.keys, deck=tuple(deck)))


def check_sealed(node: Node, seat: int, kind: str, size: int, read: SealBody) -> None:
    """The escrow is one of this commitment, in this step, of this seat, and of its size."""
    if node.table.strict:
        if read.escrow:
            raise Invalid("bad-escrow", "a strict table has no escrow")
        return
    context = node.table.context(node.step, seat, kind)
    if len(read.escrow) != escrow.escrow_size(opening_size(size)):
        raise Invalid("bad-escrow", "an escrow has another size")
    escrow.verify(context, node.keys.joint, read.commitment, read.escrow)


# shuffle


def split_deck(data: bytes) -> tuple[Ciphertext, ...]:
    """Ciphertexts one after the other; the points are decoded by the shuffle's verifier."""
    points = [data[i : i + 32] for i in range(0, len(data), 32)]
    return tuple(Ciphertext(a, b) for a, b in zip(points[::2], points[1::2], strict=True))


def check_shuffle(node: Node, seat: int, body: bytes) -> ShuffleBody:
    """The proof holds for the deck before and after."""
    read = bodies.parse_shuffle(body, node.table.layout.cards)
    context = node.table.context(node.step, seat, "shuffle")
    after = split_deck(read.deck)
    shuffle.verify(context, node.keys.joint, node.keys.deck, after, read.proof)
    return read


def apply_shuffle(node: Node, said: Said) -> Node:
    """The shuffled deck is the deck."""
    (body,) = said.values()
    deck = split_deck(bodies.parse_shuffle(body, node.table.layout.cards).deck)
    return replace(node, keys=replace(node.keys, deck=deck, shuffles=node.keys.shuffles + 1))


# deck.ok


def check_empty(node: Node, seat: int, body: bytes) -> None:
    """Nothing is to be said."""
    if body != bodies.EMPTY:
        raise Invalid("bad-body", "a body where none was due")


def apply_deck_ok(node: Node, said: Said) -> Node:
    """The table begins: the game stands before its deal."""
    return replace(node, state=node.table.game.start())


def setup_want(node: Node) -> Want:
    """What the next setup step asks, from how far the keys have come."""
    everyone = node.table.everyone
    keys = node.keys
    if node.convictions or node.useless:
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


CHECKS: dict[Kind, Callable[[Node, int, bytes], object]] = {
    Kind.KEY_COMMIT: check_key_commit,
    Kind.KEY_REVEAL: check_key_reveal,
    Kind.KEY_OK: check_key_ok,
    Kind.SHUFFLE: check_shuffle,
    Kind.DECK_OK: check_empty,
}

APPLY: dict[Kind, Callable[[Node, Said], Node]] = {
    Kind.KEY_COMMIT: apply_key_commit,
    Kind.KEY_REVEAL: apply_key_reveal,
    Kind.KEY_OK: apply_key_ok,
    Kind.SHUFFLE: apply_shuffle,
    Kind.DECK_OK: apply_deck_ok,
}
