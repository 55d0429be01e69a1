"""The signed messages of a table: their fields, and the one way from bytes to a message."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, TypeVar

from ..crypto import signing
from ..crypto.hashing import digest
from ..crypto.labels import Label
from ..errors import Invalid
from . import encoding

MAX_MESSAGE: Final = 256 * 1024
MAX_EPOCH: Final = 2**32 - 1
MAX_STEP: Final = 2**32 - 1
MAX_LIST: Final = 4096

Digest = bytes


@dataclass(frozen=True)
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

    def encode(self) -> bytes:
        """The bytes that travel."""
        return encoding.encode((self.payload, self.signature))

    @property
    def identity(self) -> tuple[int, ...]:
        """A seat signs at most one statement per identity, ever."""
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
    return encoding.encode((number, table, seat, *_fields(statement)))


def sign(who: signing.Identity, table: bytes, seat: int, statement: Statement) -> Message:
    """A message of one's own."""
    data = payload(table, seat, statement)
    label = KINDS[NUMBER[type(statement)]][1]
    return Message(seat, statement, data, who.sign(label, data))


# Bytes to statement. Every field is checked by one of these small readers.

T = TypeVar("T")


def _need(condition: bool, reason: str) -> None:
    if not condition:
        raise Invalid("bad-message", reason)


def _int(value: Any, high: int, low: int = 0) -> int:
    _need(type(value) is int and low <= value <= high, "an integer field is out of range")
    return int(value)


def _bytes(value: Any, size: int) -> bytes:
    _need(isinstance(value, bytes) and len(value) == size, f"a field has not {size} bytes")
    return bytes(value)


def _list(value: Any, high: int = MAX_LIST) -> Sequence[Any]:
    _need(isinstance(value, (tuple, list)) and len(value) <= high, "a list field is no short list")
    return tuple(value)


def _row(value: Any, size: int) -> Sequence[Any]:
    row = _list(value, size)
    _need(len(row) == size, f"a record has not {size} fields")
    return row


def _digests(value: Any) -> tuple[Digest, ...]:
    found = tuple(_bytes(v, 32) for v in _list(value))
    _need(list(found) == sorted(set(found)), "a list of hashes is not in rising order")
    return found


def _read_say(f: Sequence[Any]) -> Say:
    epoch, step, on, body = _row(f, 4)
    _need(isinstance(body, bytes), "a body is not bytes")
    return Say(_int(epoch, MAX_EPOCH), _int(step, MAX_STEP, 1), _bytes(on, 32), body)


def _read_vote(value: Any) -> tuple[int, bytes]:
    seat, signature = _row(value, 2)
    return _int(seat, 15), _bytes(signature, 64)


def _read_lock(value: Any) -> Lock | None:
    if value is None:
        return None
    epoch, base, sealed, votes = _row(value, 4)
    _need(isinstance(sealed, bool), "a lock's kind is not a bool")
    read = tuple(_read_vote(v) for v in _list(votes, 16))
    seats = [seat for seat, _ in read]
    _need(seats == sorted(set(seats)), "a lock's votes are not by rising seat")
    return Lock(_int(epoch, MAX_EPOCH, 1), _bytes(base, 32), sealed, read)


def _read_expired(value: Any) -> Expired | None:
    if value is None:
        return None
    epoch, step, on = _row(value, 3)
    return Expired(_int(epoch, MAX_EPOCH), _int(step, MAX_STEP, 1), _bytes(on, 32))


def _read_proof(value: Any) -> tuple[Digest, ...]:
    found = _digests(value)
    _need(1 <= len(found) <= 2, "a proof names one message or two")
    return found


def _read_halt(f: Sequence[Any]) -> Halt:
    epoch, lock, says, expired, backs, proofs = _row(f, 6)
    read = tuple(_read_proof(p) for p in _list(proofs, 64))
    _need(list(read) == sorted(set(read)), "a halt's proofs are not in rising order")
    return Halt(
        _int(epoch, MAX_EPOCH, 1),
        _read_lock(lock),
        _digests(says),
        _read_expired(expired),
        _digests(backs),
        read,
    )


def _read_close(f: Sequence[Any]) -> Close:
    epoch, halts = _row(f, 2)
    return Close(_int(epoch, MAX_EPOCH, 1), tuple(_bytes(h, 32) for h in _list(halts, 16)))


def _read_accept(f: Sequence[Any]) -> Accept:
    epoch, base = _row(f, 2)
    return Accept(_int(epoch, MAX_EPOCH, 1), _bytes(base, 32))


def _read_seal(f: Sequence[Any]) -> SealVote:
    epoch, base = _row(f, 2)
    return SealVote(_int(epoch, MAX_EPOCH, 1), _bytes(base, 32))


def _read_late(f: Sequence[Any]) -> Late:
    return Late(_int(_row(f, 1)[0], MAX_EPOCH, 1))


def _read_back(f: Sequence[Any]) -> Back:
    return Back(_int(_row(f, 1)[0], 255))


READERS: Final[dict[int, Callable[[Sequence[Any]], Statement]]] = {
    1: _read_say,
    2: _read_late,
    3: _read_halt,
    4: _read_close,
    5: _read_accept,
    6: _read_seal,
    7: _read_back,
}


def read_payload(data: bytes, table: bytes, seats: int) -> tuple[int, Statement]:
    """(seat, statement) from signed bytes; Invalid('bad-message') or ('bad-encoding')."""
    value = _list(encoding.decode(data, MAX_MESSAGE))
    _need(len(value) >= 3, "a message has too few fields")
    number = _int(value[0], max(READERS), 1)
    _need(value[1] == table, "the message is of another table")
    return _int(value[2], seats - 1), READERS[number](value[3:])


def parse(data: bytes, table: bytes, ids: Sequence[bytes]) -> Message:
    """A message from its bytes with its signature checked.

    Raises Invalid: 'bad-encoding', 'bad-message' or 'bad-signature'; none of them says
    anything of the seat named in it, since anyone could have made the bytes.
    """
    envelope = _row(encoding.decode(data, MAX_MESSAGE), 2)
    _need(isinstance(envelope[0], bytes), "the payload is not bytes")
    signature = _bytes(envelope[1], 64)
    seat, statement = read_payload(envelope[0], table, len(ids))
    label = KINDS[NUMBER[type(statement)]][1]
    signing.verify(ids[seat], label, envelope[0], signature)
    return Message(seat, statement, envelope[0], signature)
