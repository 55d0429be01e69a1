"""The bodies of says: their form per kind of step, to bytes and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from ..crypto import group
from ..errors import Invalid
from ..game import Choice
from . import encoding

POINT: Final = 32
SCALAR: Final = 32
PROOF: Final = 64
NONCE: Final = 32
COIN: Final = "coin"
COIN_SIZE: Final = 32
MAX_BODY: Final = 128 * 1024
EMPTY: Final = encoding.encode(None)
"""The body of who owes nothing."""


@dataclass(frozen=True)
class KeyCommit:
    """The hash of a Feldman vector, and a transport key."""

    hash: bytes
    box: bytes


@dataclass(frozen=True)
class KeyReveal:
    """The Feldman vector, the proof that its secret is known, and a sealed piece per seat."""

    vector: tuple[bytes, ...]
    proof: bytes
    pieces: tuple[bytes, ...]


@dataclass(frozen=True)
class SealBody:
    """A commitment to a choice, and its escrow (empty on a strict table)."""

    commitment: bytes
    escrow: bytes


@dataclass(frozen=True)
class Complaint:
    """The piece of `blamed` does not fit; `secret` opens everything sealed to the complainer."""

    blamed: int
    secret: bytes


@dataclass(frozen=True)
class ShuffleBody:
    """The shuffled deck, 64 bytes a card, and the proof."""

    deck: bytes
    proof: bytes


@dataclass(frozen=True)
class Gather:
    """What one seat gives in a step in which things are opened.

    `opening`: (choice bytes, nonce) of its own sealed choice; `shares`: points and one proof;
    `helps`: the same per absent seat, from backup; `escrows`: one share per lost choice.
    """

    opening: tuple[bytes, bytes] | None = None
    shares: bytes = b""
    helps: tuple[bytes, ...] = ()
    escrows: tuple[bytes, ...] = ()


@dataclass(frozen=True)
class ShowBody:
    """The choice of a lone exhibitor and the shares of its hidden cards."""

    choice: bytes
    shares: bytes


Body = KeyCommit | KeyReveal | SealBody | Complaint | ShuffleBody | Gather | ShowBody


def encode_body(body: Body) -> bytes:
    """The bytes of a body."""
    return encoding.encode(_value(body))


def _value(body: Body) -> Any:
    match body:
        case KeyCommit(key_hash, box):
            return (key_hash, box)
        case KeyReveal(vector, proof, pieces):
            return (b"".join(vector), proof, pieces)
        case SealBody(commitment, escrow):
            return (commitment, escrow)
        case Complaint(blamed, secret):
            return (blamed, secret)
        case ShuffleBody(deck, proof):
            return (deck, proof)
        case Gather(opening, shares, helps, escrows):
            return (opening, shares, helps, escrows)
        case ShowBody(choice, shares):
            return (choice, shares)


def _need(condition: bool, reason: str) -> None:
    if not condition:
        raise Invalid("bad-body", reason)


def _row(body: bytes, size: int) -> tuple[Any, ...]:
    try:
        value = encoding.decode(body, MAX_BODY)
    except Invalid as error:
        raise Invalid("bad-body", error.reason) from error
    _need(isinstance(value, (tuple, list)), "a body is not a list")
    _need(len(value) == size, f"a body has not {size} fields")
    return tuple(value)


def _bytes(value: Any, size: int | None = None) -> bytes:
    _need(isinstance(value, bytes), "a field is not bytes")
    _need(size is None or len(value) == size, f"a field has not {size} bytes")
    return bytes(value)


def _list(value: Any, size: int) -> tuple[Any, ...]:
    _need(isinstance(value, (tuple, list)) and len(value) == size, f"a list has not {size} items")
    return tuple(value)


def parse_key_commit(body: bytes) -> KeyCommit:
    """[hash, transport key]."""
    key_hash, box = _row(body, 2)
    return KeyCommit(_bytes(key_hash, 32), _bytes(box, 32))


def parse_key_reveal(body: bytes, size: int, pieces: int) -> KeyReveal:
    """[vector of `size` points, proof, `pieces` sealed pieces]."""
    vector, proof, sealed = _row(body, 3)
    points = split(_bytes(vector, size * POINT))
    read = tuple(_bytes(piece) for piece in _list(sealed, pieces))
    return KeyReveal(points, _bytes(proof, PROOF), read)


def parse_key_ok(body: bytes) -> SealBody | Complaint:
    """[commitment, escrow] or [blamed seat, secret]."""
    first, second = _row(body, 2)
    if type(first) is int:
        return Complaint(first, _bytes(second, 32))
    return SealBody(_bytes(first, 32), _bytes(second))


def parse_seal(body: bytes) -> SealBody:
    """[commitment, escrow]."""
    commitment, escrow = _row(body, 2)
    return SealBody(_bytes(commitment, 32), _bytes(escrow))


def parse_shuffle(body: bytes, cards: int) -> ShuffleBody:
    """[deck, proof]."""
    deck, proof = _row(body, 2)
    return ShuffleBody(_bytes(deck, cards * 2 * POINT), _bytes(proof))


def parse_gather(body: bytes, helps: int, escrows: int) -> Gather:
    """[opening or nil, shares, helps, escrow shares]."""
    opening, shares, given, keys = _row(body, 4)
    read: tuple[bytes, bytes] | None = None
    if opening is not None:
        choice, nonce = _list(opening, 2)
        read = (_bytes(choice), _bytes(nonce, NONCE))
    return Gather(
        read,
        _bytes(shares),
        tuple(_bytes(h) for h in _list(given, helps)),
        tuple(_bytes(k, POINT + PROOF) for k in _list(keys, escrows)),
    )


def parse_show(body: bytes) -> ShowBody:
    """[choice, shares]."""
    choice, shares = _row(body, 2)
    return ShowBody(_bytes(choice), _bytes(shares))


def split(data: bytes) -> tuple[bytes, ...]:
    """Points one after the other, each decoded strictly."""
    parts = (data[i : i + POINT] for i in range(0, len(data), POINT))
    return tuple(group.decode_point(part) for part in parts)


def parse_batch(data: bytes, count: int) -> tuple[tuple[bytes, ...], bytes]:
    """`count` shares and their proof, two scalars; empty for none."""
    _need(len(data) == (count * POINT + PROOF if count else 0), "a batch has another number")
    points, proof = split(data[: count * POINT]), data[count * POINT :]
    for start in range(0, len(proof), SCALAR):
        group.decode_scalar(proof[start : start + SCALAR])
    return points, proof


def encode_choice(choice: Choice) -> bytes:
    """The bytes of a game's choice."""
    return encoding.encode(choice)


def parse_choice(data: bytes, size: int) -> Choice:
    """A game's choice: an int or a list of ints, at most `size` bytes."""
    try:
        value = encoding.decode(data, size)
    except Invalid as error:
        raise Invalid("bad-body", f"a choice does not decode: {error.reason}") from error
    if type(value) is int:
        return value
    _need(isinstance(value, (tuple, list)), "a choice is no int and no list")
    _need(all(type(item) is int for item in value), "a choice holds what is no int")
    return tuple(value)
