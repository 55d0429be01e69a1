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
"""The bytes of a point."""
SCALAR: Final = 32
"""The bytes of a scalar."""
PROOF: Final = 64
"""The bytes of a proof of two scalars."""
NONCE: Final = 32
"""The bytes of the nonce of a commitment."""
COIN: Final = "coin"
"""The kind of the choice that is a seat's part of the joint coin."""
COIN_SIZE: Final = 32
"""The bytes of a coin."""
MAX_BODY: Final = 128 * 1024
"""The most bytes of a body."""
MAX_INTEGER: Final = 2**64 - 1
"""The highest number on the wire."""
EMPTY: Final = codec.encode(None)
"""The body of a speaker that owes nothing."""


@dataclass(frozen=True)
class KeyCommit:
    """The body of `key.commit`.

    Attributes:
        hash: The hash of the key vector, 32 bytes.
        box: The public X25519 transport key, 32 bytes.
    """

    hash: Octets32
    box: Octets32


@dataclass(frozen=True)
class _Points(FieldForm[tuple[bytes, ...]]):
    """The form of a binary string that contains points, one after the other.

    Attributes:
        count: How many points there are.
    """

    count: int = 0

    def read(self, value: Any) -> tuple[bytes, ...]:
        """Return the points after decoding each.

        Args:
            value: A decoded value.

        Returns:
            The points, 32 bytes each.

        Raises:
            WrongForm: If it is no binary string of `count` points.
        """
        data = Octets(self.count * POINT).read(value)
        try:
            return split(data)
        except Invalid as error:
            index = error.place.index if error.place else None
            raise WrongForm(error.reason, error.code, (index or 0,)) from error

    def write(self, value: tuple[bytes, ...]) -> bytes:
        """Return the points as one binary string.

        Args:
            value: The points, 32 bytes each.

        Returns:
            The points, one after the other.
        """
        return b"".join(value)


@dataclass(frozen=True)
class KeyReveal:
    """The body of `key.reveal`.

    Attributes:
        vector: The points of the key vector, 32 bytes each. The first is the public key.
        proof: The proof that the secret key is known, 64 bytes.
        key_shares: The encrypted key share for each seat. It is empty for the seat itself.
    """

    vector: Annotated[tuple[bytes, ...], _Points()]
    proof: Octets64
    key_shares: Annotated[tuple[bytes, ...], Rows(bytes)]


@dataclass(frozen=True)
class SealBody:
    """The body with a sealed choice.

    Attributes:
        commitment: The commitment to the choice, 32 bytes.
        escrow: The escrow, which is empty on a strict table.
    """

    commitment: Octets32
    escrow: bytes


@dataclass(frozen=True)
class Complaint:
    """The body of `key.ok` of a seat that got an invalid key share.

    Attributes:
        blamed: The seat that dealt the key share.
        secret: The secret X25519 transport key of the complaining seat, 32 bytes, with which
            anybody can open the key share.
    """

    blamed: Annotated[int, Int(MAX_INTEGER)]
    secret: Octets32


@dataclass(frozen=True)
class ShuffleBody:
    """The body of `shuffle`.

    Attributes:
        deck: The shuffled deck, 64 bytes for each card.
        proof: The proof of the shuffle.
    """

    deck: bytes
    proof: bytes


@dataclass(frozen=True)
class Gather:
    """The body of a step in which things are opened.

    Attributes:
        opening: The encoded choice and the nonce of the own sealed choice, None if none is due.
        shares: The own decryption shares and their proof.
        helps: For each absent seat its decryption shares and their proof, made with a key share.
        escrows: An escrow share for each lost choice, 96 bytes each.
    """

    opening: Annotated[tuple[bytes, bytes], codec.Fields(bytes, Octets(NONCE))] | None = None
    shares: bytes = b""
    helps: Annotated[tuple[bytes, ...], Rows(bytes)] = ()
    escrows: Annotated[tuple[bytes, ...], Rows(Octets(POINT + PROOF))] = ()


@dataclass(frozen=True)
class ShowBody:
    """The body of `show`.

    Attributes:
        choice: The encoded choice.
        shares: The decryption shares of the hidden cards that it shows, and their proof.
    """

    choice: bytes
    shares: bytes


Body = KeyCommit | KeyReveal | SealBody | Complaint | ShuffleBody | Gather | ShowBody


def encode_body(body: Body) -> bytes:
    """Return the bytes of a body.

    Args:
        body: The body.

    Returns:
        Its one encoding.
    """
    return codec.encode(codec.form_of(type(body)).write(body))


BAD: Final = "bad-body"


def _decoded(data: bytes, most: int = MAX_BODY) -> Any:
    """Return the value of a body, or of a part of one, of at most so many bytes ([N-8])."""
    with coded(BAD):
        return codec.decode(data, most)


def _read(form: Struct[T] | type[T], value: Any) -> T:
    """Return a body of this form. An error names the malformed field, and the item in it."""
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
    """Return the form of the body of `key.reveal`.

    Args:
        size: The number of points of the key vector.
        key_shares: The number of encrypted key shares.

    Returns:
        The form.
    """
    return Struct(KeyReveal, vector=_Points(size), key_shares=Rows(bytes, key_shares, key_shares))


@lru_cache
def shuffle_form(cards: int) -> Struct[ShuffleBody]:
    """Return the form of the body of `shuffle`.

    Args:
        cards: The number of cards of the deck.

    Returns:
        The form.
    """
    return Struct(ShuffleBody, deck=Octets(cards * 2 * POINT))


@lru_cache
def gather_form(helps: int, escrows: int) -> Struct[Gather]:
    """Return the form of the body of a step in which things are opened.

    Args:
        helps: The number of absent seats for which shares are due.
        escrows: The number of escrow shares that are due.

    Returns:
        The form.
    """
    shares = Rows(Octets(POINT + PROOF), escrows, escrows)
    return Struct(Gather, helps=Rows(bytes, helps, helps), escrows=shares)


def parse(form: Struct[T] | type[T], body: bytes) -> T:
    """Return a body from its bytes.

    Args:
        form: One of the forms of this module, or a class of bodies whose form follows from it
            alone.
        body: The bytes of the body.

    Returns:
        The body.

    Raises:
        Invalid: With code `bad-body`, or that of a field, if it is too long or malformed.
    """
    return _read(form, _decoded(body))


def parse_key_ok(body: bytes) -> SealBody | Complaint:
    """Return a body of `key.ok` from its bytes.

    Args:
        body: The bytes of the body.

    Returns:
        A complaint if the first item is an int, else a sealed coin.

    Raises:
        Invalid: With code `bad-body` if it is neither.
    """
    value = _decoded(body)
    is_complaint = isinstance(value, tuple) and value and type(value[0]) is int
    return _read(Complaint, value) if is_complaint else _read(SealBody, value)


def split(data: bytes) -> tuple[bytes, ...]:
    """Return the points of a byte string after decoding each.

    Args:
        data: The points, one after the other.

    Returns:
        The points, 32 bytes each.

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
    """Return the decryption shares of a batch and their proof, after decoding points and scalars.

    Args:
        data: The bytes of the batch.
        count: The number of shares.

    Returns:
        The points, 32 bytes each, and the proof, 64 bytes. Both are empty for no shares.

    Raises:
        Invalid: With code `bad-body`, `bad-point` or `bad-scalar`.
    """
    codec.read(Octets(count * POINT + PROOF if count else 0), data, BAD, "a batch")
    points, proof = split(data[: count * POINT]), data[count * POINT :]
    for start in range(0, len(proof), SCALAR):
        group.decode_scalar(proof[start : start + SCALAR])
    return points, proof


def encode_choice(choice: Choice) -> bytes:
    """Return the bytes of a choice of the game.

    Args:
        choice: The choice.

    Returns:
        Its one encoding.
    """
    return codec.encode(choice)


def parse_choice(data: bytes, size: int) -> Choice:
    """Return a choice of the game from its bytes.

    Args:
        data: The bytes.
        size: How many bytes it may have.

    Returns:
        An int or a tuple of ints.

    Raises:
        Invalid: With code `bad-body` if it is too long or of another form.
    """
    number = Int(MAX_INTEGER)
    form = codec.Either(int, number, Rows(number))
    found: Choice = codec.read(form, _decoded(data, size), BAD, "a choice")
    return found
