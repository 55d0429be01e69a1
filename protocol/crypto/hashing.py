"""Labelled hashes, and what is made with them: scalars, key streams, contexts and nonces.

Every hash is SHA-512 (FIPS 180-4) of a framed list of byte strings, of which a label is the first.
In a framed list, each byte string is preceded by its length as an unsigned 64-bit big-endian
number. So two different lists never give the same bytes.

Each hash, challenge, signature and derived key has a label of its own, which is used for nothing
else. So bytes that were made for one purpose are worthless for any other. All labels begin with
`p2p-table/3/`, the name and version of the protocol. The context of a proof or commitment names its
table, step, seat and kind.

Random scalars and permutations are drawn only from randomness that the caller passes in. A proof
nonce that is used for two challenges reveals the secret. Nonces are therefore hedged: each is a
hash of fresh bytes, the secret and what is to be proven (Aranha, Orlandi, Takahashi, Zaverucha
2020, "Security of Hedged Fiat-Shamir Signatures under Fault Attacks"). So even a random source that
repeats itself gives different nonces for different proofs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha512
from itertools import count
from typing import Final

from ..units import TableId

VERSION: Final = "p2p-table/3"
"""The name and version of the protocol, with which every label begins."""


class Label(StrEnum):
    """The domain labels. The value is the text that is hashed.

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
    LINK_CHANNEL = "p2p-table/3/link-channel"
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
    LINK_PROOF = "p2p-table/3/sign-link-proof"
    RELAY_PROOF = "p2p-table/3/sign-relay-proof"


DIGEST_SIZE: Final = 32
"""Bytes of a digest."""
ORDER: Final = 2**252 + 27742317777372353535851937790883648493
"""The prime order of the group of the cards (`group`)."""


def u64(number: int) -> bytes:
    """Return a number from 0 to 2^64 - 1 as 8 bytes, big-endian. Others raise an OverflowError."""
    return number.to_bytes(8, "big")


def framed(*parts: bytes) -> bytes:
    """Encode a list of byte strings so that different lists have different encodings.

    Args:
        parts: The byte strings.

    Returns:
        The concatenation of all parts, each preceded by its length as 8 bytes, big-endian.
    """
    return b"".join([len(part).to_bytes(8, "big") + part for part in parts])


def wide(label: Label, *parts: bytes) -> bytes:
    """Return the 64 bytes of SHA-512 of the framed list of a label and byte strings."""
    return sha512(framed(label.encode(), *parts)).digest()


def digest(label: Label, *parts: bytes) -> bytes:
    """Return 32 bytes of SHA-512 of the framed list of a label and byte strings (see `framed`).

    Args:
        label: The domain label.
        parts: The byte strings that are hashed after the label.

    Returns:
        The first 32 bytes of the hash.
    """
    return wide(label, *parts)[:DIGEST_SIZE]


def hash_to_scalar(label: Label, *parts: bytes) -> int:
    """Return `wide` as a little-endian number modulo ORDER, uniform up to a distance of 2^-259."""
    return int.from_bytes(wide(label, *parts), "little") % ORDER


def expand(label: Label, size: int, *parts: bytes) -> bytes:
    """Return pseudorandom bytes: blocks of `wide(label, size, counter, *parts)`, cut to the size.

    The size and the counter, which starts at 0, are hashed as 8 bytes each, big-endian.
    """
    # With the size in the hash, a shorter stream is not the beginning of a longer one.
    blocks = range(-(-size // 64))
    return b"".join([wide(label, u64(size), u64(block), *parts) for block in blocks])[:size]


@dataclass(frozen=True, slots=True)
class Context:
    """The table, step, seat and purpose to which a commitment or proof is bound ([C-11]).

    It is hashed into each commitment, escrow and proof, so that none is valid in another context.
    The epoch is not part of it, so that a seat can use the same commitment or proof again in
    another epoch. A value that cannot be encoded raises a ValueError, because it is a bug of the
    caller.

    Attributes:
        seat: The seat that makes the commitment or proof, from 0.
        kind: The purpose of the commitment or proof, such as `shuffle` ([C-12]).
    """

    table: TableId
    step: int
    seat: int
    kind: str

    def __post_init__(self) -> None:
        if not isinstance(self.table, bytes) or len(self.table) != 32:
            raise ValueError("a context needs a table id of 32 bytes")
        if not (0 <= self.step < 2**64 and 0 <= self.seat < 2**64):
            raise ValueError("a context needs a step and a seat from 0 to 2^64 - 1")

    def encode(self) -> bytes:
        """Return the framed list of version, table, step, seat (8 bytes each) and kind (UTF-8)."""
        return framed(
            VERSION.encode(), self.table, u64(self.step), u64(self.seat), self.kind.encode()
        )


Random = Callable[[int], bytes]
"""A source of randomness: called with n, it returns n fresh random bytes."""


def scalar(rng: Random) -> int:
    """Draw a uniform scalar from 1 to ORDER - 1, from 64 little-endian bytes."""
    while True:
        # Twice the length of ORDER, so that the remainder favours no scalar.
        number = int.from_bytes(rng(64), "little") % ORDER
        if number:
            return number


def below(rng: Random, bound: int) -> int:
    """Draw a number from 0 to bound - 1. It is uniform up to a distance of bound / 2^256."""
    return int.from_bytes(rng(32), "little") % bound


def permutation(rng: Random, size: int) -> tuple[int, ...]:
    """Draw a uniform permutation of 0 to size - 1 (Fisher and Yates; Knuth, TAOCP 2, 3.4.2, P)."""
    order = list(range(size))
    for last in range(size - 1, 0, -1):
        # A card may stay where it is. Without the `+ 1` only cyclic permutations would be drawn.
        other = below(rng, last + 1)
        order[last], order[other] = order[other], order[last]
    return tuple(order)


def hedged(label: Label, rng: Random, *parts: bytes) -> Iterator[int]:
    """Yield scalars from 1 to ORDER - 1 for nonces, without end ([D-1]).

    Each is a hash of 32 random bytes that are drawn once, a counter, and `parts`: the secret and
    the statement for which the nonces are used.
    """
    seed = rng(32)
    for index in count():
        number = hash_to_scalar(label, seed, u64(index), *parts)
        if number:
            yield number
