"""The name plate on every door: the one table of domain labels.

Each hash, challenge, signature and derived key has its own label, used for nothing else, so
that bytes made for one purpose mean nothing in another. All start with `p2p-table/1/`, the
protocol's name and version.
"""

from enum import StrEnum
from typing import Final

VERSION: Final = "p2p-table/1"


class Label(StrEnum):
    """Domain labels. What a label names is said by its use; the value is what is hashed."""

    # Points nobody knows a logarithm of
    CARD = "p2p-table/1/card"
    SHUFFLE_GENERATOR = "p2p-table/1/shuffle-generator"
    CHAIN_GENERATOR = "p2p-table/1/chain-generator"
    SECOND_GENERATOR = "p2p-table/1/second-generator"

    # Challenges and proof nonces
    KEY_PROOF = "p2p-table/1/key-proof"
    KEY_PROOF_NONCE = "p2p-table/1/key-proof-nonce"
    SHARES = "p2p-table/1/shares"
    SHARES_NONCE = "p2p-table/1/shares-nonce"
    SHUFFLE_STATEMENT = "p2p-table/1/shuffle-statement"
    SHUFFLE_WEIGHT = "p2p-table/1/shuffle-weight"
    SHUFFLE_COMMITMENT_RANDOMNESS = "p2p-table/1/shuffle-commitment-randomness"
    SHUFFLE_NONCE = "p2p-table/1/shuffle-nonce"
    SHUFFLE_CHALLENGE = "p2p-table/1/shuffle-challenge"

    # Commitments, escrow, backup
    COMMITMENT = "p2p-table/1/commitment"
    ESCROW_RANDOMNESS = "p2p-table/1/escrow-randomness"
    ESCROW_KDF = "p2p-table/1/escrow-kdf"
    ESCROW_PROOF_NONCE = "p2p-table/1/escrow-proof-nonce"
    ESCROW_CHALLENGE = "p2p-table/1/escrow-challenge"
    ESCROW_SHARE = "p2p-table/1/escrow-share"
    ESCROW_SHARE_NONCE = "p2p-table/1/escrow-share-nonce"
    BACKUP_SEAL_KDF = "p2p-table/1/backup-seal-kdf"
    KEY_COMMIT = "p2p-table/1/key-commit"

    # Digests
    TABLE_ID = "p2p-table/1/table-id"
    TERMS = "p2p-table/1/terms"
    STEP = "p2p-table/1/step"
    LINK = "p2p-table/1/link"
    BASE = "p2p-table/1/base"
    CONTENT = "p2p-table/1/content"
    MESSAGE = "p2p-table/1/message"
    COIN = "p2p-table/1/coin"
    FINGERPRINT = "p2p-table/1/fingerprint"
    JOURNAL = "p2p-table/1/journal"
    LINK_BINDING = "p2p-table/1/link-binding"

    # Proofs of a ticket
    TICKET_GUEST = "p2p-table/1/ticket-guest"
    TICKET_DOOR = "p2p-table/1/ticket-door"

    # Signatures
    SEAT = "p2p-table/1/sign-seat"
    SAY = "p2p-table/1/sign-say"
    LATE = "p2p-table/1/sign-late"
    HALT = "p2p-table/1/sign-halt"
    CLOSE = "p2p-table/1/sign-close"
    ACCEPT = "p2p-table/1/sign-accept"
    SEAL = "p2p-table/1/sign-seal"
    BACK = "p2p-table/1/sign-back"
    ROSTER = "p2p-table/1/sign-roster"
    LINK_HANDSHAKE = "p2p-table/1/link-handshake"
