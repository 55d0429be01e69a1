"""The frames with which the seats of a table agree on another game."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any, Final

from protocol import (
    Identity,
    Invalid,
    Label,
    Table,
    Terms,
    Vouch,
    codec,
    digest,
    verify_signature,
)


def next_terms(table: Table) -> Terms:
    """The terms of the next table: those of this one, their nonce made from its id ([A-1])."""
    return replace(table.header.terms, nonce=digest(Label.NEXT_TABLE, table.id))


def is_next(terms: Terms, table: bytes) -> bool:
    """Whether these are the terms of the table that follows that one."""
    return terms.nonce == digest(Label.NEXT_TABLE, table)


@dataclass(frozen=True)
class Consent:
    """A seat of this table sits down at the next one.

    Attributes:
        table: The id of this table.
        entry: The seat's entry for the terms of the next table, as a plain value.
        vouch: The vouch for that entry, if the seat shows one.
    """

    table: codec.Octets32
    entry: Annotated[Any, codec.Fields(codec.Octets32, codec.ANY, codec.ANY, codec.ANY)]
    vouch: Vouch | None = None

    def encode(self) -> bytes:
        """The frame."""
        return codec.encode(FRAMES.write(self))


@dataclass(frozen=True)
class Decline:
    """A seat of this table does not sit down at the next one."""

    table: codec.Octets32
    id: codec.Octets32
    signature: codec.Octets64

    def encode(self) -> bytes:
        """The frame."""
        return codec.encode(FRAMES.write(self))

    def check(self) -> None:
        """Invalid unless this seat has signed it ([A-3])."""
        verify_signature(self.id, Label.NO_MORE, self.table, self.signature)


FRAMES: Final[codec.Kinds[Consent | Decline]] = codec.Kinds(
    {"again": (Consent, 1_024), "no-more": (Decline, 1_024)}
)


def refuse(table: bytes, who: Identity) -> Decline:
    """A refusal signed by its seat."""
    return Decline(table, who.public, who.sign(Label.NO_MORE, table))


def refuser_of(table: Table, data: bytes) -> int | None:
    """Return the seat that refused this table when its game was agreed on at the one before.

    Args:
        table: The table that is being set up.
        data: Any frame.

    Returns:
        The number of the seat that signed the refusal, or None if the frame is no refusal of this
        table ([A-8]).
    """
    try:
        word = parse_again(data)
        if isinstance(word, Consent) or not is_next(table.header.terms, word.table):
            return None
        word.check()
    except Invalid:
        return None
    return table.ids.index(word.id) if word.id in table.ids else None


def parse_again(data: bytes) -> Consent | Decline:
    """A consent or a refusal from its bytes; Invalid otherwise ([A-2], [A-3], [X-2])."""
    return FRAMES.parse(data, "a word on another game")
