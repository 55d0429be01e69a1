"""Signed messages and their form (5)."""

from dataclasses import dataclass
from typing import Any

from . import constants as c
from .encoding import EncodingError, decode, digest, encode, is_array, is_bytes, is_int, is_rising
from .group import signature_is_valid
from .header import Header


class MessageError(Exception):
    """What a message is rejected with: `bad-encoding`, `bad-message` or `bad-signature`."""


@dataclass(frozen=True)
class Lock:
    """The base that a halt is locked on, with the votes that show it."""

    epoch: int
    base: bytes
    sealed: bool
    votes: tuple[tuple[int, bytes], ...]


@dataclass(frozen=True)
class Message:
    """A statement of a seat; fields that its kind does not have are None.

    Attributes:
        kind: the number of the kind.
        seat: who signed it.
        hash: by which other messages name it.
    """

    kind: int
    seat: int
    hash: bytes
    epoch: int | None = None
    step: int | None = None
    on: bytes | None = None
    body: bytes | None = None
    lock: Lock | None = None
    says: tuple[bytes, ...] = ()
    expired: tuple[int, int, bytes] | None = None
    backs: tuple[bytes, ...] = ()
    proofs: tuple[tuple[bytes, ...], ...] = ()
    halts: tuple[bytes, ...] = ()
    base: bytes | None = None
    count: int | None = None

    @property
    def identity(self) -> tuple[int, ...]:
        """What two different statements of one seat must not share (5, *Identities*)."""
        if self.kind == c.SAY:
            return (self.kind, self.seat, self.epoch, self.step)
        return (self.kind, self.seat, self.count if self.kind == c.BACK else self.epoch)

    @property
    def lock_epoch(self) -> int:
        """The epoch of a halt's lock, 0 without one."""
        return self.lock.epoch if self.lock else 0


def require(condition: bool) -> None:
    """Reject with `bad-message` unless a condition holds."""
    if not condition:
        raise MessageError("bad-message")


def is_epoch(value: Any, least: int = 1) -> bool:
    """Return whether a value is an epoch."""
    return is_int(value, least, c.MAX_EPOCH)


def is_hashes(value: Any, least: int, most: int) -> bool:
    """Return whether a value is a rising list of so many hashes."""
    if not is_array(value) or not least <= len(value) <= most:
        return False
    return all(is_bytes(item, 32) for item in value) and is_rising(value)


def read_lock(value: Any) -> Lock | None:
    """Return the lock of a halt."""
    if value is None:
        return None
    require(is_array(value, 4))
    epoch, base, sealed, votes = value
    require(is_epoch(epoch) and is_bytes(base, 32) and isinstance(sealed, bool))
    require(is_array(votes) and len(votes) <= 16)
    for vote in votes:
        require(is_array(vote, 2) and is_int(vote[0], 0, 15) and is_bytes(vote[1], 64))
    require(is_rising([vote[0] for vote in votes]))
    return Lock(epoch, base, sealed, tuple((seat, signature) for seat, signature in votes))


def read_halt(fields: list[Any]) -> dict[str, Any]:
    """Return the fields of a halt by name."""
    epoch, lock, says, expired, backs, proofs = fields
    require(is_epoch(epoch))
    read = read_lock(lock)
    require(is_hashes(says, 0, 4096))
    if expired is not None:
        require(is_array(expired, 3) and is_epoch(expired[0], 0))
        require(is_int(expired[1], 1, c.MAX_STEP) and is_bytes(expired[2], 32))
    require(is_hashes(backs, 0, 4096) and is_array(proofs) and len(proofs) <= 64)
    require(all(is_hashes(proof, 1, 2) for proof in proofs) and is_rising(proofs))
    return {
        "epoch": epoch,
        "lock": read,
        "says": tuple(says),
        "expired": None if expired is None else tuple(expired),
        "backs": tuple(backs),
        "proofs": tuple(tuple(proof) for proof in proofs),
    }


def read_fields(kind: int, fields: list[Any]) -> dict[str, Any]:
    """Return the fields of a payload by name, if they are within their bounds ([M-3])."""
    sizes = {c.SAY: 4, c.LATE: 1, c.HALT: 6, c.CLOSE: 2, c.ACCEPT: 2, c.SEAL: 2, c.BACK: 1}
    require(len(fields) == sizes[kind])
    if kind == c.HALT:
        return read_halt(fields)
    if kind == c.BACK:
        require(is_int(fields[0], 0, 255))
        return {"count": fields[0]}
    if kind == c.SAY:
        epoch, step, on, body = fields
        require(is_epoch(epoch, 0) and is_int(step, 1, c.MAX_STEP))
        require(is_bytes(on, 32) and is_bytes(body))
        return {"epoch": epoch, "step": step, "on": on, "body": body}
    require(is_epoch(fields[0]))
    if kind == c.LATE:
        return {"epoch": fields[0]}
    if kind == c.CLOSE:
        require(is_array(fields[1]) and len(fields[1]) <= 16)
        require(all(is_bytes(item, 32) for item in fields[1]))
        return {"epoch": fields[0], "halts": tuple(fields[1])}
    require(is_bytes(fields[1], 32))
    return {"epoch": fields[0], "base": fields[1]}


def decode_message(data: bytes) -> Any:
    """Return the value of bytes that have to decode (`bad-encoding`)."""
    try:
        return decode(data)
    except EncodingError as error:
        raise MessageError("bad-encoding") from error


def read_payload(payload: bytes, table: bytes, seats: int) -> Message:
    """Return the message of a payload whose signature is not looked at ([M-2], [M-3])."""
    value = decode_message(payload)
    require(is_array(value) and len(value) >= 3 and is_int(value[0], c.SAY, c.BACK))
    require(value[1] == table and is_int(value[2], 0, seats - 1))
    fields = read_fields(value[0], value[3:])
    return Message(value[0], value[2], digest("message", payload), **fields)


def read_message(envelope: bytes, table: bytes, ids: list[bytes]) -> Message:
    """Return the message that an envelope holds ([M-1] to [M-4]).

    Raises:
        MessageError: with the code of the first thing that is wrong.
    """
    if len(envelope) > c.MAX_MESSAGE:
        raise MessageError("bad-encoding")
    value = decode_message(envelope)
    require(is_array(value, 2) and is_bytes(value[0]) and is_bytes(value[1], 64))
    message = read_payload(value[0], table, len(ids))
    name = c.MESSAGE_LABELS[message.kind]
    if not signature_is_valid(name, ids[message.seat], value[0], value[1]):
        raise MessageError("bad-signature")
    return message


def payload_of(header: Header, kind: int, seat: int, *fields: Any) -> bytes:
    """Return the payload of a statement."""
    return encode([kind, header.table, seat, *fields])


def is_signed(header: Header, seat: int, payload: bytes, signature: bytes) -> bool:
    """Return whether a seat signed a payload, whose kind its second byte is."""
    name = c.MESSAGE_LABELS[payload[1]]
    return signature_is_valid(name, header.ids[seat], payload, signature)
