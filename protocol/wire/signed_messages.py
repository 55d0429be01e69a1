"""The signed messages of a table: the fields of each kind, and how they are signed and read.

A *base* is the chain node with which an epoch begins. An `on` is the digest of the chain before a
step. The argument `ids` has the ids of the table's seats.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import itemgetter
from typing import Annotated, Any, Final

from ..crypto import identities
from ..crypto.hashing import Label, digest
from ..crypto.proof_batches import Checker, at_once
from ..errors import Invalid
from ..units import Quota, TableId
from . import codec
from .codec import Digests, Fields, Int, Octets, Octets64, Rows, Struct
from .table_header import SEAT_NUMBERS, Seat

MAX_MESSAGE: Final = 256 * 1024
"""The most bytes of a message."""
MAX_EPOCH: Final = 2**32 - 1
"""The highest number of an epoch."""
MAX_STEP: Final = 2**32 - 1
"""The highest number of a step."""
MAX_LIST: Final = 4096
"""The most message hashes in one list."""
MAX_REJOINS: Final[Quota] = 255
"""The highest number of absences after which a seat can ask to rejoin."""

Digest = codec.Octets32
"""A hash, 32 bytes."""
Epoch = Annotated[int, Int(MAX_EPOCH, 1)]
"""The number of an epoch above 0."""
StartEpoch = Annotated[int, Int(MAX_EPOCH)]
"""The number of an epoch, from 0. A table starts in epoch 0."""
Step = Annotated[int, Int(MAX_STEP, 1)]
"""The number of a step, from 1."""
Named = Annotated[tuple[Digest, ...], Digests(MAX_LIST, rising=True)]
"""Message hashes of 32 bytes each, rising."""


@dataclass(frozen=True, slots=True)
class StepInput:
    """The input of a seat to one step, signed in an epoch. Its body's form depends on the step."""

    epoch: StartEpoch
    step: Step
    on: Digest
    body: bytes


@dataclass(frozen=True)
class EpochRequest:
    """A request to change to an epoch."""

    epoch: Epoch


@dataclass(frozen=True)
class QuorumCertificate:
    """The votes of a quorum, by rising seat: commit votes if `committed`, else prepare votes."""

    epoch: Epoch
    base: Digest
    committed: bool
    votes: Annotated[
        tuple[tuple[int, bytes], ...], Rows(Fields(Seat, Octets64), SEAT_NUMBERS, key=itemgetter(0))
    ]


@dataclass(frozen=True)
class StepTimeout:
    """The claim of a seat that a step has timed out for it."""

    epoch: StartEpoch
    step: Step
    on: Digest


@dataclass(frozen=True)
class EpochPromise:
    """A promise to sign nothing of a lower epoch, with a report of what the seat stores.

    The report names messages by their hash.

    Attributes:
        certificate: The quorum certificate of the highest epoch for which the seat stores enough
            votes, None if there is none.
        inputs: The stored inputs of the certificate's epoch, or of epoch 0 if there is no
            certificate.
        timeout: The claim that a step has timed out in that epoch, None if the seat claims nothing.
        rejoins: The stored requests of absent seats to be present again.
        proofs: For each seat that is proven at fault, the one or two messages that prove it.
    """

    epoch: Epoch
    certificate: QuorumCertificate | None
    inputs: Named
    timeout: StepTimeout | None
    rejoins: Named
    proofs: Annotated[
        tuple[tuple[Digest, ...], ...], Rows(Digests(2, 1, rising=True), 64, key=tuple)
    ]


@dataclass(frozen=True)
class NewEpoch:
    """A proposal of a base, which follows from a quorum of epoch promises, named by rising seat."""

    epoch: Epoch
    promises: Annotated[tuple[Digest, ...], Digests(SEAT_NUMBERS)]


@dataclass(frozen=True)
class PrepareVote:
    """The first vote of a seat for a base."""

    epoch: Epoch
    base: Digest


@dataclass(frozen=True)
class CommitVote:
    """The second vote of a seat for a base, once it stores prepare votes of a quorum for it."""

    epoch: Epoch
    base: Digest


@dataclass(frozen=True)
class Rejoin:
    """The request of a seat that was made absent `count` times to be present again."""

    count: Annotated[int, Int(MAX_REJOINS)]


Statement = StepInput | EpochRequest | EpochPromise | NewEpoch | PrepareVote | CommitVote | Rejoin

KINDS: Final[dict[int, tuple[type[Any], Label]]] = {
    1: (StepInput, Label.STEP_INPUT),
    2: (EpochRequest, Label.EPOCH_REQUEST),
    3: (EpochPromise, Label.EPOCH_PROMISE),
    4: (NewEpoch, Label.NEW_EPOCH),
    5: (PrepareVote, Label.PREPARE),
    6: (CommitVote, Label.COMMIT),
    7: (Rejoin, Label.REJOIN),
}
"""The class and the label of each kind of statement, by its number on the wire."""
NUMBER: Final = {cls: number for number, (cls, _) in KINDS.items()}
"""The number on the wire of each kind of statement."""
_ROWS: Final = {number: Struct(cls, head=3) for number, (cls, _) in KINDS.items()}


@dataclass(frozen=True)
class Message:
    """A signed message of one seat of one table."""

    seat: int
    statement: Statement
    payload: bytes = field(repr=False)
    signature: bytes = field(repr=False)

    @cached_property
    def hash(self) -> Digest:
        """The hash of the payload, by which other messages name this one."""
        return digest(Label.MESSAGE, self.payload)

    def bare(self) -> Message:
        """Return a copy with the hash, but without payload and signature, to save memory."""
        # The hash has to be taken from the payload before it is dropped.
        found = Message(self.seat, self.statement, b"", b"")
        object.__setattr__(found, "hash", self.hash)
        return found

    def verify(self, ids: Sequence[bytes]) -> None:
        """Verify the signature ([M-4]).

        Raises:
            Invalid: With code `bad-signature` if the signature is invalid.
        """
        label = KINDS[NUMBER[type(self.statement)]][1]
        identities.verify_signature(ids[self.seat], label, self.payload, self.signature)

    def encode(self) -> bytes:
        """Return the bytes of the message, to send or store."""
        return codec.encode((self.payload, self.signature))

    @cached_property
    def identity(self) -> tuple[int, ...]:
        """The identity of the message ([M-5])."""
        return identity_of(self.seat, self.statement)


def identity_of(seat: int, statement: Statement) -> tuple[int, ...]:
    """Return the identity of a message. A seat may sign only one message per identity ([M-5]).

    It is the number of the message's kind, the seat, and then: epoch and step of an input, the
    count of a rejoin, or the epoch of any other message.
    """
    number = NUMBER[type(statement)]
    if isinstance(statement, StepInput):
        return (number, seat, statement.epoch, statement.step)
    if isinstance(statement, Rejoin):
        return (number, seat, statement.count)
    return (number, seat, statement.epoch)


# Encoding

BAD: Final = "bad-message"
_ENVELOPE: Final = Fields(Octets(), Octets64)


def payload(table: TableId, seat: int, statement: Statement) -> bytes:
    """Return the bytes that a seat signs for a message with a given content."""
    number = NUMBER[type(statement)]
    return codec.encode((number, table, seat, *_ROWS[number].write(statement)))


def sign(who: identities.Identity, table: TableId, seat: int, statement: Statement) -> Message:
    """Sign a message with a given content."""
    data = payload(table, seat, statement)
    label = KINDS[NUMBER[type(statement)]][1]
    return Message(seat, statement, data, who.sign(label, data))


def read_payload(data: bytes, table: TableId, seats: int) -> tuple[int, Statement]:
    """Decode the seat and the content of a message. No signature is checked ([M-2], [M-3], [X-2]).

    Raises:
        Invalid: With code `bad-encoding` if the bytes do not decode, and `bad-message` if they are
            no message of this table.
    """
    value = codec.decode(data, MAX_MESSAGE)
    number, where, seat = value[:3] if isinstance(value, tuple) and len(value) > 2 else (None,) * 3
    # The table id stops a replay of a message from another table of the same key.
    if type(number) is not int or number not in _ROWS or where != table:
        raise Invalid(BAD, "a message is of no known kind, or of another table")
    # The type, because True would be seat 1, with another encoding.
    if type(seat) is not int or seat >= seats:
        raise Invalid(BAD, "a message is of no seat of this table")
    statement: Statement = codec.read(_ROWS[number], value, BAD, "a statement")
    return seat, statement


def parse(data: bytes, table: TableId, ids: Sequence[bytes]) -> Message:
    """Return a message from its bytes, after checking its signature ([M-1], [M-4]).

    Raises:
        Invalid: With code `bad-encoding`, `bad-message` or `bad-signature`. No such error proves a
            fault of the seat that is named, since anyone could have made the bytes.
    """
    message = read(data, table, len(ids))
    message.verify(ids)
    return message


def read(data: bytes, table: TableId, seats: int) -> Message:
    """Return a message from its bytes, on which `verify` is still to be called.

    Raises:
        Invalid: With code `bad-encoding` or `bad-message`.
    """
    whole = codec.decode(data, MAX_MESSAGE)
    payload, signature = codec.read(_ENVELOPE, whole, BAD, "an envelope")
    seat, statement = read_payload(payload, table, seats)
    return Message(seat, statement, payload, signature)


def parse_parts(payload: bytes, signature: bytes, table: TableId, ids: Sequence[bytes]) -> Message:
    """Return a message from its payload and its signature, after checking the signature.

    Raises:
        Invalid: With the code with which `parse` raises it for the whole message.
    """
    # A file may hold no message that could not be sent in a frame.
    if codec.size((payload, signature)) > MAX_MESSAGE:
        raise Invalid("bad-encoding", f"more than {MAX_MESSAGE} bytes")
    seat, statement = read_payload(payload, table, len(ids))
    message = Message(seat, statement, payload, signature)
    message.verify(ids)
    return message


def rebuilt(
    seat: int,
    statement: Statement,
    signature: bytes,
    table: TableId,
    ids: Sequence[bytes],
    check_proof: Checker = at_once,
) -> Message:
    """Rebuild a message from its content, which is known, and its signature.

    Args:
        check_proof: A function that checks the signature at once, or later together with others.

    Raises:
        Invalid: With code `bad-signature` if the signature is invalid and checked at once.
    """
    data, label = payload(table, seat, statement), KINDS[NUMBER[type(statement)]][1]
    check_proof(identities.verify_signature, ids[seat], label, data, signature)
    return Message(seat, statement, data, signature)
