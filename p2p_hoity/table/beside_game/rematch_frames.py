"""The frames with which the seats of a table agree on another game: consents and refusals."""

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
    """Return the terms of the next table of the same people ([A-1]).

    They are the terms of this table with a nonce that is made from the id of this table.
    """
    return replace(table.header.terms, nonce=digest(Label.NEXT_TABLE, table.id))


def is_next(terms: Terms, table: bytes) -> bool:
    """Return whether terms are those of a rematch: the next table after a given earlier table.

    Args:
        table: The id of the earlier table, 32 bytes.

    Returns:
        True if the nonce of the terms was made from this id.
    """
    return terms.nonce == digest(Label.NEXT_TABLE, table)


@dataclass(frozen=True)
class Consent:
    """The consent of a seat of this table to play at the next one.

    Attributes:
        table: The id of this table, 32 bytes.
        entry: The seat's signed entry for the roster of the next table (its key, nickname and
            nonce), as a plain value.
        vouch: The vouch for that entry, if the seat shows one: the signature of the player's
            long-lived key over the key of the seat.
    """

    table: codec.Octets32
    entry: Annotated[Any, codec.Fields(codec.Octets32, codec.ANY, codec.ANY, codec.ANY)]
    vouch: Vouch | None = None

    def encode(self) -> bytes:
        """Return the consent as a frame.

        Returns:
            The bytes of the frame `again`.
        """
        return codec.encode(FRAMES.write(self))


@dataclass(frozen=True)
class Decline:
    """The refusal of a seat of this table to play at the next one.

    Attributes:
        table: The id of this table, 32 bytes.
        id: The public key of the seat, 32 bytes.
        signature: The signature of the seat, 64 bytes.
    """

    table: codec.Octets32
    id: codec.Octets32
    signature: codec.Octets64

    def encode(self) -> bytes:
        """Return the refusal as a frame.

        Returns:
            The bytes of the frame `no-more`.
        """
        return codec.encode(FRAMES.write(self))

    def check(self) -> None:
        """Check the signature of the seat ([A-3]).

        Raises:
            Invalid: If the signature is invalid.
        """
        verify_signature(self.id, Label.NO_MORE, self.table, self.signature)


FRAMES: Final[codec.Kinds[Consent | Decline]] = codec.Kinds(
    {"again": (Consent, 1_024), "no-more": (Decline, 1_024)}
)


def refuse(table: bytes, who: Identity) -> Decline:
    """Make and sign a seat's refusal to play another game with the same people.

    Args:
        table: The id of this table, 32 bytes.
        who: The key of the seat.
    """
    return Decline(table, who.public, who.sign(Label.NO_MORE, table))


def refuser_of(table: Table, data: bytes) -> int | None:
    """Return the seat that signed a refusal of this rematch, if a frame contains one.

    Args:
        table: The table of the rematch, which is being set up.
        data: The bytes of any frame.

    Returns:
        The number of the seat. None if the frame is not a valid refusal by a seat, or if the
        refusal does not name the table that was played before this rematch ([A-8]).
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
    """Parse a consent or a refusal, without checking signatures ([A-2], [A-3], [X-2]).

    Raises:
        Invalid: If the bytes are neither.
    """
    return FRAMES.parse(data, "a word on another game")
