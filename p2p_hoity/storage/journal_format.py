"""Encode and decode the bytes of a journal: its first record, its other records, and its mark.

The first record names the table and the seat, and contains what a seat needs to return there. The
mark is a file elsewhere that names the last record.

With a passphrase the key is derived by Argon2id (RFC 9106). Each record is then encrypted with
XChaCha20-Poly1305 (PyNaCl), bound to its number and to the check value of the record before. Every
check value is an HMAC (RFC 2104) under that key. So if a record is removed, moved, or taken from
another journal, the check value after it is invalid. Only the mark can show that the end was cut
off.
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
"""The first bytes of a rollback mark, the file that names the last record of a journal."""
MAX_RECORD = 1 << 21
"""The most bytes of a record."""
CHECK = 16
"""Bytes of a check value, which authenticates a record and all records before it."""
SEARCHED = 1 << 23
"""The most bytes after an incomplete record that are searched for further records.

What a crash leaves of a last record is shorter.
"""
HEAD = 1 + SALT_SIZE
"""Bytes of the head after the magic word: the kind of encryption (1 byte) and the salt."""


Readable = StoredFile | BytesIO
"""An open journal, or a copy of its bytes in memory."""


def _mac(key: bytes, *parts: bytes) -> bytes:
    """Return the HMAC-SHA-256 of the concatenated parts."""
    return hmac.digest(key, b"".join(parts), "sha256")


@dataclass(frozen=True)
class Form:
    """The keys of one journal, which encrypt, decrypt and authenticate its records.

    Attributes:
        head: The bytes after the magic word of the file: the kind of encryption and the salt.
    """

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
        """The value with which the chain of check values begins, before the first record."""
        return _mac(self._check_key, MAGIC, self.head)[:CHECK]

    def check(self, number: int, before: bytes, sealed: bytes) -> bytes:
        """Compute the check value of a record, an HMAC over the record and the check value before.

        Args:
            number: The number of the record, from 1.
            sealed: The content of the record as it is in the file.
        """
        return _mac(self._check_key, before, number.to_bytes(8, "big"), sealed)[:CHECK]

    def seal(self, number: int, before: bytes, record: bytes) -> bytes:
        """Encrypt the content of a record, if there is a passphrase.

        Args:
            number: The number of the record, from 1.
            before: The check value of the record before it.

        Returns:
            The bytes for the file: encrypted, or unchanged without a passphrase.
        """
        if self._box is None:
            return record
        return bytes(self._box.encrypt(record, before + number.to_bytes(8, "big")))

    def open(self, number: int, before: bytes, sealed: bytes) -> bytes:
        """Decrypt the content of a record, if there is a passphrase.

        Args:
            number: The number of the record, from 1.
            before: The check value of the record before it.
            sealed: The bytes in the file.

        Raises:
            VaultError: If the content was not encrypted with this key, for this number and check
                value ([J-6]).
        """
        if self._box is None:
            return sealed
        try:
            return bytes(self._box.decrypt(sealed, before + number.to_bytes(8, "big")))
        except (CryptoError, ValueError, TypeError) as error:
            raise VaultError(VaultCode.WRONG) from error

    def next(self, file: Readable, number: int, before: bytes) -> tuple[bytes, bytes] | None:
        """Read and check the record that begins at the current position of a file.

        Args:
            number: The number of the record, from 1.
            before: The check value of the record before it.

        Returns:
            The decrypted content and the check value of the record. None if no valid record begins
            here.
        """
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
        """Return whether a whole record follows an incomplete record, which shows damage.

        If only the last write was interrupted, nothing follows the incomplete record. A later
        record is whole if its check value is right. Each check value depends on the previous check
        value. For the incomplete record two values are tried: the check value in the file, and the
        check value that is computed from the record's bytes.

        Args:
            file: The file, at the beginning of the incomplete record. It is read to its end.

        Returns:
            True if the journal is damaged and not merely cut off.
        """
        tail = file.read(SEARCHED)
        if len(tail) == SEARCHED:
            return True
        checks, framed = {tail[4 : 4 + CHECK]}, _framed(tail, 0)
        if framed is not None:
            checks.add(self.check(number, before, framed[0]))
        return self._follows(tail, number) or self._lies_in(tail, number + 1, checks)

    def _follows(self, tail: bytes, number: int) -> bool:
        """Return whether a valid record follows a damaged record.

        `tail` begins with the damaged record, and `number` is the number of that record. Where a
        record ends is computed from the length that the record itself states.
        """
        before, begin = b"", 0
        while (found := _framed(tail, begin)) is not None:
            sealed, check, begin = found
            if before and self.check(number, before, sealed) == check:
                return True
            before, number = check, number + 1
        return False

    def _lies_in(self, tail: bytes, number: int, checks: set[bytes]) -> bool:
        """Return whether a valid record with a given number begins anywhere in the bytes.

        Every position is tried, because a damaged length does not tell where the next record
        begins. `checks` contains the possible check values of the record before, on which the check
        value of a valid record depends. True is also returned if there are too many bytes to check.
        """
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
        """Make the content of the rollback mark, the file that names the journal's last record.

        Args:
            check: The check value of the last record, by which the mark names it.
            file: The number that identifies the journal's file in its store, such as an inode
                number.

        Returns:
            The bytes, authenticated with a key of the journal.
        """
        said = check + file.to_bytes(8, "big")
        return MARK_MAGIC + said + _mac(self._mark_key, said, path)[:CHECK] + path

    def marked(self, mark: bytes) -> tuple[bytes, int] | None:
        """Check and parse the rollback mark of this journal, the file that names its last record.

        Returns:
            The check value of the named record, and the number that identifies the journal's file.
            None if the bytes are not a valid mark, made with the keys of this journal.
        """
        said = mark[len(MARK_MAGIC) :][: CHECK + 8]
        path = path_of(mark)
        if path is None:
            return None
        check, file = said[:CHECK], int.from_bytes(said[CHECK:], "big")
        return (check, file) if hmac.compare_digest(self.mark(check, file, path), mark) else None


def _framed(data: bytes, begin: int) -> tuple[bytes, bytes, int] | None:
    """Split the record that may begin at a position of the bytes.

    Return its content, its check value, and the position after it. None if no record fits there.
    """
    size, head = int.from_bytes(data[begin : begin + 4], "big"), begin + 4 + CHECK
    end = head + size
    if not 0 < size <= MAX_RECORD or end > len(data):
        return None
    return data[head:end], data[begin + 4 : head], end


def path_of(mark: bytes) -> bytes | None:
    """Return the path of the journal to which a rollback mark belongs.

    The mark is a file that names the last record of the journal. Its authenticity is not checked.

    Returns:
        The path, or None if the bytes are not a mark.
    """
    size = len(MARK_MAGIC) + CHECK + 8 + CHECK
    return mark[size:] if mark.startswith(MARK_MAGIC) and len(mark) > size else None


def _form(head: bytes, key: bytes, locked: bool) -> Form:
    """Derive the keys for check values, rollback marks and encryption from the key of a journal.

    Args:
        head: The bytes after the magic word of the file: the kind of encryption and the salt.
        key: The key that is derived from the passphrase and the salt, or from the salt alone.
        locked: Whether there is a passphrase, so that records are encrypted.
    """
    box = Aead(_mac(key, b"hoity journal seal")) if locked else None
    return Form(head, _mac(key, b"hoity journal check"), _mac(key, b"hoity journal mark"), box)


def new_form(passphrase: str | None) -> Form:
    """Draw the salt of a new journal, and return the journal's keys.

    Without a passphrase the keys are derived from the salt alone, which is in the file. Check
    values then detect damage, but not forgery.

    Args:
        passphrase: The passphrase. None for no encryption.
    """
    salt = os.urandom(SALT_SIZE)
    if not passphrase:
        return _form(bytes([PLAIN]) + salt, salt, False)
    return _form(bytes([SEALED]) + salt, stretched(passphrase, salt), True)


def read_form(head: bytes, passphrase: str | None) -> Form:
    """Return the keys of an existing journal, from its head and the passphrase.

    Args:
        head: The HEAD bytes after the magic word of the journal.
        passphrase: The passphrase. None if there is none.

    Raises:
        VaultError: If the head is damaged, the passphrase is missing, or one is given for a journal
            that is not encrypted.
    """
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
"""The version of the first record's format. A journal with another version is refused."""


class EarlierRecord(ValueError):
    """An error: another version of this program has written the first record of the journal."""


@dataclass(frozen=True)
class SeatRecord:
    """The first record of a journal, with everything that a seat needs to return to its table.

    Attributes:
        header: The encoded header of the table: its terms, and the entry of each seat.
        seed: 32 bytes from which all secrets of the seat are derived.
        key: The secret seed of the seat's signing key at this table, 32 bytes.
        addresses: For each seat the addresses at which it could be dialled when the game began.
        listen: The 'host:port' at which this node listened.
        relays: The relays at which this node waited for calls.
        started: When the game began, in Unix seconds.
        signature: The host's signature of the list of seats (the roster), 64 bytes.
        secret: The secret of the ticket.
        is_open: Whether everyone on the local network could join the table.
        hidden: Whether the seat connects through a proxy.
        relay_only: Whether the seat is reached, and connects, through relays alone.
        vouches: The vouch of each seat: the signature of the player's long-lived key over the key
            of the seat. None for a seat that has shown none.
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
        """The header of the table, parsed. Raises Invalid if it is malformed."""
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
    if type(version) is not int or version != VERSION:
        raise EarlierRecord
    found = codec.read(_ROW, value, "bad-header", "the record")
    roster = found.table.roster
    if found.seat >= len(roster) or len(found.vouches) != len(roster):
        raise Invalid("bad-header", "the record is of no seat of its table")
    if found.identity.public != roster[found.seat].id:
        raise Invalid("bad-header", "the record holds another key than that of its seat")
    return found
