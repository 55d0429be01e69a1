"""The first record of a journal: which table and seat it belongs to, and how to return there."""

from __future__ import annotations

from dataclasses import astuple, dataclass, field
from functools import cached_property
from typing import Any, Final

from protocol import Header, Invalid, codec, table_header

from .journal_format import MAX_RECORD

VERSION: Final = 1
"""The form of the record. A journal of another form is refused."""


class EarlierRecord(ValueError):
    """The record was written in the form of another version of this program."""


@dataclass(frozen=True)
class SeatRecord:
    """What a seat needs to return to its table.

    Attributes:
        header: The bytes of the table's header.
        seat: The number of the seat.
        seed: 32 bytes from which all secrets of the seat are derived.
        addresses: For each seat, where it could be dialled when the game began.
        listen: Where this node listened, as 'host:port'.
        relays: The relays at which it waited.
        started: When the game began, in Unix seconds.
        signature: The host's signature of the roster.
        secret: The secret of the ticket.
        is_open: Whether that secret was announced to the local network.
        hidden: Whether the seat dials by a proxy.
        watched: Whether onlookers are let in.
        relay_only: Whether the seat is reached, and dials, by relays alone.
    """

    header: bytes
    seat: int
    seed: bytes = field(repr=False)
    addresses: tuple[tuple[str, ...], ...]
    listen: str
    relays: tuple[str, ...]
    started: int
    signature: bytes
    secret: bytes = field(repr=False)
    is_open: bool
    hidden: bool
    watched: bool
    relay_only: bool

    @cached_property
    def table(self) -> Header:
        """The header of the table. Raises Invalid if it is malformed."""
        return table_header.parse_header(self.header)

    @property
    def key(self) -> bytes:
        """The public key of the seat."""
        return self.table.roster[self.seat].id

    def encode(self) -> bytes:
        """Return the bytes of the record."""
        return codec.encode((VERSION, *astuple(self)))


def decode_seat_record(data: bytes) -> SeatRecord:
    """Read a record that this program has written.

    Raises:
        EarlierRecord: If another version of this program has written it.
        Invalid: If it is no such record.
    """
    value: Any = codec.decode(data, MAX_RECORD)
    if not isinstance(value, tuple) or not value or type(value[0]) is not int:
        raise EarlierRecord
    if value[0] != VERSION:
        raise EarlierRecord
    try:
        found = SeatRecord(*value[1:])
        if not 0 <= found.seat < len(found.table.roster):
            raise Invalid("bad-header", "the record is of no seat of its table")
    except TypeError as error:
        raise Invalid("bad-header", "the record has other fields") from error
    return found
