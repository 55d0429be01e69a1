"""The frames with which the seats of a table agree on another game: consents and refusals.

A frame names this table, the one that ends.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any, Final

from protocol import Identity, Invalid, Label, Table, Terms, Vouch, codec, digest, verify_signature


def next_terms(table: Table) -> Terms:
    """Return the terms of the next table, with a nonce made from the id of this table ([A-1])."""
    return replace(table.header.terms, nonce=digest(Label.NEXT_TABLE, table.id))


def is_next(terms: Terms, table: bytes) -> bool:
    """Return whether terms are those of the next table after the one with a given id."""
    return terms.nonce == digest(Label.NEXT_TABLE, table)


@dataclass(frozen=True)
class Consent:
    """The consent of a seat of this table to play at the next one.

    Attributes:
        entry: The seat's signed entry for the roster of the next table (its key, nickname and
            nonce), as a plain value.
        vouch: The vouch for that entry, if the seat shows one.
    """

    table: codec.Octets32
    entry: Annotated[Any, codec.Fields(codec.Octets32, codec.ANY, codec.ANY, codec.ANY)]
    vouch: Vouch | None = None

    def encode(self) -> bytes:
        """Return the frame `again`."""
        return codec.encode(FRAMES.write(self))


@dataclass(frozen=True)
class Decline:
    """The refusal of a seat of this table, named by its public key, to play at the next one."""

    table: codec.Octets32
    id: codec.Octets32
    signature: codec.Octets64

    def encode(self) -> bytes:
        """Return the frame `no-more`."""
        return codec.encode(FRAMES.write(self))

    def check(self) -> None:
        """Check the signature of the seat ([A-3])."""
        verify_signature(self.id, Label.NO_MORE, self.table, self.signature)


FRAMES: Final[codec.Kinds[Consent | Decline]] = codec.Kinds(
    {"again": (Consent, 1_024), "no-more": (Decline, 1_024)}
)


def refuse(table: bytes, who: Identity) -> Decline:
    """Make and sign a seat's refusal with the seat's key."""
    return Decline(table, who.public, who.sign(Label.NO_MORE, table))


def refuser_of(table: Table, data: bytes) -> int | None:
    """Return the number of the seat that refuses the rematch at this table by a valid frame.

    None also if the refusal names another table than the one before this rematch ([A-8]).
    """
    try:
        word = parse_again(data)
        # Before the costly signature: only a refusal of the former table concerns this one.
        if isinstance(word, Consent) or word.id not in table.ids:
            return None
        if not is_next(table.header.terms, word.table):
            return None
        word.check()
    except Invalid:
        return None
    return table.ids.index(word.id)


def parse_again(data: bytes) -> Consent | Decline:
    """Parse a consent or a refusal, without checking signatures ([A-2], [A-3], [X-2]).

    Raises:
        Invalid: If the bytes are neither.
    """
    return FRAMES.parse(data, "a word on another game")
