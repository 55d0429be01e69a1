"""Tickets: one word to copy that says who hosts a table, where, and on which terms.

A ticket is 'hoity', the version '3', and base32 (RFC 4648, lower case, unpadded) of: the length
of the payload (2 bytes); the payload; a checksum (the first 4 bytes of SHA-256 over 'hoity ticket
3' and the payload). The payload is: the host's id (32); the digest of the terms (32); the length of
the secret (16, or 0 if the table is open to all who find it) and the secret; the number of
addresses and each of them; the number of relays and each of them; further entries. An address and
an entry are a kind (1 byte), a length (1 byte) and so many bytes. Numbers are big-endian.

Later versions may add kinds of addresses, which are skipped here, and entries. An unknown entry of
an odd kind is skipped. A ticket with one of an even kind is refused.

SPEC: section 14.
"""

from __future__ import annotations

import base64
import hashlib
import ipaddress
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from ..coded_errors import Code
from .addresses import Address, Scheme, parse_address
from .network_errors import AddressError, TicketError

PREFIX = "hoity"
VERSION = "3"
MOST_ADDRESSES = 8
MOST_RELAYS = 4
_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
_CHECKSUM = 4
_LENGTH = 2
_FIXED = 32
_PORT = 2
SECRET = 16
MOST_PAYLOAD: Final = 4096
"""Bytes of a payload. One of this version has at most 3,167 bytes."""
MOST_ENTRIES = 16
_NAME, _V4, _V6 = 1, 4, 6
KINDS: Final = frozenset({_NAME, _V4, _V6})
"""The kinds of addresses that are read. Kind 2 is reserved for a URL, such as `wss://…`, which a
browser can dial. It is skipped today, like every unknown kind."""
ENTRIES: Final[frozenset[int]] = frozenset()
"""The kinds of further entries that are read: none yet."""


class TicketCode(Code):
    """What can be wrong with a ticket; those `made-` can only come from whoever made it."""

    NONE = (
        "no-ticket",
        "this is not a ticket: a ticket starts with {prefix}; a nickname needs a terminal",
    )
    OF_VERSION_2 = (
        "ticket-of-version-two",
        "this ticket is of version 2: read it with hoity 0.1",
    )
    OTHER_VERSION = (
        "ticket-of-other-version",
        "this ticket is of a version that this program does not know; update hoity, or ask the host"
        " which version it needs",
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
    MADE_NO_WAY = (
        "ticket-without-known-address",
        "this ticket names no way to its host that this program knows; update hoity, or ask the"
        " host for another ticket",
    )
    MADE_ENTRY = (
        "ticket-with-unknown-entry",
        "this ticket needs a newer version of this program (entry {kind}); update hoity",
    )
    MADE_ENTRIES = (
        "ticket-made-with-bad-entries",
        "this ticket was made wrongly: its last entries are too many, or not in rising order",
    )
    MADE_TWICE = (
        "ticket-made-with-address-twice",
        "this ticket was made wrongly: it names one address twice",
    )
    MADE_SPELLING = (
        "ticket-made-with-other-spelling",
        "this ticket was made wrongly: an address is not in its one form",
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
    """Return the word for a ticket. An address that is named twice stands in it once.

    Raises:
        TicketError: If no ticket can hold it.
    """
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
    return hashlib.sha256(b"hoity ticket 3" + payload).digest()[:_CHECKSUM]


def _encode_all(addresses: Sequence[str], most: int) -> bytes:
    found = dict.fromkeys(encode_address(text) for text in addresses)
    if len(found) > most:
        raise TicketError(TicketCode.ADDRESSES, most=most, number=len(found))
    return bytes([len(found)]) + b"".join(found)


def encode_address(text: str) -> bytes:
    """Return 'host:port' as a ticket carries it.

    Raises:
        TicketError: If it is no address.
    """
    try:
        address = parse_address(text)
    except AddressError as error:
        raise TicketError(TicketCode.ADDRESS, why=error.reason) from None
    try:
        ip = ipaddress.ip_address(address.host)
    except ValueError:
        kind, host = _NAME, address.host.encode("ascii")
    else:
        kind, host = ip.version, ip.packed
    value = host + address.port.to_bytes(_PORT, "big")
    return bytes([kind, len(value)]) + value


def decode_ticket(text: str) -> Ticket:
    """Read a ticket. Blanks, line breaks and capitals are forgiven.

    Raises:
        TicketError: If it is none; the code says what is wrong.

    SPEC: [T-1], [X-1].
    """
    return _read_payload(_payload_of(spelled(text)))


def spelled(text: str) -> str:
    """Return the letters of a word as a ticket has them: without blanks, quotation marks and
    capitals. Of a ticket that can be read this is its only form ([T-1])."""
    return "".join(text[:8192].split()).strip("'\"`<>").lower()


def _payload_of(word: str) -> bytes:
    """Return the payload of a word once version, letters, their number and the checksum are right.

    SPEC: [T-1], [T-2].
    """
    if not word.startswith(PREFIX):
        raise TicketError(TicketCode.NONE, prefix=PREFIX + VERSION)
    version, letters = word[len(PREFIX) : len(PREFIX) + 1], word[len(PREFIX) + 1 :]
    if version != VERSION and version:
        is_old = version == "2"
        raise TicketError(TicketCode.OF_VERSION_2 if is_old else TicketCode.OTHER_VERSION)
    wrong = next((letter for letter in letters if letter not in _ALPHABET), None)
    if wrong is not None:
        raise TicketError(TicketCode.NO_LETTER, letter=wrong)
    if len(letters) < 4:
        raise TicketError(TicketCode.CUT_SHORT)
    size = int.from_bytes(_bytes_of(letters[:4])[:_LENGTH], "big")
    needed = -(-8 * (_LENGTH + size + _CHECKSUM) // 5)
    if len(letters) < needed and size <= MOST_PAYLOAD:
        raise TicketError(TicketCode.MISSING, number=needed - len(letters))
    if len(letters) > needed:
        raise TicketError(TicketCode.TOO_LONG, number=len(letters) - needed)
    body = _bytes_of(letters)
    payload = body[_LENGTH : _LENGTH + size]
    spelling = base64.b32encode(body).decode().rstrip("=").lower()
    if body[_LENGTH + size :] != _checksum(payload) or spelling != letters:
        raise TicketError(TicketCode.MISTYPED)
    if size > MOST_PAYLOAD:
        raise TicketError(TicketCode.MADE_LONG)
    return payload


def _bytes_of(letters: str) -> bytes:
    """The whole bytes in base32 letters; the bits left over are dropped."""
    return base64.b32decode(letters.upper() + "=" * (-len(letters) % 8))


def _read_payload(payload: bytes) -> Ticket:
    """Return the ticket in a payload.

    SPEC: [T-5], [T-6], [T-7].
    """
    reader = _Reader(payload)
    host_id, terms = reader.take(_FIXED), reader.take(_FIXED)
    size = reader.byte()
    if size not in (0, SECRET):
        raise TicketError(TicketCode.MADE_SECRET)
    secret = reader.take(size)
    addresses = _decode_all(reader, MOST_ADDRESSES)
    relay = _decode_all(reader, MOST_RELAYS)
    _skip_entries(reader)
    if not addresses and not relay:
        raise TicketError(TicketCode.MADE_NO_WAY)
    return Ticket(host_id, addresses, terms, relay, secret)


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

    def entry(self) -> tuple[int, bytes]:
        """A kind and its value."""
        kind = self.byte()
        return kind, self.take(self.byte())

    @property
    def is_done(self) -> bool:
        return not self._rest


def decode_address(data: bytes) -> str:
    """Return 'host:port' of exactly these bytes.

    Raises:
        TicketError: If they are not one address of a known kind.
    """
    reader = _Reader(data)
    kind, value = reader.entry()
    if kind not in KINDS or not reader.is_done:
        raise TicketError(TicketCode.MADE_LONG)
    return _read_address(kind, value)


def _decode_all(reader: _Reader, most: int) -> tuple[str, ...]:
    """The addresses of known kinds in a list ([T-5])."""
    number = reader.byte()
    if number > most:
        raise TicketError(TicketCode.MADE_ADDRESSES)
    found = [reader.entry() for _ in range(number)]
    if len(set(found)) < number:
        raise TicketError(TicketCode.MADE_TWICE)
    return tuple(_read_address(kind, value) for kind, value in found if kind in KINDS)


def _read_address(kind: int, value: bytes) -> str:
    """An address of a known kind, in its one form ([T-5])."""
    size = {_V4: 4, _V6: 16}.get(kind)
    raw, port = value[:-_PORT], value[-_PORT:]
    if size is not None and len(raw) != size:
        raise TicketError(TicketCode.MADE_SPELLING)
    host = raw.decode("ascii", "replace") if size is None else str(ipaddress.ip_address(raw))
    try:
        text = str(parse_address(str(Address(host, int.from_bytes(port, "big")))))
    except AddressError as error:
        raise TicketError(TicketCode.MADE_ADDRESS, why=error.reason) from None
    if encode_address(text) != bytes([kind, len(value)]) + value:
        raise TicketError(TicketCode.MADE_SPELLING)
    return text


def _skip_entries(reader: _Reader) -> None:
    """Pass over what follows the relays ([T-6])."""
    last = number = 0
    while not reader.is_done:
        kind, _ = reader.entry()
        number += 1
        if number > MOST_ENTRIES or kind <= last:
            raise TicketError(TicketCode.MADE_ENTRIES)
        if kind not in ENTRIES and kind % 2 == 0:
            raise TicketError(TicketCode.MADE_ENTRY, kind=kind)
        last = kind
