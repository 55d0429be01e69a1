"""Every word, number and limit that SPEC.md fixes for this version, in one place."""

PROTOCOL = "p2p-table/3"
FILE_MAGIC = "hoity-transcript"
FILE_VERSION = 3
CERTIFICATE_MAGIC = "hoity-certificate"
CERTIFICATE_VERSION = 3

# The group (2.3).
ORDER = 2**252 + 27742317777372353535851937790883648493
PRIME = 2**255 - 19

# Labels of hashes and signatures (2.5), by the names that this verifier uses.
LABELS = {
    "card": "card",
    "shuffle generator": "shuffle-generator",
    "chain generator": "chain-generator",
    "second generator": "second-generator",
    "key proof": "key-proof",
    "shares": "shares",
    "shuffle statement": "shuffle-statement",
    "shuffle weight": "shuffle-weight",
    "shuffle challenge": "shuffle-challenge",
    "commitment": "commitment",
    "escrow randomness": "escrow-randomness",
    "escrow kdf": "escrow-kdf",
    "escrow proof nonce": "escrow-proof-nonce",
    "escrow challenge": "escrow-challenge",
    "escrow share": "escrow-share",
    "key share kdf": "key-share-kdf",
    "key commit": "key-commit",
    "table id": "table-id",
    "terms": "terms",
    "step": "step",
    "body": "body",
    "reconfiguration": "reconfiguration",
    "base": "base",
    "message": "message",
    "coin": "coin",
    "fingerprint": "fingerprint",
    "sign seat": "sign-seat",
    "sign step input": "sign-step-input",
    "sign epoch request": "sign-epoch-request",
    "sign epoch promise": "sign-epoch-promise",
    "sign new epoch": "sign-new-epoch",
    "sign prepare": "sign-prepare",
    "sign commit": "sign-commit",
    "sign rejoin": "sign-rejoin",
    "sign link proof": "sign-link-proof",
    "link channel": "link-channel",
    "link binding": "link-binding",
}


def label(name: str) -> bytes:
    """Return the label (2.5) that this verifier calls `name`."""
    return f"{PROTOCOL}/{LABELS[name]}".encode("ascii")


# Kinds of context (2.6) with a number behind them.
KEY_SHARE_KIND = "key-share-{}"
HELP_KIND = "help-{}"
ESCROW_KIND = "escrow-{}"

# Limits (2.7).
MAX_DEPTH = 16
MAX_ITEMS = 4096
MAX_FILE_ITEMS = 16384
MAX_FILE_TOTAL = 1_048_576
MAX_FILE_STRING = 262_144
MAX_FILE = 67_108_864
MAX_HEADER = 16_384
MAX_CERTIFICATE = 65_536
MAX_MESSAGE = 262_144
MAX_BODY = 131_072
MAX_EDITION = 1_048_576
MAX_EPOCH = MAX_STEP = 2**32 - 1
MAX_NUMBERED_SEATS = 16
MAX_TABLE_SEATS = 8
MAX_CARDS = 128
MAX_COUNT = 65_536
MAX_CHOICES = 4096
MAX_LOOKUPS = 20_000_000
LAST_STEP = 12_000
ESCROW_OVERHEAD = 128
ESCROW_SHARE_SIZE = 96
KEY_SHARE_SIZE = 80

# Slots of a step without a body (6.1).
NONE, ABSENT, FAULT = 0, 1, 2

# The body of who owes nothing ([N-4]).
EMPTY_BODY = b"\xc0"

# Kinds of messages (5), by number.
STEP_INPUT, EPOCH_REQUEST, EPOCH_PROMISE, NEW_EPOCH, PREPARE, COMMIT, REJOIN = range(1, 8)
MESSAGE_LABELS = {
    STEP_INPUT: "sign step input",
    EPOCH_REQUEST: "sign epoch request",
    EPOCH_PROMISE: "sign epoch promise",
    NEW_EPOCH: "sign new epoch",
    PREPARE: "sign prepare",
    COMMIT: "sign commit",
    REJOIN: "sign rejoin",
}

# The most bytes of a choice, by kind (7.5, 9.2).
CHOICE_SIZES = {
    "coin": 32,
    "place": 1,
    "action": 1,
    "turn": 3,
    "window": 1,
    "exhibit": 131,
    "theft": 16,
}
