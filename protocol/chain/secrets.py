"""What one seat keeps to itself at one table: its keys, and the openings of what it sealed."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..crypto import group, key_sharing, shuffle
from ..crypto.hashing import Label, Random, expand, u64
from ..wire.header import MAX_SEATS
from .state import Node

PIECE_STEP = 2
"""The step in which backup pieces are said, `key.reveal`; each is sealed in its context."""

Opening = tuple[bytes, bytes]
"""(choice, nonce)."""


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
    """What one seat must keep to itself at one table; `openings` is keyed by commitment ([D-6])."""

    seed: bytes = field(repr=False)
    polynomial: tuple[int, ...] = field(repr=False)
    box: bytes = field(repr=False)
    openings: dict[bytes, Opening] = field(default_factory=dict, repr=False)
    _pieces: dict[int, int] = field(default_factory=dict, repr=False)
    _recorded: set[bytes] = field(default_factory=set, repr=False)
    _shuffle: shuffle.Prepared | None = field(default=None, repr=False)

    def unrecorded(self) -> list[tuple[bytes, Opening]]:
        """The openings made since the last call."""
        fresh = [(c, o) for c, o in list(self.openings.items()) if c not in self._recorded]
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
            return key_sharing.piece(self.polynomial, seat + 1)
        context = node.table.context(PIECE_STEP, dealer, f"piece-{seat}")
        return key_sharing.open_piece(context, self.box, node.keys.pieces[dealer][seat])

    @property
    def is_prepared(self) -> bool:
        """Whether a shuffle is prepared."""
        return self._shuffle is not None

    def prepare_shuffle(self, node: Node, rng: Random) -> bool:
        """Do ahead of time what a shuffle needs no deck for; False if it is done already."""
        if self._shuffle is not None:
            return False
        self._shuffle = shuffle.prepare(node.keys.joint, len(node.keys.deck), rng)
        return True

    def take_shuffle(self) -> shuffle.Prepared | None:
        """What was prepared, for the one deck that it may be used for."""
        ready, self._shuffle = self._shuffle, None
        return ready


def new_secrets(seed: bytes, size: int) -> Secrets:
    """The secrets that a 32-byte seed gives, with a polynomial of `size` coefficients."""
    rng = stream(seed, "key")
    polynomial = tuple(nonzero_scalar(rng) for _ in range(size))
    while size > 1 and any(key_sharing.piece(polynomial, i + 1) == 0 for i in range(MAX_SEATS)):
        polynomial = tuple(nonzero_scalar(rng) for _ in range(size))  # no seat's piece may be zero
    box, _ = key_sharing.x25519_keypair(stream(seed, "box"))
    return Secrets(seed, polynomial, box)


def nonzero_scalar(rng: Random) -> int:
    """A scalar from 1 on."""
    return int.from_bytes(rng(64), "little") % (group.ORDER - 1) + 1
