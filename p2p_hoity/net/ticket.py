"""Tickets: one word to copy that says who hosts a table, where, and on which terms.

A ticket is 'hoity', the version '2', and base32 (RFC 4648, lower case, unpadded) of: the length
of what follows up to the checksum (2 bytes); the host's id (32); the digest of the terms (32); the
length of the secret (16, or 0 if the table is open to all who find it) and the secret; the
number of addresses and each of them; the number of relays and each of them; a checksum (the first
4 bytes of SHA-256 over 'hoity ticket 2' and the payload). An address is a byte 4 and 4 bytes, or 6
and 16 bytes, or 1, a length byte and an ASCII name; then the port (2). Numbers are big-endian.
"""

from __future__ import annotations

import base64
import hashlib
import ipaddress
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ..coded_errors import Code
from .addresses import Address, Scheme, parse_address
from .network_errors import AddressError, TicketError

PREFIX = "hoity"
VERSION = "2"
MOST_ADDRESSES = 8
MOST_RELAYS = 4
_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
_CHECKSUM = 4
_LENGTH = 2
_FIXED = 32
SECRET = 16
_NAME, _V4, _V6 = 1, 4, 6


class TicketCode(Code):
    """What can be wrong with a ticket; those `made-` can only come from whoever made it."""

    NONE = (
        "no-ticket",
        "this is not a ticket: a ticket starts with {prefix}; a nickname needs a terminal",
    )
    OTHER_VERSION = (
        "ticket-of-other-version",
        "this ticket is from another version: host and guest need the same one",
    )
    NO_LETTER = (
        "ticket-mistyped-letter",
        "this ticket is mistyped: {letter} is in no ticket; ask the host for it again and copy"
        " the whole word",
    )
    CUT_SHORT = (
        "ticket-cut-short",
        "this ticket is cut short; ask the host for it again and copy the whole word, in"
        " 'quotation marks' if it comes in several lines",
    )
    MISSING = (
        "ticket-letters-missing",
        "this ticket is cut short (letters missing: {number}); ask the host for it again and copy"
        " the whole word, in 'quotation marks' if it comes in several lines",
    )
    TOO_LONG = (
        "ticket-letters-too-many",
        "this ticket is too long (letters too many: {number}); ask the host for it again and copy"
        " the whole word",
    )
    MISTYPED = (
        "ticket-mistyped",
        "this ticket is mistyped; ask the host for it again and copy the whole word",
    )
    MADE_SHORT = "ticket-made-short", "this ticket was made wrongly: it ends too soon"
    MADE_LONG = "ticket-made-long", "this ticket was made wrongly: it says more than a ticket can"
    MADE_SECRET = (
        "ticket-made-with-other-secret",
        "this ticket was made wrongly: its secret has another length",
    )
    MADE_ADDRESSES = (
        "ticket-made-with-many-addresses",
        "this ticket was made wrongly: it has too many addresses",
    )
    MADE_KIND = (
        "ticket-made-with-other-address",
        "this ticket was made wrongly: it has an unknown kind of address",
    )
    MADE_ADDRESS = "ticket-made-with-bad-address", "this ticket was made wrongly: {why}"
    FIXED = (
        "ticket-fields-of-other-size",
        "a ticket needs a host id and a digest of the terms, 32 bytes each",
    )
    SECRET = "ticket-secret-of-other-size", "the secret of a ticket has 16 bytes"
    ADDRESSES = (
        "ticket-with-many-addresses",
        "a ticket has room for {most} addresses of a kind, not {number}",
    )
    ADDRESS = "ticket-with-bad-address", "{why}"
    NOT_SECRET = "ticket-secret-announced", "a secret is not for all to hear"


@dataclass(frozen=True)
class Ticket:
    """A table's host (32-byte id), the digest of its terms (32 bytes), and the ways to the host.

    addresses are 'host:port'; relay holds 'host:port' of relays at which the host waits. Whoever
    holds the secret may take a seat; a ticket without one is for a table open to all.
    """

    host_id: bytes
    addresses: tuple[str, ...]
    terms: bytes
    relay: tuple[str, ...] = ()
    secret: bytes = field(default=b"", repr=False)

    def dial_addresses(self) -> tuple[str, ...]:
        """Every way to the host, as Hub.dial and Hub.connect take them, direct ones first."""
        relays = (replace(parse_address(relay), scheme=Scheme.RELAY) for relay in self.relay)
        return (*self.addresses, *map(str, relays))


def fresh_secret() -> bytes:
    """What makes a ticket one that gives a seat ([L-15])."""
    return secrets.token_bytes(SECRET)


def encode_ticket(ticket: Ticket) -> str:
    """The word for a ticket; TicketError when it has no such word."""
    if len(ticket.host_id) != _FIXED or len(ticket.terms) != _FIXED:
        raise TicketError(TicketCode.FIXED)
    if len(ticket.secret) not in (0, SECRET):
        raise TicketError(TicketCode.SECRET)
    payload = ticket.host_id + ticket.terms + bytes([len(ticket.secret)]) + ticket.secret
    payload += _encode_all(ticket.addresses, MOST_ADDRESSES)
    payload += _encode_all(ticket.relay, MOST_RELAYS)
    body = len(payload).to_bytes(_LENGTH, "big") + payload + _checksum(payload)
    return PREFIX + VERSION + base64.b32encode(body).decode().rstrip("=").lower()


def _checksum(payload: bytes) -> bytes:
    return hashlib.sha256(b"hoity ticket 2" + payload).digest()[:_CHECKSUM]


def _encode_all(addresses: Sequence[str], most: int) -> bytes:
    if len(addresses) > most:
        raise TicketError(TicketCode.ADDRESSES, most=most, number=len(addresses))
    return bytes([len(addresses)]) + b"".join(encode_address(text) for text in addresses)


def encode_address(text: str) -> bytes:
    """'host:port' as a ticket carries it; TicketError for what is no address."""
    try:
        address = parse_address(text)
    except AddressError as error:
        raise TicketError(TicketCode.ADDRESS, why=error.reason) from None
    port = address.port.to_bytes(2, "big")
    try:
        ip = ipaddress.ip_address(address.host)
    except ValueError:
        name = address.host.encode("ascii")
        return bytes([_NAME, len(name)]) + name + port
    return bytes([ip.version]) + ip.packed + port


def decode_ticket(text: str) -> Ticket:
    """Read a ticket, blanks, line breaks and capitals forgiven; TicketError says what is wrong.

    SPEC: [T-1] ([T-2], [X-1]).
    """
    word = "".join(text[:8192].split()).strip("'\"`<>").lower()
    if not word.startswith(PREFIX):
        raise TicketError(TicketCode.NONE, prefix=PREFIX + VERSION)
    version, letters = word[len(PREFIX) : len(PREFIX) + 1], word[len(PREFIX) + 1 :]
    if version != VERSION and version:
        raise TicketError(TicketCode.OTHER_VERSION)
    wrong = next((letter for letter in letters if letter not in _ALPHABET), None)
    if wrong is not None:
        raise TicketError(TicketCode.NO_LETTER, letter=wrong)
    # The payload is read once the number of letters, their spelling and the checksum are right
    # ([T-1]).
    if len(letters) < 4:
        raise TicketError(TicketCode.CUT_SHORT)
    size = int.from_bytes(_bytes_of(letters[:4])[:_LENGTH], "big")
    needed = -(-8 * (_LENGTH + size + _CHECKSUM) // 5)
    if len(letters) < needed:
        raise TicketError(TicketCode.MISSING, number=needed - len(letters))
    if len(letters) > needed:
        raise TicketError(TicketCode.TOO_LONG, number=len(letters) - needed)
    body = _bytes_of(letters)
    payload = body[_LENGTH : _LENGTH + size]
    spelling = base64.b32encode(body).decode().rstrip("=").lower()
    if body[_LENGTH + size :] != _checksum(payload) or spelling != letters:
        raise TicketError(TicketCode.MISTYPED)
    reader = _Reader(payload)
    host_id, terms = reader.take(_FIXED), reader.take(_FIXED)
    size = reader.byte()
    if size not in (0, SECRET):
        raise TicketError(TicketCode.MADE_SECRET)
    secret = reader.take(size)
    addresses = _decode_all(reader, MOST_ADDRESSES)
    relay = _decode_all(reader, MOST_RELAYS)
    reader.finish()
    return Ticket(host_id, addresses, terms, relay, secret)


def _bytes_of(letters: str) -> bytes:
    """The whole bytes in base32 letters; the bits left over are dropped."""
    return base64.b32decode(letters.upper() + "=" * (-len(letters) % 8))


class _Reader:
    """Takes bytes off a payload; TicketError when it ends too soon."""

    def __init__(self, payload: bytes) -> None:
        self._rest = payload

    def take(self, size: int) -> bytes:
        if len(self._rest) < size:
            raise TicketError(TicketCode.MADE_SHORT)
        taken, self._rest = self._rest[:size], self._rest[size:]
        return taken

    def byte(self) -> int:
        return self.take(1)[0]

    def finish(self) -> None:
        if self._rest:
            raise TicketError(TicketCode.MADE_LONG)


def decode_address(data: bytes) -> str:
    """'host:port' of exactly these bytes; TicketError when they are not one address ([T-2])."""
    reader = _Reader(data)
    address = _read_address(reader)
    reader.finish()
    return address


def _decode_all(reader: _Reader, most: int) -> tuple[str, ...]:
    number = reader.byte()
    if number > most:
        raise TicketError(TicketCode.MADE_ADDRESSES)
    return tuple(_read_address(reader) for _ in range(number))


def _read_address(reader: _Reader) -> str:
    """An address of a known kind ([T-2])."""
    kind = reader.byte()
    if kind in (_V4, _V6):
        host = str(ipaddress.ip_address(reader.take(4 if kind == _V4 else 16)))
    elif kind == _NAME:
        host = reader.take(reader.byte()).decode("ascii", "replace")
    else:
        raise TicketError(TicketCode.MADE_KIND)
    text = str(Address(host, int.from_bytes(reader.take(2), "big")))
    try:
        return str(parse_address(text))
    except AddressError as error:
        raise TicketError(TicketCode.MADE_ADDRESS, why=error.reason) from None
