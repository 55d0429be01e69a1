"""The bytes of a journal: its first record, records that are chained and keyed, and its mark.

The first record says which table and seat the journal belongs to, and how to return there.

Under a passphrase the key is Argon2id's (RFC 9106). A record is then encrypted with
XChaCha20-Poly1305 (PyNaCl), bound to its number and to the check of all before it. Every check is
an HMAC (RFC 2104) with that key. So no record can be taken out, moved, or brought from another
journal: the check behind it fails, and whatever stood there does not count. Only the mark can tell
what is cut off at the end.
"""

from __future__ import annotations

import hmac
import os
from dataclasses import dataclass, field
from functools import cached_property
from io import BytesIO
from typing import Annotated, Any, Final

from nacl.exceptions import CryptoError
from nacl.secret import Aead

from protocol import Header, Identity, Invalid, Vouch, codec, table_header

from .file_store import StoredFile
from .player_key import PLAIN, SALT_SIZE, SEALED, VaultCode, VaultError, stretched

MAGIC = b"hoity-journal-3\n"
MAGIC_OF_VERSION_2 = b"hoity-journal-2\n"
MARK_MAGIC = b"hoity-mark-3\n"
MAX_RECORD = 1 << 21
CHECK = 16
SEARCHED = 1 << 23
"""Bytes that are read and searched, at most, behind a record that is not whole. What a crash cuts
off is shorter."""
HEAD = 1 + SALT_SIZE


Readable = StoredFile | BytesIO
"""A journal that is open, or its bytes as they were once."""


def _mac(key: bytes, *parts: bytes) -> bytes:
    return hmac.digest(key, b"".join(parts), "sha256")


@dataclass(frozen=True)
class Form:
    """The keys of one journal; `head` is what its file says of them."""

    head: bytes
    _check_key: bytes = field(repr=False)
    _mark_key: bytes = field(repr=False)
    _box: Aead | None = field(default=None, repr=False)

    @property
    def locked(self) -> bool:
        """Whether a passphrase guards it."""
        return self._box is not None

    @property
    def start(self) -> bytes:
        """The check before the first record."""
        return _mac(self._check_key, MAGIC, self.head)[:CHECK]

    def check(self, number: int, before: bytes, sealed: bytes) -> bytes:
        """The check behind a record, the first being number 1."""
        return _mac(self._check_key, before, number.to_bytes(8, "big"), sealed)[:CHECK]

    def seal(self, number: int, before: bytes, record: bytes) -> bytes:
        """The bytes to write."""
        if self._box is None:
            return record
        return bytes(self._box.encrypt(record, before + number.to_bytes(8, "big")))

    def open(self, number: int, before: bytes, sealed: bytes) -> bytes:
        """The record that was sealed; VaultError if it was not sealed for this place ([J-6])."""
        if self._box is None:
            return sealed
        try:
            return bytes(self._box.decrypt(sealed, before + number.to_bytes(8, "big")))
        except (CryptoError, ValueError, TypeError) as error:
            raise VaultError(VaultCode.WRONG) from error

    def next(self, file: Readable, number: int, before: bytes) -> tuple[bytes, bytes] | None:
        """(record, check) of the record that begins where the file is read; None if none does."""
        head = file.read(4 + CHECK)
        size, check = int.from_bytes(head[:4], "big"), head[4:]
        if len(head) < 4 + CHECK or size > MAX_RECORD:
            return None
        sealed = file.read(size)
        whole = self.check(number, before, sealed)
        if len(sealed) < size or not hmac.compare_digest(whole, check):
            return None
        return self.open(number, before, sealed), check

    def goes_on_behind(self, file: Readable, number: int, before: bytes) -> bool:
        """Return whether a whole record lies behind one that is not, which shows damage.

        A write that was cut off leaves nothing behind it. A record is known by the check before it,
        which stands in the file, or is made from the bytes that should have had it.

        Args:
            file: Read from where the record begins that is not whole, to its end.
            number: The number of that record.
            before: The check of the one before it.
        """
        tail = file.read(SEARCHED)
        if len(tail) == SEARCHED:
            return True
        checks, framed = {tail[4 : 4 + CHECK]}, _framed(tail, 0)
        if framed is not None:
            checks.add(self.check(number, before, framed[0]))
        return self._follows(tail, number) or self._lies_in(tail, number + 1, checks)

    def _follows(self, tail: bytes, number: int) -> bool:
        """Return whether a record holds by the check before it, where the lengths lead."""
        before, begin = b"", 0
        while (found := _framed(tail, begin)) is not None:
            sealed, check, begin = found
            if before and self.check(number, before, sealed) == check:
                return True
            before, number = check, number + 1
        return False

    def _lies_in(self, tail: bytes, number: int, checks: set[bytes]) -> bool:
        """Return whether the record of this number lies anywhere, behind one of these checks: a
        damaged length does not say where it begins."""
        left = SEARCHED
        for begin in range(1, len(tail) - CHECK - 4):
            found = _framed(tail, begin)
            if found is None:
                continue
            sealed, check, _ = found
            left -= len(sealed)
            if left < 0 or any(self.check(number, one, sealed) == check for one in checks):
                return True
        return False

    def mark(self, check: bytes, file: int, path: bytes) -> bytes:
        """The bytes of a mark: the last check, which file it is in, and where that is."""
        said = check + file.to_bytes(8, "big")
        return MARK_MAGIC + said + _mac(self._mark_key, said, path)[:CHECK] + path

    def marked(self, mark: bytes) -> tuple[bytes, int] | None:
        """The check that a mark names, and which file it is in; None if no such journal made it."""
        said = mark[len(MARK_MAGIC) :][: CHECK + 8]
        path = path_of(mark)
        if path is None:
            return None
        check, file = said[:CHECK], int.from_bytes(said[CHECK:], "big")
        return (check, file) if hmac.compare_digest(self.mark(check, file, path), mark) else None


def _framed(data: bytes, begin: int) -> tuple[bytes, bytes, int] | None:
    """Return what is framed as a record there, its check and its end; None if nothing is."""
    size, head = int.from_bytes(data[begin : begin + 4], "big"), begin + 4 + CHECK
    end = head + size
    if not 0 < size <= MAX_RECORD or end > len(data):
        return None
    return data[head:end], data[begin + 4 : head], end


def path_of(mark: bytes) -> bytes | None:
    """Where the journal of a mark lies; None if this is no mark."""
    size = len(MARK_MAGIC) + CHECK + 8 + CHECK
    return mark[size:] if mark.startswith(MARK_MAGIC) and len(mark) > size else None


def _form(head: bytes, key: bytes, locked: bool) -> Form:
    box = Aead(_mac(key, b"hoity journal seal")) if locked else None
    return Form(head, _mac(key, b"hoity journal check"), _mac(key, b"hoity journal mark"), box)


def new_form(passphrase: str | None) -> Form:
    """The form of a new journal; without a passphrase its checks are keyed by its own name only."""
    salt = os.urandom(SALT_SIZE)
    if not passphrase:
        return _form(bytes([PLAIN]) + salt, salt, False)
    return _form(bytes([SEALED]) + salt, stretched(passphrase, salt), True)


def read_form(head: bytes, passphrase: str | None) -> Form:
    """The form that a journal's head asks for; VaultError if it cannot be had."""
    if len(head) < HEAD or head[0] not in (PLAIN, SEALED):
        raise VaultError(VaultCode.DAMAGED)
    if head[0] == PLAIN and passphrase:
        raise VaultError(VaultCode.NOT_SEALED)
    if head[0] == PLAIN:
        return _form(head, head[1:], False)
    if not passphrase:
        raise VaultError(VaultCode.SEALED)
    return _form(head, stretched(passphrase, head[1:]), True)


TEXT: Final = codec.Text(lambda text: True)
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
        key: The secret seed of the key that was drawn for this table, 32 bytes.
        addresses: For each seat, where it could be dialled when the game began.
        listen: Where this node listened, as 'host:port'.
        relays: The relays at which it waited.
        started: When the game began, in Unix seconds.
        signature: The host's signature of the roster.
        secret: The secret of the ticket.
        is_open: Whether that secret was announced to the local network.
        hidden: Whether the seat dials by a proxy.
        relay_only: Whether the seat is reached, and dials, by relays alone.
        vouches: The vouch of each seat, None for a seat that has shown none.
    """

    header: bytes
    seat: Annotated[int, codec.Int(table_header.SEAT_NUMBERS - 1)]
    seed: codec.Octets32 = field(repr=False)
    key: codec.Octets32 = field(repr=False)
    addresses: Annotated[tuple[tuple[str, ...], ...], codec.Rows(codec.Rows(TEXT))]
    listen: Annotated[str, TEXT]
    relays: Annotated[tuple[str, ...], codec.Rows(TEXT)]
    started: Annotated[int, codec.Int(2**64 - 1)]
    signature: bytes
    secret: bytes = field(repr=False)
    is_open: bool
    hidden: bool
    relay_only: bool
    vouches: Annotated[
        tuple[Vouch | None, ...], codec.Rows(Vouch | None, table_header.SEAT_NUMBERS)
    ]

    @cached_property
    def table(self) -> Header:
        """The header of the table. Raises Invalid if it is malformed."""
        return table_header.parse_header(self.header)

    @cached_property
    def identity(self) -> Identity:
        """The key that was drawn for this table."""
        return Identity(self.key)

    def encode(self) -> bytes:
        """Return the bytes of the record."""
        return codec.encode((VERSION, *_ROW.write(self)))


_ROW: Final = codec.Struct(SeatRecord, head=1)


def decode_seat_record(data: bytes) -> SeatRecord:
    """Read a record that this program has written.

    Raises:
        EarlierRecord: If another version of this program has written it.
        Invalid: If it is no such record.
    """
    value: Any = codec.decode(data, MAX_RECORD)
    version = value[0] if isinstance(value, tuple) and value else None
    if type(version) is not int or version != VERSION:
        raise EarlierRecord
    found = codec.read(_ROW, value, "bad-header", "the record")
    roster = found.table.roster
    if found.seat >= len(roster) or len(found.vouches) != len(roster):
        raise Invalid("bad-header", "the record is of no seat of its table")
    if found.identity.public != roster[found.seat].id:
        raise Invalid("bad-header", "the record holds another key than that of its seat")
    return found
