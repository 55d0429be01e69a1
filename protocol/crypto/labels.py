"""The domain separation labels, in one table.

Each hash, challenge, signature and derived key has its own label, used for nothing else, so
that bytes made for one purpose mean nothing in another. All start with `p2p-table/2/`, the
protocol's name and version.
"""

from enum import StrEnum
from typing import Final

VERSION: Final = "p2p-table/2"


class Label(StrEnum):
    """Domain labels. What a label names is said by its use; the value is what is hashed.

    SPEC: [C-10].
    """

    # Points nobody knows a logarithm of
    CARD = "p2p-table/2/card"
    SHUFFLE_GENERATOR = "p2p-table/2/shuffle-generator"
    CHAIN_GENERATOR = "p2p-table/2/chain-generator"
    SECOND_GENERATOR = "p2p-table/2/second-generator"

    # Challenges and proof nonces
    KEY_PROOF = "p2p-table/2/key-proof"
    KEY_PROOF_NONCE = "p2p-table/2/key-proof-nonce"
    SHARES = "p2p-table/2/shares"
    SHARES_NONCE = "p2p-table/2/shares-nonce"
    SHUFFLE_STATEMENT = "p2p-table/2/shuffle-statement"
    SHUFFLE_WEIGHT = "p2p-table/2/shuffle-weight"
    SHUFFLE_COMMITMENT_RANDOMNESS = "p2p-table/2/shuffle-commitment-randomness"
    SHUFFLE_NONCE = "p2p-table/2/shuffle-nonce"
    SHUFFLE_CHALLENGE = "p2p-table/2/shuffle-challenge"

    # Commitments, escrow, backup
    COMMITMENT = "p2p-table/2/commitment"
    ESCROW_RANDOMNESS = "p2p-table/2/escrow-randomness"
    ESCROW_KDF = "p2p-table/2/escrow-kdf"
    ESCROW_PROOF_NONCE = "p2p-table/2/escrow-proof-nonce"
    ESCROW_CHALLENGE = "p2p-table/2/escrow-challenge"
    ESCROW_SHARE = "p2p-table/2/escrow-share"
    ESCROW_SHARE_NONCE = "p2p-table/2/escrow-share-nonce"
    BACKUP_SEAL_KDF = "p2p-table/2/backup-seal-kdf"
    KEY_COMMIT = "p2p-table/2/key-commit"

    # Digests
    TABLE_ID = "p2p-table/2/table-id"
    TERMS = "p2p-table/2/terms"
    STEP = "p2p-table/2/step"
    LINK = "p2p-table/2/link"
    BASE = "p2p-table/2/base"
    CONTENT = "p2p-table/2/content"
    MESSAGE = "p2p-table/2/message"
    COIN = "p2p-table/2/coin"
    FINGERPRINT = "p2p-table/2/fingerprint"
    JOURNAL = "p2p-table/2/journal"
    LINK_BINDING = "p2p-table/2/link-binding"

    # Proofs of a ticket
    TICKET_GUEST = "p2p-table/2/ticket-guest"
    TICKET_DOOR = "p2p-table/2/ticket-door"

    # Another game with the same people: its nonce, and the secret of its ticket
    NEXT_TABLE = "p2p-table/2/next-table"
    NEXT_TICKET = "p2p-table/2/next-ticket"

    # A few words instead of a ticket: the two sides, their proofs, the key that seals the ticket
    CODE_GUEST = "p2p-table/2/code-guest"
    CODE_HOST = "p2p-table/2/code-host"
    CODE_GUEST_PROOF = "p2p-table/2/code-guest-proof"
    CODE_HOST_PROOF = "p2p-table/2/code-host-proof"
    CODE_TICKET = "p2p-table/2/code-ticket"

    # Signatures
    SEAT = "p2p-table/2/sign-seat"
    SAY = "p2p-table/2/sign-say"
    LATE = "p2p-table/2/sign-late"
    HALT = "p2p-table/2/sign-halt"
    CLOSE = "p2p-table/2/sign-close"
    ACCEPT = "p2p-table/2/sign-accept"
    SEAL = "p2p-table/2/sign-seal"
    BACK = "p2p-table/2/sign-back"
    LEAVE = "p2p-table/2/sign-leave"
    END = "p2p-table/2/sign-end"
    ROSTER = "p2p-table/2/sign-roster"
    TALK = "p2p-table/2/sign-talk"
    TALK_PASSED = "p2p-table/2/sign-talk-passed"
    NO_MORE = "p2p-table/2/sign-no-more"
    LINK_HANDSHAKE = "p2p-table/2/link-handshake"
