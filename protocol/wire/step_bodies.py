"""The bodies of says: their form per kind of step, to bytes and back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from ..crypto import group
from ..errors import Invalid, Place, within
from ..game import Choice
from . import codec
from .codec import Raw, WrongForm

POINT: Final = 32
SCALAR: Final = 32
PROOF: Final = 64
NONCE: Final = 32
COIN: Final = "coin"
COIN_SIZE: Final = 32
MAX_BODY: Final = 128 * 1024
MAX_INTEGER: Final = 2**64 - 1
EMPTY: Final = codec.encode(None)
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
    return codec.encode(_value(body))


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


BAD: Final = "bad-body"


def _row(body: bytes, *names: str) -> tuple[Raw, ...]:
    """The fields of a body that is not too long ([N-8])."""
    try:
        value = codec.decode(body, MAX_BODY)
    except Invalid as error:
        raise Invalid(BAD, error.reason) from error
    return Raw(value, BAD, "a body").row(*names)


@contextmanager
def _fields(*names: str) -> Iterator[None]:
    """Name the field, and the item in it, that the path of a wrong form leads to."""
    try:
        yield
    except WrongForm as error:
        if error.path:
            at, *inner = error.path
            error.place = Place(names[at], inner[0] if inner else None)
        raise


def parse_key_commit(body: bytes) -> KeyCommit:
    """[hash, transport key]."""
    key_hash, box = _row(body, "the hash", "the transport key")
    with _fields("hash", "box"):
        return KeyCommit(key_hash.octets(32), box.octets(32))


def parse_key_reveal(body: bytes, size: int, pieces: int) -> KeyReveal:
    """[vector of `size` points, proof, `pieces` sealed pieces]."""
    vector, proof, sealed = _row(body, "the vector", "the proof", "the pieces")
    with _fields("vector", "proof", "pieces"):
        with within("vector"):
            points = split(vector.octets(size * POINT))
        read = tuple(piece.octets() for piece in sealed.exactly(pieces, "a piece"))
        return KeyReveal(points, proof.octets(PROOF), read)


def parse_key_ok(body: bytes) -> SealBody | Complaint:
    """[commitment, escrow] or [blamed seat, secret]."""
    first, second = _row(body, "the commitment", "the escrow or secret")
    if type(first.value) is int:
        with _fields("blamed", "secret"):
            return Complaint(first.value, second.octets(32))
    return _read_seal(first, second)


def parse_seal(body: bytes) -> SealBody:
    """[commitment, escrow]."""
    return _read_seal(*_row(body, "the commitment", "the escrow"))


def _read_seal(commitment: Raw, escrow: Raw) -> SealBody:
    with _fields("commitment", "escrow"):
        return SealBody(commitment.octets(32), escrow.octets())


def parse_shuffle(body: bytes, cards: int) -> ShuffleBody:
    """[deck, proof]."""
    deck, proof = _row(body, "the deck", "the proof")
    with _fields("deck", "proof"):
        return ShuffleBody(deck.octets(cards * 2 * POINT), proof.octets())


def parse_gather(body: bytes, helps: int, escrows: int) -> Gather:
    """[opening or nil, shares, helps, escrow shares]."""
    opening, shares, given, keys = _row(body, "the opening", "the shares", "the helps", "the keys")
    with _fields("opening", "shares", "helps", "escrows"):
        return Gather(
            None if opening.value is None else _read_opening(opening),
            shares.octets(),
            tuple(one.octets() for one in given.exactly(helps, "a help")),
            tuple(one.octets(POINT + PROOF) for one in keys.exactly(escrows, "an escrow share")),
        )


def _read_opening(raw: Raw) -> tuple[bytes, bytes]:
    choice, nonce = raw.row("the choice", "the nonce")
    return choice.octets(), nonce.octets(NONCE)


def parse_show(body: bytes) -> ShowBody:
    """[choice, shares]."""
    choice, shares = _row(body, "the choice", "the shares")
    with _fields("choice", "shares"):
        return ShowBody(choice.octets(), shares.octets())


def split(data: bytes) -> tuple[bytes, ...]:
    """Points one after the other, each decoded strictly."""
    found: list[bytes] = []
    try:
        for start in range(0, len(data), POINT):
            found.append(group.decode_point(data[start : start + POINT]))
    except Invalid as error:
        error.place = Place("", len(found))  # who knows the field names it
        raise
    return tuple(found)


def parse_batch(data: bytes, count: int) -> tuple[tuple[bytes, ...], bytes]:
    """`count` shares and their proof, two scalars; empty for none."""
    Raw(data, BAD, "a batch").octets(count * POINT + PROOF if count else 0)
    points, proof = split(data[: count * POINT]), data[count * POINT :]
    for start in range(0, len(proof), SCALAR):
        group.decode_scalar(proof[start : start + SCALAR])
    return points, proof


def encode_choice(choice: Choice) -> bytes:
    """The bytes of a game's choice."""
    return codec.encode(choice)


def parse_choice(data: bytes, size: int) -> Choice:
    """A game's choice: an int or a list of ints, at most `size` bytes.

    Raises Invalid('bad-body').
    """
    try:
        value = codec.decode(data, size)
    except Invalid as error:
        raise Invalid(BAD, f"a choice does not decode: {error.reason}") from error
    if type(value) is int:
        return value
    items = Raw(value, BAD, "a choice").items("a number of a choice")
    return tuple(item.integer(MAX_INTEGER) for item in items)
