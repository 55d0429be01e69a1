"""The signed messages of a table: their fields, and the one way from bytes to a message."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from ..bounds import Quota
from ..crypto import identities
from ..crypto.hashing import Label, digest
from ..errors import Invalid
from . import codec
from .codec import Raw

MAX_MESSAGE: Final = 256 * 1024
MAX_EPOCH: Final = 2**32 - 1
MAX_STEP: Final = 2**32 - 1
MAX_LIST: Final = 4096
MAX_BACK: Final[Quota] = 255
"""The highest count of absences after which a seat may come back."""

Digest = bytes


@dataclass(frozen=True, slots=True)
class Say:
    """My move in `step`, standing in `epoch` on the chain with digest `on`."""

    epoch: int
    step: int
    on: Digest
    body: bytes


@dataclass(frozen=True)
class Late:
    """I wish this epoch."""

    epoch: int


@dataclass(frozen=True)
class Lock:
    """The highest epoch with t votes I hold: its base's digest and (seat, signature) of each."""

    epoch: int
    base: Digest
    sealed: bool
    votes: tuple[tuple[int, bytes], ...]


@dataclass(frozen=True)
class Expired:
    """At this step of this epoch my patience ran out."""

    epoch: int
    step: int
    on: Digest


@dataclass(frozen=True)
class Halt:
    """I sign nothing of a lower epoch any more; what I hold is named by message hash."""

    epoch: int
    lock: Lock | None
    says: tuple[Digest, ...]
    expired: Expired | None
    backs: tuple[Digest, ...]
    proofs: tuple[tuple[Digest, ...], ...]


@dataclass(frozen=True)
class Close:
    """The proposed base of `epoch`: the halts it follows from, by message hash."""

    epoch: int
    halts: tuple[Digest, ...]


@dataclass(frozen=True)
class Accept:
    """First vote for a base."""

    epoch: int
    base: Digest


@dataclass(frozen=True)
class SealVote:
    """Second vote: I hold t accepts of this base."""

    epoch: int
    base: Digest


@dataclass(frozen=True)
class Back:
    """Having been absent `count` times I want in again."""

    count: int


Statement = Say | Late | Halt | Close | Accept | SealVote | Back

KINDS: Final[dict[int, tuple[type[Any], Label]]] = {
    1: (Say, Label.SAY),
    2: (Late, Label.LATE),
    3: (Halt, Label.HALT),
    4: (Close, Label.CLOSE),
    5: (Accept, Label.ACCEPT),
    6: (SealVote, Label.SEAL),
    7: (Back, Label.BACK),
}
NUMBER: Final = {cls: number for number, (cls, _) in KINDS.items()}


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
    if isinstance(statement, Say):
        return (number, seat, statement.epoch, statement.step)
    if isinstance(statement, Back):
        return (number, seat, statement.count)
    return (number, seat, statement.epoch)


# Statement to plain fields.


def _lock_value(lock: Lock | None) -> Any:
    return None if lock is None else (lock.epoch, lock.base, lock.sealed, lock.votes)


def _fields(statement: Statement) -> tuple[Any, ...]:
    match statement:
        case Say(epoch, step, on, body):
            return (epoch, step, on, body)
        case Halt(epoch, lock, says, expired, backs, proofs):
            when = None if expired is None else (expired.epoch, expired.step, expired.on)
            return (epoch, _lock_value(lock), says, when, backs, proofs)
        case Close(epoch, halts):
            return (epoch, halts)
        case Accept(epoch, base) | SealVote(epoch, base):
            return (epoch, base)
        case Late(epoch):
            return (epoch,)
        case Back(count):
            return (count,)


def payload(table: bytes, seat: int, statement: Statement) -> bytes:
    """The bytes that are signed."""
    number = NUMBER[type(statement)]
    return codec.encode((number, table, seat, *_fields(statement)))


def sign(who: identities.Identity, table: bytes, seat: int, statement: Statement) -> Message:
    """A message of one's own."""
    data = payload(table, seat, statement)
    label = KINDS[NUMBER[type(statement)]][1]
    return Message(seat, statement, data, who.sign(label, data))


# Bytes to statement.

BAD: Final = "bad-message"


def _epoch(raw: Raw, low: int = 1) -> int:
    return raw.integer(MAX_EPOCH, low)


def _digests(raw: Raw) -> tuple[Digest, ...]:
    return raw.rising(raw.hashes(32, MAX_LIST))


def _read_say(raw: Raw) -> Say:
    epoch, step, on, body = raw.row("the epoch", "the step", "the chain", "the body")
    return Say(_epoch(epoch, 0), step.integer(MAX_STEP, 1), on.octets(32), body.octets())


def _read_vote(raw: Raw) -> tuple[int, bytes]:
    seat, signature = raw.row("a vote's seat", "a vote's signature")
    return seat.integer(15), signature.octets(64)


def _read_lock(raw: Raw) -> Lock | None:
    if raw.value is None:
        return None
    epoch, base, sealed, votes = raw.row("its epoch", "its base", "its kind", "its votes")
    read = tuple(_read_vote(vote) for vote in votes.items("a vote", 16))
    votes.rising([seat for seat, _ in read])
    return Lock(_epoch(epoch), base.octets(32), sealed.flag(), read)


def _read_expired(raw: Raw) -> Expired | None:
    if raw.value is None:
        return None
    epoch, step, on = raw.row("its epoch", "its step", "its chain")
    return Expired(_epoch(epoch, 0), step.integer(MAX_STEP, 1), on.octets(32))


def _read_proof(raw: Raw) -> tuple[Digest, ...]:
    found = _digests(raw)
    raw.need(1 <= len(found) <= 2, "names not one message or two")
    return found


def _read_halt(raw: Raw) -> Halt:
    epoch, lock, says, expired, backs, proofs = raw.row(
        "the epoch", "the lock", "its says", "when it expired", "its backs", "its proofs"
    )
    read = proofs.rising([_read_proof(proof) for proof in proofs.items("a proof", 64)])
    return Halt(
        _epoch(epoch),
        _read_lock(lock),
        _digests(says),
        _read_expired(expired),
        _digests(backs),
        read,
    )


def _read_close(raw: Raw) -> Close:
    epoch, halts = raw.row("the epoch", "its halts")
    return Close(_epoch(epoch), halts.hashes(32, 16))


def _read_accept(raw: Raw) -> Accept:
    epoch, base = raw.row("the epoch", "the base")
    return Accept(_epoch(epoch), base.octets(32))


def _read_seal(raw: Raw) -> SealVote:
    epoch, base = raw.row("the epoch", "the base")
    return SealVote(_epoch(epoch), base.octets(32))


def _read_late(raw: Raw) -> Late:
    (epoch,) = raw.row("the epoch")
    return Late(_epoch(epoch))


def _read_back(raw: Raw) -> Back:
    (count,) = raw.row("the count")
    return Back(count.integer(MAX_BACK))


READERS: Final[dict[int, Callable[[Raw], Statement]]] = {
    1: _read_say,
    2: _read_late,
    3: _read_halt,
    4: _read_close,
    5: _read_accept,
    6: _read_seal,
    7: _read_back,
}
LAST_KIND: Final = max(READERS)


def read_payload(data: bytes, table: bytes, seats: int) -> tuple[int, Statement]:
    """(seat, statement) from signed bytes; Invalid('bad-message') or ('bad-encoding').

    SPEC: [M-2], [M-3], [X-2].
    """
    whole = Raw(codec.decode(data, MAX_MESSAGE), BAD, "a message")
    kind, where, who = whole.start("its kind", "its table", "its seat", most=MAX_LIST)
    number = kind.integer(LAST_KIND, 1)
    whole.need(where.value == table, "is of another table")
    said = Raw(whole.value[3:], BAD, "a statement")
    return who.integer(seats - 1), READERS[number](said)


def parse(data: bytes, table: bytes, ids: Sequence[bytes]) -> Message:
    """A message from its bytes with its signature checked ([M-1], [M-4]).

    Raises Invalid: 'bad-encoding', 'bad-message' or 'bad-signature'; none of them says
    anything of the seat named in it, since anyone could have made the bytes.
    """
    envelope = Raw(codec.decode(data, MAX_MESSAGE), BAD, "an envelope")
    first, second = envelope.row("the payload", "the signature")
    return parse_parts(first.octets(), second.octets(64), table, ids)


def parse_parts(payload: bytes, signature: bytes, table: bytes, ids: Sequence[bytes]) -> Message:
    """A message from its payload and signature, as `parse` reads it from the bytes of both.

    Raises Invalid with the same codes.
    """
    if codec.size((payload, signature)) > MAX_MESSAGE:
        raise Invalid("bad-encoding", f"more than {MAX_MESSAGE} bytes")
    seat, statement = read_payload(payload, table, len(ids))
    label = KINDS[NUMBER[type(statement)]][1]
    identities.verify_signature(ids[seat], label, payload, signature)
    return Message(seat, statement, payload, signature)
