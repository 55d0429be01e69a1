"""Signed messages and their form (5)."""

from dataclasses import dataclass
from typing import Any

from . import constants as c
from .encoding import EncodingError, decode, digest, encode, is_array, is_bytes, is_int, is_rising
from .group import signature_is_valid
from .header import Header


class MessageError(Exception):
    """The code with which a message is rejected.

    It is `bad-encoding`, `bad-message` or `bad-signature`.
    """


@dataclass(frozen=True)
class QuorumCertificate:
    """The base for which an epoch promise shows the votes of a quorum, with these votes.

    Attributes:
        epoch: the epoch of the base.
        base: the digest of the base.
        is_committed: whether they are commit votes; otherwise they are prepare votes.
        votes: seat and signature of each vote, by rising seat.
    """

    epoch: int
    base: bytes
    is_committed: bool
    votes: tuple[tuple[int, bytes], ...]


@dataclass(frozen=True)
class Message:
    """A statement of a seat; fields that its kind does not have are None.

    Attributes:
        kind: the number of the kind.
        seat: who signed it.
        hash: the hash by which other messages name it.
    """

    kind: int
    seat: int
    hash: bytes
    epoch: int | None = None
    step: int | None = None
    on: bytes | None = None
    body: bytes | None = None
    certificate: QuorumCertificate | None = None
    inputs: tuple[bytes, ...] = ()
    timeout: tuple[int, int, bytes] | None = None
    rejoins: tuple[bytes, ...] = ()
    proofs: tuple[tuple[bytes, ...], ...] = ()
    promises: tuple[bytes, ...] = ()
    base: bytes | None = None
    count: int | None = None

    @property
    def identity(self) -> tuple[int, ...]:
        """The values that two different statements of one seat must not share (5, *Identities*)."""
        if self.kind == c.STEP_INPUT:
            return (self.kind, self.seat, self.epoch, self.step)
        return (self.kind, self.seat, self.count if self.kind == c.REJOIN else self.epoch)

    @property
    def certificate_epoch(self) -> int:
        """The epoch of the quorum certificate of an epoch promise, 0 without one."""
        return self.certificate.epoch if self.certificate else 0


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


def read_quorum_certificate(value: Any) -> QuorumCertificate | None:
    """Return the quorum certificate of an epoch promise."""
    if value is None:
        return None
    require(is_array(value, 4))
    epoch, base, is_committed, votes = value
    require(is_epoch(epoch) and is_bytes(base, 32) and isinstance(is_committed, bool))
    require(is_array(votes) and len(votes) <= 16)
    for vote in votes:
        require(is_array(vote, 2) and is_int(vote[0], 0, 15) and is_bytes(vote[1], 64))
    require(is_rising([vote[0] for vote in votes]))
    pairs = tuple((seat, signature) for seat, signature in votes)
    return QuorumCertificate(epoch, base, is_committed, pairs)


def read_promise(fields: list[Any]) -> dict[str, Any]:
    """Return the fields of an epoch promise by name."""
    epoch, certificate, inputs, timeout, rejoins, proofs = fields
    require(is_epoch(epoch))
    read = read_quorum_certificate(certificate)
    require(is_hashes(inputs, 0, 4096))
    if timeout is not None:
        require(is_array(timeout, 3) and is_epoch(timeout[0], 0))
        require(is_int(timeout[1], 1, c.MAX_STEP) and is_bytes(timeout[2], 32))
    require(is_hashes(rejoins, 0, 4096) and is_array(proofs) and len(proofs) <= 64)
    require(all(is_hashes(proof, 1, 2) for proof in proofs) and is_rising(proofs))
    return {
        "epoch": epoch,
        "certificate": read,
        "inputs": tuple(inputs),
        "timeout": None if timeout is None else tuple(timeout),
        "rejoins": tuple(rejoins),
        "proofs": tuple(tuple(proof) for proof in proofs),
    }


def read_fields(kind: int, fields: list[Any]) -> dict[str, Any]:
    """Return the fields of a payload by name, if they are within their bounds ([M-3])."""
    sizes = {
        c.STEP_INPUT: 4,
        c.EPOCH_REQUEST: 1,
        c.EPOCH_PROMISE: 6,
        c.NEW_EPOCH: 2,
        c.PREPARE: 2,
        c.COMMIT: 2,
        c.REJOIN: 1,
    }
    require(len(fields) == sizes[kind])
    if kind == c.EPOCH_PROMISE:
        return read_promise(fields)
    if kind == c.REJOIN:
        require(is_int(fields[0], 0, 255))
        return {"count": fields[0]}
    if kind == c.STEP_INPUT:
        epoch, step, on, body = fields
        require(is_epoch(epoch, 0) and is_int(step, 1, c.MAX_STEP))
        require(is_bytes(on, 32) and is_bytes(body))
        return {"epoch": epoch, "step": step, "on": on, "body": body}
    require(is_epoch(fields[0]))
    if kind == c.EPOCH_REQUEST:
        return {"epoch": fields[0]}
    if kind == c.NEW_EPOCH:
        require(is_array(fields[1]) and len(fields[1]) <= 16)
        require(all(is_bytes(item, 32) for item in fields[1]))
        return {"epoch": fields[0], "promises": tuple(fields[1])}
    require(is_bytes(fields[1], 32))
    return {"epoch": fields[0], "base": fields[1]}


def decode_message(data: bytes) -> Any:
    """Return the value of bytes that have to decode (`bad-encoding`)."""
    try:
        return decode(data)
    except EncodingError as error:
        raise MessageError("bad-encoding") from error


def read_payload(payload: bytes, table: bytes, seats: int) -> Message:
    """Return the message of a payload, without a check of its signature ([M-2], [M-3])."""
    value = decode_message(payload)
    require(is_array(value) and len(value) >= 3 and is_int(value[0], c.STEP_INPUT, c.REJOIN))
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
    """Return whether a seat signed a payload. The second byte of a payload is its kind."""
    name = c.MESSAGE_LABELS[payload[1]]
    return signature_is_valid(name, header.ids[seat], payload, signature)
