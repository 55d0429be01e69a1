"""The signed messages of a table: the fields of each kind, and the only way to read one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import itemgetter
from typing import Annotated, Any, Final

from ..bounds import Quota
from ..crypto import identities
from ..crypto.hashing import Label, digest
from ..crypto.proof_batches import Checker, at_once
from ..errors import Invalid
from . import codec
from .codec import Digests, Fields, Int, Octets, Octets64, Rows, Struct
from .table_header import SEAT_NUMBERS, Seat

MAX_MESSAGE: Final = 256 * 1024
MAX_EPOCH: Final = 2**32 - 1
MAX_STEP: Final = 2**32 - 1
MAX_LIST: Final = 4096
MAX_REJOINS: Final[Quota] = 255
"""The highest count of absences after which a seat may come back."""

Digest = codec.Octets32
Epoch = Annotated[int, Int(MAX_EPOCH, 1)]
StartEpoch = Annotated[int, Int(MAX_EPOCH)]
"""An epoch that may be 0, which is the one a table starts in."""
Step = Annotated[int, Int(MAX_STEP, 1)]
Named = Annotated[tuple[Digest, ...], Digests(MAX_LIST, rising=True)]
"""Messages by their hash."""


@dataclass(frozen=True, slots=True)
class StepInput:
    """The input of a seat to one step.

    Attributes:
        epoch: The epoch in which the seat signed it.
        step: The number of the step.
        on: The digest of the chain before that step.
        body: The input itself, whose form depends on the step.
    """

    epoch: StartEpoch
    step: Step
    on: Digest
    body: bytes


@dataclass(frozen=True)
class EpochRequest:
    """A request to change to this epoch."""

    epoch: Epoch


@dataclass(frozen=True)
class QuorumCertificate:
    """The votes of a quorum for one base, of the highest epoch for which a seat stores as many.

    Attributes:
        epoch: The epoch.
        base: The digest of the base.
        sealed: Whether they are second votes.
        votes: The seat and the signature of each vote, by rising seat.
    """

    epoch: Epoch
    base: Digest
    sealed: bool
    votes: Annotated[
        tuple[tuple[int, bytes], ...],
        Rows(Fields(Seat, Octets64), SEAT_NUMBERS, key=itemgetter(0)),
    ]


@dataclass(frozen=True)
class StepTimeout:
    """A claim of a seat that this step of this epoch timed out, on the chain with digest `on`."""

    epoch: StartEpoch
    step: Step
    on: Digest


@dataclass(frozen=True)
class EpochPromise:
    """A promise to sign nothing of a lower epoch, with what the seat stores by message hash.

    Attributes:
        epoch: The epoch that is promised.
        certificate: The votes for the highest base that the seat knows of, if it knows of one.
        inputs: The inputs of the epoch before that the seat stores.
        timeout: The step that timed out, if one did.
        rejoins: The rejoin messages of absent seats that the base does not answer yet.
        proofs: For each seat that is proven to be faulty, the one or two messages that prove it.
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
    """A proposal for the base of an epoch: the hashes of the epoch promises from which it
    follows."""

    epoch: Epoch
    promises: Annotated[tuple[Digest, ...], Digests(SEAT_NUMBERS)]


@dataclass(frozen=True)
class PrepareVote:
    """The first vote of a seat for a base."""

    epoch: Epoch
    base: Digest


@dataclass(frozen=True)
class CommitVote:
    """The second vote of a seat for a base, of which it stores the first votes of a quorum."""

    epoch: Epoch
    base: Digest


@dataclass(frozen=True)
class Rejoin:
    """The request of a seat to rejoin, after it has been absent `count` times."""

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
NUMBER: Final = {cls: number for number, (cls, _) in KINDS.items()}
_ROWS: Final = {number: Struct(cls, head=3) for number, (cls, _) in KINDS.items()}


@dataclass(frozen=True)
class Message:
    """A statement of one seat of one table, with its signature."""

    seat: int
    statement: Statement
    payload: bytes = field(repr=False)
    signature: bytes = field(repr=False)

    @cached_property
    def hash(self) -> Digest:
        """What other messages call it; the signature is not part of it."""
        return digest(Label.MESSAGE, self.payload)

    def bare(self) -> Message:
        """Return it without its bytes but with its hash, for who has checked and keeps them."""
        found = Message(self.seat, self.statement, b"", b"")
        object.__setattr__(found, "hash", self.hash)
        return found

    def verify(self, ids: Sequence[bytes]) -> None:
        """Verify the signature ([M-4]).

        Args:
            ids: The ids of the table's seats, 32 bytes each.

        Raises:
            Invalid: `bad-signature`.
        """
        label = KINDS[NUMBER[type(self.statement)]][1]
        identities.verify_signature(ids[self.seat], label, self.payload, self.signature)

    def encode(self) -> bytes:
        """The bytes that travel."""
        return codec.encode((self.payload, self.signature))

    @cached_property
    def identity(self) -> tuple[int, ...]:
        """A seat signs at most one statement per identity, ever ([M-5])."""
        return identity_of(self.seat, self.statement)


def identity_of(seat: int, statement: Statement) -> tuple[int, ...]:
    """(kind, seat, …) of a statement."""
    number = NUMBER[type(statement)]
    if isinstance(statement, StepInput):
        return (number, seat, statement.epoch, statement.step)
    if isinstance(statement, Rejoin):
        return (number, seat, statement.count)
    return (number, seat, statement.epoch)


# Statements to bytes, and back.

BAD: Final = "bad-message"
_ENVELOPE: Final = Fields(Octets(), Octets64)


def payload(table: bytes, seat: int, statement: Statement) -> bytes:
    """The bytes that are signed."""
    number = NUMBER[type(statement)]
    return codec.encode((number, table, seat, *_ROWS[number].write(statement)))


def sign(who: identities.Identity, table: bytes, seat: int, statement: Statement) -> Message:
    """A message of one's own."""
    data = payload(table, seat, statement)
    label = KINDS[NUMBER[type(statement)]][1]
    return Message(seat, statement, data, who.sign(label, data))


def read_payload(data: bytes, table: bytes, seats: int) -> tuple[int, Statement]:
    """(seat, statement) from signed bytes; Invalid('bad-message') or ('bad-encoding').

    SPEC: [M-2], [M-3], [X-2].
    """
    value = codec.decode(data, MAX_MESSAGE)
    number, where, seat = value[:3] if isinstance(value, tuple) and len(value) > 2 else (None,) * 3
    if type(number) is not int or number not in _ROWS or where != table:
        raise Invalid(BAD, "a message is of no known kind, or of another table")
    if type(seat) is not int or seat >= seats:
        raise Invalid(BAD, "a message is of no seat of this table")
    statement: Statement = codec.read(_ROWS[number], value, BAD, "a statement")
    return seat, statement


def parse(data: bytes, table: bytes, ids: Sequence[bytes]) -> Message:
    """A message from its bytes with its signature checked ([M-1], [M-4]).

    Raises Invalid: 'bad-encoding', 'bad-message' or 'bad-signature'; none of them says
    anything of the seat named in it, since anyone could have made the bytes.
    """
    message = read(data, table, len(ids))
    message.verify(ids)
    return message


def read(data: bytes, table: bytes, seats: int) -> Message:
    """Return a message from its bytes; `verify` has not been called.

    Raises:
        Invalid: `bad-encoding` or `bad-message`.
    """
    whole = codec.decode(data, MAX_MESSAGE)
    payload, signature = codec.read(_ENVELOPE, whole, BAD, "an envelope")
    seat, statement = read_payload(payload, table, seats)
    return Message(seat, statement, payload, signature)


def parse_parts(payload: bytes, signature: bytes, table: bytes, ids: Sequence[bytes]) -> Message:
    """A message from its payload and signature, as `parse` reads it from the bytes of both.

    Raises Invalid with the same codes.
    """
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
    table: bytes,
    ids: Sequence[bytes],
    check_proof: Checker = at_once,
) -> Message:
    """The message of a statement whose signature alone was passed on.

    Raises Invalid('bad-signature') where it is checked, unless the seat has signed it.
    """
    data, label = payload(table, seat, statement), KINDS[NUMBER[type(statement)]][1]
    check_proof(identities.verify_signature, ids[seat], label, data, signature)
    return Message(seat, statement, data, signature)
