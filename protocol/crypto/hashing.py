"""Labelled hashes: domain labels, digests, scalars, key streams, contexts and hedged randomness.

Every hash is SHA-512 over a framed list: the label first, then each part, each preceded by
its length in bytes as an unsigned 64-bit big-endian number. Two different lists never frame
to the same bytes. SHA-512: FIPS 180-4.

Each hash, challenge, signature and derived key has its own label, used for nothing else, so
that bytes made for one purpose mean nothing in another. All start with `p2p-table/3/`, the
protocol's name and version. The context of a statement names its table, step, seat and kind.

Scalars and permutations come from randomness that the caller passes in, never from the system.
A proof nonce used for two challenges gives the secret away, so nonces are hedged: hashed from
fresh bytes, the secret and the statement together (Aranha, Orlandi, Takahashi, Zaverucha 2020,
"Security of Hedged Fiat-Shamir Signatures under Fault Attacks"). A source that repeats itself
then still gives different nonces for different statements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha512
from itertools import count
from typing import Final

VERSION: Final = "p2p-table/3"


class Label(StrEnum):
    """Domain labels. What a label names is said by its use; the value is what is hashed.

    SPEC: [C-10].
    """

    # Points nobody knows a logarithm of
    CARD = "p2p-table/3/card"
    SHUFFLE_GENERATOR = "p2p-table/3/shuffle-generator"
    CHAIN_GENERATOR = "p2p-table/3/chain-generator"
    SECOND_GENERATOR = "p2p-table/3/second-generator"

    # Challenges and proof nonces
    KEY_PROOF = "p2p-table/3/key-proof"
    KEY_PROOF_NONCE = "p2p-table/3/key-proof-nonce"
    SHARES = "p2p-table/3/shares"
    SHARES_NONCE = "p2p-table/3/shares-nonce"
    SHUFFLE_STATEMENT = "p2p-table/3/shuffle-statement"
    SHUFFLE_WEIGHT = "p2p-table/3/shuffle-weight"
    SHUFFLE_COMMITMENT_RANDOMNESS = "p2p-table/3/shuffle-commitment-randomness"
    SHUFFLE_NONCE = "p2p-table/3/shuffle-nonce"
    SHUFFLE_CHALLENGE = "p2p-table/3/shuffle-challenge"

    # Commitments, escrow, key sharing
    COMMITMENT = "p2p-table/3/commitment"
    ESCROW_RANDOMNESS = "p2p-table/3/escrow-randomness"
    ESCROW_KDF = "p2p-table/3/escrow-kdf"
    ESCROW_PROOF_NONCE = "p2p-table/3/escrow-proof-nonce"
    ESCROW_CHALLENGE = "p2p-table/3/escrow-challenge"
    ESCROW_SHARE = "p2p-table/3/escrow-share"
    ESCROW_SHARE_NONCE = "p2p-table/3/escrow-share-nonce"
    KEY_SHARE_KDF = "p2p-table/3/key-share-kdf"
    KEY_COMMIT = "p2p-table/3/key-commit"

    # Digests
    TABLE_ID = "p2p-table/3/table-id"
    TERMS = "p2p-table/3/terms"
    STEP = "p2p-table/3/step"
    RECONFIGURATION = "p2p-table/3/reconfiguration"
    BASE = "p2p-table/3/base"
    BODY = "p2p-table/3/body"
    MESSAGE = "p2p-table/3/message"
    COIN = "p2p-table/3/coin"
    FINGERPRINT = "p2p-table/3/fingerprint"
    JOURNAL = "p2p-table/3/journal"
    LINK_BINDING = "p2p-table/3/link-binding"
    PLAYER = "p2p-table/3/player"

    # Proofs of a ticket
    TICKET_GUEST = "p2p-table/3/ticket-guest"
    TICKET_HOST = "p2p-table/3/ticket-host"

    # Another game with the same people: its nonce, and the secret of its ticket
    NEXT_TABLE = "p2p-table/3/next-table"
    NEXT_TICKET = "p2p-table/3/next-ticket"

    # A few words instead of a ticket: the two sides, their proofs, the key that seals the ticket
    CODE_GUEST = "p2p-table/3/code-guest"
    CODE_HOST = "p2p-table/3/code-host"
    CODE_GUEST_PROOF = "p2p-table/3/code-guest-proof"
    CODE_HOST_PROOF = "p2p-table/3/code-host-proof"
    CODE_TICKET = "p2p-table/3/code-ticket"

    # Signatures
    SEAT = "p2p-table/3/sign-seat"
    VOUCH = "p2p-table/3/sign-vouch"
    STEP_INPUT = "p2p-table/3/sign-step-input"
    EPOCH_REQUEST = "p2p-table/3/sign-epoch-request"
    EPOCH_PROMISE = "p2p-table/3/sign-epoch-promise"
    NEW_EPOCH = "p2p-table/3/sign-new-epoch"
    PREPARE = "p2p-table/3/sign-prepare"
    COMMIT = "p2p-table/3/sign-commit"
    REJOIN = "p2p-table/3/sign-rejoin"
    DEPARTURE = "p2p-table/3/sign-departure"
    END = "p2p-table/3/sign-end"
    ROSTER = "p2p-table/3/sign-roster"
    TALK = "p2p-table/3/sign-talk"
    TALK_PASSED = "p2p-table/3/sign-talk-passed"
    NO_MORE = "p2p-table/3/sign-no-more"
    LINK_HANDSHAKE = "p2p-table/3/link-handshake"


DIGEST_SIZE: Final = 32
ORDER: Final = 2**252 + 27742317777372353535851937790883648493


def u64(number: int) -> bytes:
    """`number` as 8 bytes, big-endian; OverflowError outside 0 .. 2^64 - 1."""
    return number.to_bytes(8, "big")


def framed(*parts: bytes) -> bytes:
    """Each part behind its 8-byte big-endian length: an injective encoding of a list."""
    return b"".join([len(part).to_bytes(8, "big") + part for part in parts])


def wide(label: Label, *parts: bytes) -> bytes:
    """The full 64-byte SHA-512 of the framed label and parts."""
    return sha512(framed(label.encode(), *parts)).digest()


def digest(label: Label, *parts: bytes) -> bytes:
    """The first 32 bytes of SHA-512 over the framed label and parts."""
    return wide(label, *parts)[:DIGEST_SIZE]


def hash_to_scalar(label: Label, *parts: bytes) -> int:
    """All 64 bytes of the hash as a little-endian number, reduced mod the group order.

    The bias against uniform is below 2^-259.
    """
    return int.from_bytes(wide(label, *parts), "little") % ORDER


def expand(label: Label, size: int, *parts: bytes) -> bytes:
    """`size` pseudorandom bytes: blocks of `wide(label, size, counter, *parts)`, cut to size.

    Size and the counter (from 0) are 8-byte big-endian parts, before the caller's.
    """
    blocks = range(-(-size // 64))
    return b"".join([wide(label, u64(size), u64(block), *parts) for block in blocks])[:size]


@dataclass(frozen=True, slots=True)
class Context:
    """Where a commitment, escrow or proof belongs; it is worthless anywhere else ([C-11]).

    `table` is the 32-byte table id; `step` the number of the chain step in which the statement
    is said; `seat` who says it, from 0; `kind` the kind of statement. It never names an epoch,
    so a body can be said again in another epoch as it is. Raises ValueError on values that
    have no encoding, which is the caller's mistake: a context is never read off the wire.
    """

    table: bytes
    step: int
    seat: int
    kind: str

    def __post_init__(self) -> None:
        if not isinstance(self.table, bytes) or len(self.table) != 32:
            raise ValueError("a context needs a table id of 32 bytes")
        if not (0 <= self.step < 2**64 and 0 <= self.seat < 2**64):
            raise ValueError("a context needs a step and a seat from 0 to 2^64 - 1")

    def encode(self) -> bytes:
        """The framed list: version, table, step (8 bytes), seat (8 bytes), kind (UTF-8)."""
        return framed(
            VERSION.encode(), self.table, u64(self.step), u64(self.seat), self.kind.encode()
        )


Random = Callable[[int], bytes]
"""Given n, returns n fresh random bytes."""


def scalar(rng: Random) -> int:
    """A uniform scalar from 1 to ORDER - 1: 64 bytes, little-endian, reduced; 0 is redrawn."""
    while True:
        number = int.from_bytes(rng(64), "little") % ORDER
        if number:
            return number


def below(rng: Random, bound: int) -> int:
    """A uniform number from 0 to bound - 1 out of 32 random bytes; bias under bound / 2^256."""
    return int.from_bytes(rng(32), "little") % bound


def permutation(rng: Random, size: int) -> tuple[int, ...]:
    """A uniform permutation of 0 .. size - 1 (Fisher and Yates; Knuth, TAOCP 2, 3.4.2 P)."""
    order = list(range(size))
    for last in range(size - 1, 0, -1):
        other = below(rng, last + 1)
        order[last], order[other] = order[other], order[last]
    return tuple(order)


def hedged(label: Label, rng: Random, *parts: bytes) -> Iterator[int]:
    """Endless nonzero scalars from 32 fresh bytes and `parts`: the secret and the statement.

    SPEC: [D-1].
    """
    seed = rng(32)
    for index in count():
        number = hash_to_scalar(label, seed, u64(index), *parts)
        if number:
            yield number
