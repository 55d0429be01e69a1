"""One seat's pen: its secrets, and the bodies it says from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ..crypto import commitment, dleq, elgamal, escrow, group, schnorr, secret_sharing, shuffle
from ..crypto.hashing import expand, u64
from ..crypto.labels import Label
from ..crypto.randomness import Random
from ..game import Choice
from ..wire import bodies
from ..wire.bodies import COIN, COIN_SIZE, Gather, KeyCommit, KeyReveal, SealBody, ShowBody
from ..wire.header import MAX_SEATS
from .openings import (
    choice_size,
    helped,
    hidden_of,
    lost_dues,
    owes_nothing,
    own_due,
    own_lacks,
    read_choice,
)
from .setup_steps import PIECE_STEP, key_hash, opening_size, piece_is_sound
from .state import Kind, Node

Opening = tuple[bytes, bytes]


def stream(seed: bytes, purpose: str) -> Random:
    """Randomness that the seed gives again after a crash."""
    count = 0

    def draw(size: int) -> bytes:
        nonlocal count
        count += 1
        return expand(Label.JOURNAL, size, seed, purpose.encode(), u64(count))

    return draw


@dataclass
class Secrets:
    """What one seat must keep to itself at one table; `openings` is keyed by commitment."""

    seed: bytes = field(repr=False)
    polynomial: tuple[int, ...] = field(repr=False)
    box: bytes = field(repr=False)
    openings: dict[bytes, Opening] = field(default_factory=dict, repr=False)
    _pieces: dict[int, int] = field(default_factory=dict, repr=False)
    _recorded: set[bytes] = field(default_factory=set, repr=False)

    def unrecorded(self) -> list[tuple[bytes, Opening]]:
        """The openings made since the last call."""
        fresh = [(c, o) for c, o in self.openings.items() if c not in self._recorded]
        self._recorded |= {c for c, _ in fresh}
        return fresh

    @property
    def key(self) -> int:
        """The share of the deck's key."""
        return self.polynomial[0]

    def piece_of(self, node: Node, dealer: int, seat: int) -> int:
        """The backup piece that `dealer` gave this seat."""
        if dealer not in self._pieces:
            self._pieces[dealer] = self._open_piece(node, dealer, seat)
        return self._pieces[dealer]

    def _open_piece(self, node: Node, dealer: int, seat: int) -> int:
        if dealer == seat:
            return secret_sharing.piece(self.polynomial, seat + 1)
        context = node.table.context(PIECE_STEP, dealer, f"piece-{seat}")
        return secret_sharing.open_piece(context, self.box, node.keys.pieces[dealer][seat])


def new_secrets(seed: bytes, size: int) -> Secrets:
    """The secrets that a 32-byte seed gives, with a polynomial of `size` coefficients."""
    rng = stream(seed, "key")
    polynomial = tuple(group_scalar(rng) for _ in range(size))
    while size > 1 and any(secret_sharing.piece(polynomial, i + 1) == 0 for i in range(MAX_SEATS)):
        polynomial = tuple(group_scalar(rng) for _ in range(size))  # no seat's piece may be zero
    box, _ = secret_sharing.x25519_keypair(stream(seed, "box"))
    return Secrets(seed, polynomial, box)


def group_scalar(rng: Random) -> int:
    """A nonzero scalar."""
    return int.from_bytes(rng(64), "little") % (group.ORDER - 1) + 1


# Setup.


def _key_commit(node: Node, seat: int, secrets: Secrets, rng: Random) -> bytes:
    vector = secret_sharing.feldman_vector(secrets.polynomial)
    public = secret_sharing.x25519_public(secrets.box)
    return bodies.encode_body(KeyCommit(key_hash(node, seat, node.step, tuple(vector)), public))


def _key_reveal(node: Node, seat: int, secrets: Secrets, rng: Random) -> bytes:
    vector = tuple(secret_sharing.feldman_vector(secrets.polynomial))
    context = node.table.context(node.step, seat, "key")
    proof = schnorr.prove_key(context, secrets.key, vector[0], rng)
    pieces: list[bytes] = []
    for holder, box in enumerate(node.keys.boxes if not node.table.strict else ()):
        where = node.table.context(node.step, seat, f"piece-{holder}")
        piece = secret_sharing.piece(secrets.polynomial, holder + 1)
        pieces.append(b"" if holder == seat else secret_sharing.seal_piece(where, box, piece, rng))
    return bodies.encode_body(KeyReveal(vector, proof, tuple(pieces)))


def _key_ok(node: Node, seat: int, secrets: Secrets, rng: Random) -> bytes:
    dealers = () if node.table.strict else (s for s in range(node.table.seats) if s != seat)
    for dealer in dealers:
        if not piece_is_sound(node, dealer, seat, secrets.box):
            return bodies.encode_body(bodies.Complaint(dealer, secrets.box))
    return seal_choice(node, seat, COIN, COIN_SIZE, rng(COIN_SIZE), secrets, rng)


def _shuffle(node: Node, seat: int, secrets: Secrets, rng: Random) -> bytes:
    context = node.table.context(node.step, seat, "shuffle")
    joint, before = node.keys.joint, node.keys.deck
    after, secret = shuffle.shuffle(joint, before, rng)
    proof = shuffle.prove(context, joint, before, after, secret, rng)
    deck = b"".join(a + b for a, b in after)
    return bodies.encode_body(bodies.ShuffleBody(deck, proof))


# Play.


def seal_choice(
    node: Node, seat: int, kind: str, size: int, choice: bytes, secrets: Secrets, rng: Random
) -> bytes:
    """A commitment with its escrow; the opening is kept in `secrets`."""
    context, nonce = node.table.context(node.step, seat, kind), rng(bodies.NONCE)
    committed = commitment.commit(context, choice, nonce)
    held = b""
    if not node.table.strict:
        padded = commitment.opening(choice, nonce, opening_size(size))
        held = escrow.seal(context, node.keys.joint, committed, padded)
    secrets.openings[committed] = (choice, nonce)
    return bodies.encode_body(SealBody(committed, held))


def has_opening(node: Node, seat: int, secrets: Secrets) -> bool:
    """Whether this seat can open what it owes; not after a journal was restored."""
    if not own_due(node, seat):
        return True
    return node.sealed[node.want.name, seat].commitment in secrets.openings


def _batch(
    node: Node,
    seat: int,
    kind: str,
    secret: int,
    public: bytes,
    slots: tuple[int, ...],
    rng: Random,
) -> bytes:
    if not slots:
        return b""
    bases = [node.keys.deck[slot].a for slot in slots]
    context = node.table.context(node.step, seat, kind)
    points, proof = dleq.prove_shares(context, node.keys.joint, secret, public, bases, rng)
    return b"".join(points) + proof


def _gather(node: Node, seat: int, secrets: Secrets, rng: Random) -> bytes:
    if owes_nothing(node, seat):
        return bodies.EMPTY
    opening: Opening | None = None
    slots = own_lacks(node, seat)
    if own_due(node, seat):
        opening = secrets.openings[node.sealed[node.want.name, seat].commitment]
        choice = read_choice(node, node.want.name, opening[0])
        if node.want.shows and not isinstance(choice, bytes):
            slots += hidden_of(node, seat, choice)
    key = node.keys.share_key(seat)
    shares = _batch(node, seat, "shares", secrets.key, key, slots, rng)
    helps = tuple(_help(node, seat, absent, secrets, rng) for absent in helped(node))
    keys = tuple(_escrow(node, seat, owner, secrets, rng) for owner in lost_dues(node))
    return bodies.encode_body(Gather(opening, shares, helps, keys))


def _help(node: Node, seat: int, absent: int, secrets: Secrets, rng: Random) -> bytes:
    piece = secrets.piece_of(node, absent, seat)
    key = node.keys.piece_key(absent, seat)
    return _batch(node, seat, f"help-{absent}", piece, key, own_lacks(node, absent), rng)


def _escrow(node: Node, seat: int, owner: int, secrets: Secrets, rng: Random) -> bytes:
    kind = node.want.name
    sealed = node.sealed[kind, owner]
    total = sum(secrets.piece_of(node, d, seat) for d in range(node.table.seats)) % group.ORDER
    return escrow.escrow_share(
        node.table.context(node.step, seat, f"escrow-{owner}"),
        node.table.context(sealed.step, owner, kind),
        node.keys.joint,
        sealed.commitment,
        sealed.escrow,
        total,
        node.keys.total_key(seat),
        rng,
    )


def _empty(node: Node, seat: int, secrets: Secrets, rng: Random) -> bytes:
    return bodies.EMPTY


PENS: dict[Kind, Callable[[Node, int, Secrets, Random], bytes]] = {
    Kind.KEY_COMMIT: _key_commit,
    Kind.KEY_REVEAL: _key_reveal,
    Kind.KEY_OK: _key_ok,
    Kind.SHUFFLE: _shuffle,
    Kind.DECK_OK: _empty,
    Kind.DEAL: _gather,
    Kind.HOLD: _empty,
    Kind.REVEAL: _gather,
    Kind.OPEN: _gather,
    Kind.OVER: _empty,
    Kind.FINAL: _gather,
    Kind.RESULT: _empty,
    Kind.SEAL: _empty,
    Kind.SHOW: _empty,
}
"""Who says what without being asked; seal and show only for those who owe nothing there."""


def needs_choice(node: Node, seat: int) -> bool:
    """Whether this seat must be asked before it can speak."""
    return seat in node.want.owes and node.want.kind in (Kind.SEAL, Kind.SHOW, Kind.CHOOSE)


def body_of(node: Node, seat: int, secrets: Secrets, rng: Random) -> bytes:
    """What this seat says in a step that asks no choice of it."""
    return PENS[node.want.kind](node, seat, secrets, rng)


def body_of_choice(node: Node, seat: int, choice: Choice, secrets: Secrets, rng: Random) -> bytes:
    """What this seat says with a choice of its player."""
    data = bodies.encode_choice(choice)
    want = node.want
    if want.kind is Kind.SEAL:
        size = choice_size(node, want.name)
        return seal_choice(node, seat, want.name, size, data, secrets, rng)
    if want.kind is Kind.CHOOSE:
        return data
    slots = hidden_of(node, seat, choice)
    key = node.keys.share_key(seat)
    return bodies.encode_body(
        ShowBody(data, _batch(node, seat, "shares", secrets.key, key, slots, rng))
    )


def hand(node: Node, seat: int, secrets: Secrets) -> dict[int, int]:
    """The cards that only this seat sees: slot to card, as far as all others gave their shares."""
    found = {}
    for slot in node.table.layout.hands[seat] if node.keys.deck else ():
        others = [node.shares.get((slot, s)) for s in range(node.table.seats) if s != seat]
        given = [share for share in others if share is not None]
        if len(given) == len(others):
            ciphertext = node.keys.deck[slot]
            own = elgamal.share(secrets.key, ciphertext)
            found[slot] = elgamal.open_card(ciphertext, [*given, own], node.table.layout.cards)
    return found
