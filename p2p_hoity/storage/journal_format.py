"""Encode and decode the bytes of a journal: its first record, its other records, and its mark.

The first record names the table and the seat, and contains what a seat needs to return there. The
mark is a file elsewhere that names the last record (see `rollback_marks`).

With a passphrase the key is derived by Argon2id (RFC 9106). Each record is then encrypted with
XChaCha20-Poly1305 (PyNaCl), bound to its number and to the check value of the record before.
Records are numbered from 1. Every check value is an HMAC (RFC 2104) under that key. So if a record
is removed, moved, or taken from another journal, the check value after it is invalid. Only the mark
can show that the end was cut off. The head of the file, behind its magic word, says how it is
encrypted. Without a passphrase the sealed content of a record is the content itself.
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
"""The first bytes of a journal."""
MAGIC_OF_VERSION_2 = b"hoity-journal-2\n"
"""The first bytes of a journal of version 2 of the protocol."""
MARK_MAGIC = b"hoity-mark-3\n"
"""The first bytes of a rollback mark."""
MAX_RECORD = 1 << 21
"""The most bytes of a record."""
CHECK = 16
"""Bytes of a check value, which authenticates a record and all records before it."""
SEARCHED = 1 << 23
"""The most bytes after an incomplete record that are searched for further records.

What a crash leaves of a last record is shorter.
"""
HEAD = 1 + SALT_SIZE
"""Bytes of the head: the kind of encryption (1 byte) and the salt."""


Readable = StoredFile | BytesIO
"""An open journal, or a copy of its bytes in memory."""


def _mac(key: bytes, *parts: bytes) -> bytes:
    # Without lengths: all parts but the last have a fixed size, so no others join to these bytes.
    return hmac.digest(key, b"".join(parts), "sha256")


@dataclass(frozen=True)
class Form:
    """The keys of one journal, which encrypt, decrypt and authenticate its records."""

    head: bytes
    _check_key: bytes = field(repr=False)
    _mark_key: bytes = field(repr=False)
    _box: Aead | None = field(default=None, repr=False)

    @property
    def locked(self) -> bool:
        """True if the journal is encrypted with a passphrase."""
        return self._box is not None

    @property
    def start(self) -> bytes:
        """The check value before the first record."""
        return _mac(self._check_key, MAGIC, self.head)[:CHECK]

    def check(self, number: int, before: bytes, sealed: bytes) -> bytes:
        """Compute the check value of a sealed record."""
        return _mac(self._check_key, before, number.to_bytes(8, "big"), sealed)[:CHECK]

    def seal(self, number: int, before: bytes, record: bytes) -> bytes:
        """Return the content of a record for the file, sealed to the check value `before` it."""
        if self._box is None:
            return record
        return bytes(self._box.encrypt(record, before + number.to_bytes(8, "big")))

    def open(self, number: int, before: bytes, sealed: bytes) -> bytes:
        """Return the content of a sealed record.

        Raises:
            VaultError: If it was not encrypted with this key, for this number and check value
                ([J-6]).
        """
        if self._box is None:
            return sealed
        try:
            return bytes(self._box.decrypt(sealed, before + number.to_bytes(8, "big")))
        # PyNaCl raises other errors than its own for bytes too short to hold a nonce and a tag.
        except (CryptoError, ValueError, TypeError) as error:
            raise VaultError(VaultCode.WRONG) from error

    def next(self, file: Readable, number: int, before: bytes) -> tuple[bytes, bytes] | None:
        """Return the content and check value of the record at the current position of a file.

        None if no valid record begins here. `before` is the check value of the record before.
        """
        head = file.read(4 + CHECK)
        size, check = int.from_bytes(head[:4], "big"), head[4:]
        # Checked before the content is read, so that a damaged length takes no memory.
        if len(head) < 4 + CHECK or size > MAX_RECORD:
            return None
        sealed = file.read(size)
        whole = self.check(number, before, sealed)
        if len(sealed) < size or not hmac.compare_digest(whole, check):
            return None
        # Opened last: what a crash has cut off ends the file, and is no wrong passphrase.
        return self.open(number, before, sealed), check

    def goes_on_behind(self, file: Readable, number: int, before: bytes) -> bool:
        """Return whether a whole record follows an incomplete one, which shows damage ([J-2]).

        If only the last write was interrupted, nothing follows. The incomplete record has the
        number `number` and begins at the position of the file, which is read to its end.
        """
        tail = file.read(SEARCHED)
        if len(tail) == SEARCHED:
            return True
        # The check value of the incomplete record is either right in the file, or follows from its
        # bytes.
        checks, framed = {tail[4 : 4 + CHECK]}, _framed(tail, 0)
        if framed is not None:
            checks.add(self.check(number, before, framed[0]))
        return self._follows(tail, number) or self._lies_in(tail, number + 1, checks)

    def _follows(self, tail: bytes, number: int) -> bool:
        """Return whether a valid record follows a damaged one where that states its end."""
        before, begin = b"", 0
        while (found := _framed(tail, begin)) is not None:
            sealed, check, begin = found
            # Nothing is known of the check value before the first of these records.
            if before and self.check(number, before, sealed) == check:
                return True
            before, number = check, number + 1
        return False

    def _lies_in(self, tail: bytes, number: int, checks: set[bytes]) -> bool:
        """Return whether a valid record with a given number begins anywhere in the bytes.

        `checks` contains the possible check values of the record before. True is also returned if
        there are too many bytes to check.
        """
        left = SEARCHED
        # Every position is tried, because a damaged length does not tell where the next record
        # begins.
        for begin in range(1, len(tail) - CHECK - 4):
            found = _framed(tail, begin)
            if found is None:
                continue
            sealed, check, _ = found
            # A file of forged lengths could take hours of hashing without this bound.
            left -= len(sealed)
            if left < 0 or any(self.check(number, one, sealed) == check for one in checks):
                return True
        return False

    def mark(self, check: bytes, file: int, path: bytes) -> bytes:
        """Make the rollback mark that names the record with a check value, authenticated.

        Args:
            file: `StoredFile.number` of the journal.
        """
        said = check + file.to_bytes(8, "big")
        return MARK_MAGIC + said + _mac(self._mark_key, said, path)[:CHECK] + path

    def marked(self, mark: bytes) -> tuple[bytes, int] | None:
        """Return check value and file number of a valid mark of this journal, or None."""
        said = mark[len(MARK_MAGIC) :][: CHECK + 8]
        path = path_of(mark)
        if path is None:
            return None
        check, file = said[:CHECK], int.from_bytes(said[CHECK:], "big")
        return (check, file) if hmac.compare_digest(self.mark(check, file, path), mark) else None


def _framed(data: bytes, begin: int) -> tuple[bytes, bytes, int] | None:
    """Return content, check value and end of the record that may begin at a position, or None."""
    size, head = int.from_bytes(data[begin : begin + 4], "big"), begin + 4 + CHECK
    end = head + size
    # Zeros, which a crash may leave on the disk, must not look like records without content.
    if not 0 < size <= MAX_RECORD or end > len(data):
        return None
    return data[head:end], data[begin + 4 : head], end


def path_of(mark: bytes) -> bytes | None:
    """Return the path of a rollback mark's journal, unauthenticated. None if it is no mark."""
    size = len(MARK_MAGIC) + CHECK + 8 + CHECK
    return mark[size:] if mark.startswith(MARK_MAGIC) and len(mark) > size else None


def _form(head: bytes, key: bytes, locked: bool) -> Form:
    """Derive the keys of a journal from its key, which is the salt if nothing is encrypted."""
    # One key for each purpose, so that no check value can pass as the tag of a mark.
    box = Aead(_mac(key, b"hoity journal seal")) if locked else None
    return Form(head, _mac(key, b"hoity journal check"), _mac(key, b"hoity journal mark"), box)


def new_form(passphrase: str | None) -> Form:
    """Draw the salt of a new journal, and return the journal's keys.

    Without a passphrase the keys are derived from the salt alone, which is in the file. Check
    values then detect damage, but not forgery.
    """
    salt = os.urandom(SALT_SIZE)
    if not passphrase:
        return _form(bytes([PLAIN]) + salt, salt, False)
    return _form(bytes([SEALED]) + salt, stretched(passphrase, salt), True)


def read_form(head: bytes, passphrase: str | None) -> Form:
    """Return the keys of an existing journal, from its head and the passphrase.

    Raises:
        VaultError: If the head is damaged, the passphrase is missing, or one is given for a journal
            that is not encrypted.
    """
    if len(head) < HEAD or head[0] not in (PLAIN, SEALED):
        raise VaultError(VaultCode.DAMAGED)
    # Somebody may have put a plain journal there for a player who expects an encrypted one.
    if head[0] == PLAIN and passphrase:
        raise VaultError(VaultCode.NOT_SEALED)
    if head[0] == PLAIN:
        return _form(head, head[1:], False)
    if not passphrase:
        raise VaultError(VaultCode.SEALED)
    return _form(head, stretched(passphrase, head[1:]), True)


TEXT: Final = codec.Text(lambda text: True)
VERSION: Final = 1
"""The version of the first record's format. A journal with another version is refused."""


class EarlierRecord(ValueError):
    """An error: another version of this program has written the journal's first record."""


@dataclass(frozen=True)
class SeatRecord:
    """The first record of a journal, with everything that a seat needs to return to its table.

    Attributes:
        header: The encoded header of the table.
        seed: 32 bytes from which all secrets of the seat are derived.
        key: The secret seed of the seat's signing key at this table, 32 bytes.
        addresses: For each seat the addresses at which it could be dialled when the game began.
        listen: The 'host:port' at which this peer listened.
        relays: The relays at which this peer waited for calls.
        started: When the game began, in Unix seconds.
        signature: The host's signature of the roster, 64 bytes.
        secret: The secret of the ticket.
        is_open: Whether everyone on the local network could join the table.
        hidden: Whether the seat connects through a proxy.
        relay_only: Whether the seat is reached, and connects, through relays alone.
        vouches: The vouch of each seat. None for a seat that has shown none.
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
        """The header, parsed. Raises Invalid if it is malformed."""
        return table_header.parse_header(self.header)

    @cached_property
    def identity(self) -> Identity:
        """The seat's signing key at this table."""
        return Identity(self.key)

    def encode(self) -> bytes:
        """Encode the record for the journal."""
        return codec.encode((VERSION, *_ROW.write(self)))


_ROW: Final = codec.Struct(SeatRecord, head=1)


def decode_seat_record(data: bytes) -> SeatRecord:
    """Decode the first record of a journal.

    Raises:
        EarlierRecord: If another version of this program has written it.
        Invalid: If the bytes are not a valid first record.
    """
    value: Any = codec.decode(data, MAX_RECORD)
    version = value[0] if isinstance(value, tuple) and value else None
    # By its type as well, because True equals 1.
    if type(version) is not int or version != VERSION:
        raise EarlierRecord
    found = codec.read(_ROW, value, "bad-header", "the record")
    roster = found.table.roster
    if found.seat >= len(roster) or len(found.vouches) != len(roster):
        raise Invalid("bad-header", "the record is of no seat of its table")
    if found.identity.public != roster[found.seat].id:
        raise Invalid("bad-header", "the record holds another key than that of its seat")
    return found
