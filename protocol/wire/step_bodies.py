"""The bodies of step inputs: their form per kind of step, to bytes and back."""

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

    hash: Octets32
    box: Octets32


@dataclass(frozen=True)
class _Points(FieldForm[tuple[bytes, ...]]):
    """So many points, one after the other."""

    count: int = 0

    def read(self, value: Any) -> tuple[bytes, ...]:
        """Return the points. Raises WrongForm for what is not of this form."""
        data = Octets(self.count * POINT).read(value)
        try:
            return split(data)
        except Invalid as error:
            index = error.place.index if error.place else None
            raise WrongForm(error.reason, error.code, (index or 0,)) from error

    def write(self, value: tuple[bytes, ...]) -> bytes:
        """Return the points as one string."""
        return b"".join(value)


@dataclass(frozen=True)
class KeyReveal:
    """The Feldman vector, the proof that its secret is known, and a sealed piece per seat."""

    vector: Annotated[tuple[bytes, ...], _Points()]
    proof: Octets64
    key_shares: Annotated[tuple[bytes, ...], Rows(bytes)]


@dataclass(frozen=True)
class SealBody:
    """A commitment to a choice, and its escrow (empty on a strict table)."""

    commitment: Octets32
    escrow: bytes


@dataclass(frozen=True)
class Complaint:
    """The piece of `blamed` does not fit; `secret` opens everything sealed to the complainer."""

    blamed: Annotated[int, Int(MAX_INTEGER)]
    secret: Octets32


@dataclass(frozen=True)
class ShuffleBody:
    """The shuffled deck, 64 bytes a card, and the proof."""

    deck: bytes
    proof: bytes


@dataclass(frozen=True)
class Gather:
    """What one seat gives in a step in which things are opened.

    `opening`: (choice bytes, nonce) of its own sealed choice; `shares`: points and one proof;
    `helps`: the same per absent seat, from its key shares; `escrows`: one share per lost choice.
    """

    opening: Annotated[tuple[bytes, bytes], codec.Fields(bytes, Octets(NONCE))] | None = None
    shares: bytes = b""
    helps: Annotated[tuple[bytes, ...], Rows(bytes)] = ()
    escrows: Annotated[tuple[bytes, ...], Rows(Octets(POINT + PROOF))] = ()


@dataclass(frozen=True)
class ShowBody:
    """The choice of a lone exhibitor and the shares of its hidden cards."""

    choice: bytes
    shares: bytes


Body = KeyCommit | KeyReveal | SealBody | Complaint | ShuffleBody | Gather | ShowBody


def encode_body(body: Body) -> bytes:
    """The bytes of a body."""
    return codec.encode(codec.form_of(type(body)).write(body))


BAD: Final = "bad-body"


def _decoded(data: bytes, most: int = MAX_BODY) -> Any:
    """The value of a body, or of a part of one, that is not too long ([N-8])."""
    with coded(BAD):
        return codec.decode(data, most)


def _read(form: Struct[T] | type[T], value: Any) -> T:
    """Read a body; an error names the field, and the item in it, that is of a wrong form."""
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
    """Return the form of [vector of `size` points, proof, `pieces` sealed pieces]."""
    return Struct(KeyReveal, vector=_Points(size), key_shares=Rows(bytes, key_shares, key_shares))


@lru_cache
def shuffle_form(cards: int) -> Struct[ShuffleBody]:
    """Return the form of [deck, proof]."""
    return Struct(ShuffleBody, deck=Octets(cards * 2 * POINT))


@lru_cache
def gather_form(helps: int, escrows: int) -> Struct[Gather]:
    """Return the form of [opening or nil, shares, helps, escrow shares]."""
    shares = Rows(Octets(POINT + PROOF), escrows, escrows)
    return Struct(Gather, helps=Rows(bytes, helps, helps), escrows=shares)


def parse(form: Struct[T] | type[T], body: bytes) -> T:
    """Return a body as its form says.

    Args:
        form: One of the forms of this file, or a class of bodies whose form follows from it alone.
        body: The bytes of the body.

    Raises:
        Invalid: If it is too long, or of another form ('bad-body', or the code of a field).
    """
    return _read(form, _decoded(body))


def parse_key_ok(body: bytes) -> SealBody | Complaint:
    """[commitment, escrow] or [blamed seat, secret]."""
    value = _decoded(body)
    is_complaint = isinstance(value, tuple) and value and type(value[0]) is int
    return _read(Complaint, value) if is_complaint else _read(SealBody, value)


def split(data: bytes) -> tuple[bytes, ...]:
    """Points one after the other, each decoded strictly."""
    found: list[bytes] = []
    try:
        for start in range(0, len(data), POINT):
            found.append(group.decode_point(data[start : start + POINT]))
    except Invalid as error:
        error.place = FieldPlace("", len(found))  # who knows the field names it
        raise
    return tuple(found)


def parse_batch(data: bytes, count: int) -> tuple[tuple[bytes, ...], bytes]:
    """`count` shares and their proof, two scalars; empty for none."""
    codec.read(Octets(count * POINT + PROOF if count else 0), data, BAD, "a batch")
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
    number = Int(MAX_INTEGER)
    form = codec.Either(int, number, Rows(number))
    found: Choice = codec.read(form, _decoded(data, size), BAD, "a choice")
    return found
