"""The bodies of step inputs: the form of each kind, and how they are written and read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Final, TypeVar

from ..crypto import group
from ..errors import FieldPlace, Invalid, coded
from ..game_interface import Choice
from . import codec
from .codec import FieldForm, Int, Octets, Octets32, Octets64, Rows, Struct, WrongForm

T = TypeVar("T")
"""The class of a body."""

POINT: Final = 32
"""Bytes of a point."""
SCALAR: Final = 32
"""Bytes of a scalar."""
PROOF: Final = 64
"""Bytes of a proof that consists of two scalars."""
NONCE: Final = 32
"""Bytes of the nonce of a commitment."""
COIN: Final = "coin"
"""The kind of a sealed choice that is a seat's contribution to the random bytes of the deal."""
COIN_SIZE: Final = 32
"""Bytes of a seat's contribution to the random bytes of the deal."""
MAX_BODY: Final = 128 * 1024
"""The most bytes of a body."""
MAX_INTEGER: Final = 2**64 - 1
"""The highest number on the wire."""
EMPTY: Final = codec.encode(None)
"""The body of a seat that owes an input to a step, but nothing in it: the encoding of nil."""


@dataclass(frozen=True)
class KeyCommit:
    """The body of the step `key.commit`: the hash of the key vector, and the public X25519 key."""

    hash: Octets32
    box: Octets32


@dataclass(frozen=True)
class _Points(FieldForm[tuple[bytes, ...]]):
    """The form of a binary string that contains `count` points, one after the other."""

    count: int = 0

    def read(self, value: Any) -> tuple[bytes, ...]:
        """Return the points after decoding each."""
        data = Octets(self.count * POINT).read(value)
        try:
            return split(data)
        except Invalid as error:
            index = error.place.index if error.place else None
            raise WrongForm(error.reason, error.code, (index or 0,)) from error

    def write(self, value: tuple[bytes, ...]) -> bytes:
        """Return the points as one binary string."""
        return b"".join(value)


@dataclass(frozen=True)
class KeyReveal:
    """The body of the step `key.reveal`, in which a seat shows its keys and deals key shares.

    Attributes:
        vector: The points of the key vector. The first is the public key.
        key_shares: The encrypted key share for each seat, 80 bytes. It is empty for the seat
            itself.
    """

    vector: Annotated[tuple[bytes, ...], _Points()]
    proof: Octets64
    key_shares: Annotated[tuple[bytes, ...], Rows(bytes)]


@dataclass(frozen=True)
class SealBody:
    """The body with a sealed choice. The escrow is empty if the quorum is all seats."""

    commitment: Octets32
    escrow: bytes


@dataclass(frozen=True)
class Complaint:
    """The body of the step `key.ok` of a seat that got an invalid key share.

    Attributes:
        blamed: The seat that dealt the key share.
        secret: The secret X25519 key of the complaining seat, by which anybody can decrypt the
            share.
    """

    blamed: Annotated[int, Int(MAX_INTEGER)]
    secret: Octets32


@dataclass(frozen=True)
class ShuffleBody:
    """The body of the step `shuffle`, with 64 bytes of the shuffled deck for each card."""

    deck: bytes
    proof: bytes


@dataclass(frozen=True)
class Gather:
    """The body of a step in which cards or sealed choices are opened.

    Attributes:
        opening: The encoded choice and the nonce of the seat's own sealed choice, None if no
            opening is due.
        shares: A batch (`parse_batch`) of decryption shares made with the seat's own key.
        helps: For each absent seat, a batch of shares given in its place. They are made with the
            key share that the absent seat dealt to this seat.
        escrows: An escrow share for each sealed choice whose owner has been absent.
    """

    opening: Annotated[tuple[bytes, bytes], codec.Fields(bytes, Octets(NONCE))] | None = None
    shares: bytes = b""
    helps: Annotated[tuple[bytes, ...], Rows(bytes)] = ()
    escrows: Annotated[tuple[bytes, ...], Rows(Octets(POINT + PROOF))] = ()


@dataclass(frozen=True)
class ShowBody:
    """The body of the step `show`: an encoded choice, and a batch for hidden cards."""

    choice: bytes
    shares: bytes


Body = KeyCommit | KeyReveal | SealBody | Complaint | ShuffleBody | Gather | ShowBody


def encode_body(body: Body) -> bytes:
    """Return the bytes of a body."""
    return codec.encode(codec.form_of(type(body)).write(body))


BAD: Final = "bad-body"


def _decoded(data: bytes, most: int = MAX_BODY) -> Any:
    """Decode a body or a part of a body, of at most `most` bytes ([N-8])."""
    with coded(BAD):
        return codec.decode(data, most)


def _read(form: Struct[T] | type[T], value: Any) -> T:
    """Read a decoded value as a body. An error names the faulty field, and the index in it."""
    # The form of a class of bodies is a Struct, which the type of `form_of` does not say.
    struct: Struct[T] = codec.form_of(form)  # type: ignore[assignment]
    try:
        return codec.read(struct, value, BAD, "a body")
    except WrongForm as error:
        if error.path:
            at, *inner = error.path
            error.place = FieldPlace(tuple(struct.forms)[at], inner[0] if inner else None)
        raise


@lru_cache
def key_reveal_form(size: int, key_shares: int) -> Struct[KeyReveal]:
    """Return the form of a `KeyReveal` with a key vector of `size` points."""
    return Struct(KeyReveal, vector=_Points(size), key_shares=Rows(bytes, key_shares, key_shares))


@lru_cache
def shuffle_form(cards: int) -> Struct[ShuffleBody]:
    """Return the form of a `ShuffleBody`."""
    return Struct(ShuffleBody, deck=Octets(cards * 2 * POINT))


@lru_cache
def gather_form(helps: int, escrows: int) -> Struct[Gather]:
    """Return the form of a `Gather` for `helps` absent seats, with `escrows` escrow shares."""
    shares = Rows(Octets(POINT + PROOF), escrows, escrows)
    return Struct(Gather, helps=Rows(bytes, helps, helps), escrows=shares)


def parse(form: Struct[T] | type[T], body: bytes) -> T:
    """Decode the body of a step input, by its class or its form.

    Raises:
        Invalid: With code `bad-body`, or with the code of a field, if the body is too long or
            malformed.
    """
    return _read(form, _decoded(body))


def parse_key_ok(body: bytes) -> SealBody | Complaint:
    """Return a body of the step `key.ok`: a complaint, or the seat's sealed part of the coin.

    Raises:
        Invalid: With code `bad-body` if the body is neither.
    """
    value = _decoded(body)
    # The type, because True is an int to isinstance.
    is_complaint = isinstance(value, tuple) and value and type(value[0]) is int
    return _read(Complaint, value) if is_complaint else _read(SealBody, value)


def split(data: bytes) -> tuple[bytes, ...]:
    """Split a byte string into points, and check each of them.

    Raises:
        Invalid: With code `bad-point` for the first invalid point. The error names its index.
    """
    found: list[bytes] = []
    try:
        for start in range(0, len(data), POINT):
            found.append(group.decode_point(data[start : start + POINT]))
    except Invalid as error:
        error.place = FieldPlace("", len(found))  # The caller adds the name of the field.
        raise
    return tuple(found)


def parse_batch(data: bytes, count: int) -> tuple[tuple[bytes, ...], bytes]:
    """Split a batch into `count` decryption shares and their proof, and check points and scalars.

    A batch of no shares has no proof, and no bytes.

    Raises:
        Invalid: With code `bad-body`, `bad-point` or `bad-scalar`.
    """
    codec.read(Octets(count * POINT + PROOF if count else 0), data, BAD, "a batch")
    points, proof = split(data[: count * POINT]), data[count * POINT :]
    # Before the proof, which may be checked later: a malformed scalar has a code of its own.
    for start in range(0, len(proof), SCALAR):
        group.decode_scalar(proof[start : start + SCALAR])
    return points, proof


def encode_choice(choice: Choice) -> bytes:
    """Return the bytes of a choice of the game."""
    return codec.encode(choice)


def parse_choice(data: bytes, size: int) -> Choice:
    """Return a choice of the game, an int or a tuple of ints, from at most `size` bytes.

    Raises:
        Invalid: With code `bad-body` if the choice is too long or of another form.
    """
    number = Int(MAX_INTEGER)
    form = codec.Either(int, number, Rows(number))
    found: Choice = codec.read(form, _decoded(data, size), BAD, "a choice")
    return found
