"""Encode and decode tickets: one word that tells who hosts a table, where, and on which terms.

A ticket is 'hoity', the version '3', and the base32 encoding (RFC 4648, lower case, without
padding) of three parts: the length of the payload (2 bytes), the payload, and a checksum (the first
4 bytes of SHA-256 over 'hoity ticket 3' and the payload). Numbers are big-endian. The payload has
these parts, in this order:

- the host's id (32 bytes) and the digest of the terms (32 bytes);
- the length of the secret (16, or 0 if the table is open to all who find it), and the secret;
- the number of addresses and each of them, and the number of relays and each of them;
- further entries.

An address, a relay and an entry each have a kind (1 byte), a length (1 byte) and so many bytes of
content. An entry is room for an extension.

Later versions may add kinds of addresses, which are skipped here, and kinds of entries. An entry of
an unknown odd kind is skipped. A ticket with an entry of an unknown even kind is refused.

SPEC: section 14.
"""

from __future__ import annotations

import base64
import hashlib
import ipaddress
import secrets
from collections.abc import Container, Iterable
from dataclasses import dataclass, field
from typing import Final

from ..coded_errors import Code
from .addresses import Address, parse_address, relay_address
from .network_errors import AddressError, TicketError

PREFIX = "hoity"
"""The first letters of every ticket."""
VERSION = "3"
MOST_ADDRESSES = 8
MOST_RELAYS = 4
_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
_NO_BYTES: Final = frozenset({1, 3, 6})
"""Numbers of letters in a last group of eight that no number of bytes has in base32."""
_CHECKSUM = 4
_LENGTH = 2
_SIZED = 4
_FIXED = 32
_PORT = 2
SECRET = 16
"""Bytes of the secret."""
MOST_PAYLOAD: Final = 4096
"""The most bytes of a payload that are accepted. This version makes at most 3,167 bytes."""
MOST_ENTRIES = 16
_NAME, _URL, _V4, _V6 = 1, 2, 4, 6
KINDS: Final = frozenset({_NAME, _V4, _V6})
"""The numbers of the kinds of addresses that are read: a name, an IPv4 and an IPv6 address."""
RELAY_KINDS: Final = KINDS | {_URL}
"""The numbers of the kinds of relays that are read. One may be the URL of its WebSocket."""
_MOST_VALUE: Final = 255
ENTRIES: Final[frozenset[int]] = frozenset()
"""The kinds of further entries (extensions) that this program knows. There are none yet."""


class TicketCode(Code):
    """The reasons why a ticket cannot be read or made.

    If a code contains `made-`, the mistake can only come from the program that made the ticket.
    """

    NONE = ("no-ticket", "this is not a ticket, which starts with {prefix}. Ask the host for it")
    OF_VERSION_2 = ("ticket-of-version-two", "this ticket has version 2: use hoity 0.1 for it")
    OTHER_VERSION = (
        "ticket-of-other-version",
        "this ticket has a version that this program does not know; update hoity, or ask the "
        "host which version it needs",
    )
    NO_LETTER = (
        "ticket-mistyped-letter",
        "this ticket is mistyped: no ticket contains {letter}; ask the host for it again and "
        "copy the whole word",
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
    SEVERAL = (
        "several-tickets",
        "this text contains several tickets; paste only the one that you mean",
    )
    MADE_SHORT = (
        "ticket-made-short",
        ("the program that made this ticket is wrong: it ends too soon"),
    )
    MADE_LONG = (
        "ticket-made-long",
        ("the program that made this ticket is wrong: it contains more than a ticket can"),
    )
    MADE_SECRET = (
        "ticket-made-with-other-secret",
        "the program that made this ticket is wrong: its secret has the wrong length",
    )
    MADE_ADDRESSES = (
        "ticket-made-with-many-addresses",
        "the program that made this ticket is wrong: it has too many addresses",
    )
    MADE_NO_WAY = (
        "ticket-without-known-address",
        "this ticket has no address of a kind that this program knows; update hoity, or ask the "
        "host for another ticket",
    )
    MADE_ENTRY = (
        "ticket-with-unknown-entry",
        "this ticket needs a newer version of this program (entry {kind}); update hoity",
    )
    MADE_ENTRIES = (
        "ticket-made-with-bad-entries",
        (
            "the program that made this ticket is wrong: its last entries are too many, or not "
            "in rising order"
        ),
    )
    MADE_TWICE = (
        "ticket-made-with-address-twice",
        "the program that made this ticket is wrong: it names one address twice",
    )
    MADE_SPELLING = (
        "ticket-made-with-other-spelling",
        "the program that made this ticket is wrong: an address is not in its only valid form",
    )
    MADE_ADDRESS = (
        "ticket-made-with-bad-address",
        ("the program that made this ticket is wrong: {why}"),
    )
    FIXED = (
        "ticket-fields-of-other-size",
        "a ticket needs a host id and a digest of the terms, 32 bytes each",
    )
    SECRET = "ticket-secret-of-other-size", "the secret of a ticket has 16 bytes"
    ADDRESSES = (
        "ticket-with-many-addresses",
        "a ticket can have {most} addresses of a kind, not {number}",
    )
    ADDRESS = "ticket-with-bad-address", "{why}"
    URL = "ticket-with-long-url", "the URL of a relay can have {most} characters in a ticket"
    NOT_SECRET = "ticket-secret-announced", "a ticket with a secret must not be announced"


@dataclass(frozen=True)
class Ticket:
    """A ticket: the host of a table, the terms, and the addresses and relays of the host.

    Attributes:
        addresses: The addresses at which the host can be dialled, 'host:port'.
        terms: The digest of the terms, 32 bytes.
        relay: The relays at which the host waits for calls, 'host:port' or 'wss://host:port'.
        secret: The secret that gives a seat, 16 bytes. Empty if the table is open to all.
    """

    host_id: bytes
    addresses: tuple[str, ...]
    terms: bytes
    relay: tuple[str, ...] = ()
    secret: bytes = field(default=b"", repr=False)

    def dial_addresses(self) -> tuple[str, ...]:
        """Return all addresses of the host in the form that `Hub` takes, direct ones first."""
        relays = map(relay_address, self.relay)
        return (*self.addresses, *map(str, relays))


def fresh_secret() -> bytes:
    """Draw the secret of a ticket. Whoever holds the secret may ask for a seat ([L-15])."""
    return secrets.token_bytes(SECRET)


def encode_ticket(ticket: Ticket) -> str:
    """Encode a ticket as one word. Addresses that occur twice are written once.

    Raises:
        TicketError: If a field has the wrong length or form, or there are too many addresses.
    """
    if len(ticket.host_id) != _FIXED or len(ticket.terms) != _FIXED:
        raise TicketError(TicketCode.FIXED)
    if len(ticket.secret) not in (0, SECRET):
        raise TicketError(TicketCode.SECRET)
    payload = ticket.host_id + ticket.terms + bytes([len(ticket.secret)]) + ticket.secret
    payload += _encode_all(map(encode_address, ticket.addresses), MOST_ADDRESSES)
    payload += _encode_all(map(_encode_relay, ticket.relay), MOST_RELAYS)
    body = len(payload).to_bytes(_LENGTH, "big") + payload + _checksum(payload)
    return PREFIX + VERSION + base64.b32encode(body).decode().rstrip("=").lower()


def _checksum(payload: bytes) -> bytes:
    # With the version, so that a payload of another version does not have a valid checksum here.
    return hashlib.sha256(b"hoity ticket 3" + payload).digest()[:_CHECKSUM]


def _encode_all(addresses: Iterable[bytes], most: int) -> bytes:
    """Encode the number of addresses (1 byte), at most `most`, and each of them once."""
    # Not sorted: a host names first the addresses that it expects to work.
    found = dict.fromkeys(addresses)
    if len(found) > most:
        raise TicketError(TicketCode.ADDRESSES, most=most, number=len(found))
    return bytes([len(found)]) + b"".join(found)


def encode_address(text: str) -> bytes:
    """Encode 'host:port' as a ticket does: kind, length of the rest, host, and port (2 bytes).

    Raises:
        TicketError: If the text is not an address.
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


def _encode_relay(text: str) -> bytes:
    """Encode a relay: as an address, or one that is reached by WebSocket as its URL."""
    try:
        relay = relay_address(text)
    except AddressError as error:
        raise TicketError(TicketCode.ADDRESS, why=error.reason) from None
    if not relay.is_web:
        return encode_address(relay.place)
    url = relay.place.encode("ascii")
    if len(url) > _MOST_VALUE:
        raise TicketError(TicketCode.URL, most=_MOST_VALUE)
    return bytes([_URL, len(url)]) + url


def decode_ticket(text: str) -> Ticket:
    """Decode a ticket, as it was typed or pasted ([T-1], [X-1]).

    A TicketError that says what is wrong is raised if the text is not a valid ticket.
    """
    return _read_payload(_payload_of(spelled(text)))


def spelled(text: str) -> str:
    """Return a ticket or another text without spaces, enclosing quotes and capitals ([T-1])."""
    # The longest ticket is shorter. A whole pasted file would take long to clean.
    return "".join(text[:8192].split()).strip("'\"`<>").lower()


def _payload_of(word: str) -> bytes:
    """Check the word of a ticket, checksum included, and return the payload ([T-1], [T-2])."""
    if not word.startswith(PREFIX):
        raise TicketError(TicketCode.NONE, prefix=PREFIX + VERSION)
    version, letters = word[len(PREFIX) : len(PREFIX) + 1], word[len(PREFIX) + 1 :]
    # A word that ends before its version is cut short, and not of another version.
    if version != VERSION and version:
        is_old = version == "2"
        raise TicketError(TicketCode.OF_VERSION_2 if is_old else TicketCode.OTHER_VERSION)
    wrong = next((letter for letter in letters if letter not in _ALPHABET), None)
    if wrong is not None:
        raise TicketError(TicketCode.NO_LETTER, letter=wrong)
    if len(letters) < _SIZED:
        raise TicketError(TicketCode.CUT_SHORT)
    size, needed = _sizes(letters)
    # A mistyped length would tell of thousands of missing letters, and is reported as mistyped
    # below.
    if len(letters) < needed and size <= MOST_PAYLOAD:
        raise TicketError(TicketCode.MISSING, number=needed - len(letters))
    if len(letters) > needed:
        raise TicketError(TicketCode.TOO_LONG, number=len(letters) - needed)
    # Before decoding, which raises another error for these lengths.
    if len(letters) % 8 in _NO_BYTES:
        raise TicketError(TicketCode.MISTYPED)
    body = _bytes_of(letters)
    payload = body[_LENGTH : _LENGTH + size]
    # The unused bits of the last letter could have any value. Only one spelling of a ticket counts.
    spelling = base64.b32encode(body).decode().rstrip("=").lower()
    if body[_LENGTH + size :] != _checksum(payload) or spelling != letters:
        raise TicketError(TicketCode.MISTYPED)
    # After the checksum: with a wrong one, the length is just mistyped, and not made so.
    if size > MOST_PAYLOAD:
        raise TicketError(TicketCode.MADE_LONG)
    return payload


def letters_of(word: str) -> int | None:
    """Return how many characters a ticket has by the length at its beginning.

    Return None if the word is too short to tell, or does not begin like a ticket.

    Args:
        word: The ticket in its normal form, or more than it.
    """
    begins = word[len(PREFIX) + 1 :][:_SIZED]
    if not word.startswith(PREFIX + VERSION) or len(begins) < _SIZED:
        return None
    return None if set(begins) - set(_ALPHABET) else len(PREFIX) + 1 + _sizes(begins)[1]


def _sizes(letters: str) -> tuple[int, int]:
    """Return the size of a payload, and how many letters follow the version, by the first four."""
    size = int.from_bytes(_bytes_of(letters[:_SIZED])[:_LENGTH], "big")
    return size, -(-8 * (_LENGTH + size + _CHECKSUM) // 5)


def _bytes_of(letters: str) -> bytes:
    """Decode base32 letters. Bits that do not fill a whole byte are dropped."""
    return base64.b32decode(letters.upper() + "=" * (-len(letters) % 8))


def _read_payload(payload: bytes) -> Ticket:
    """Decode the payload of a ticket ([T-5], [T-6], [T-7])."""
    reader = _Reader(payload)
    host_id, terms = reader.take(_FIXED), reader.take(_FIXED)
    size = reader.byte()
    if size not in (0, SECRET):
        raise TicketError(TicketCode.MADE_SECRET)
    secret = reader.take(size)
    addresses = _decode_all(reader, MOST_ADDRESSES, KINDS)
    relay = _decode_all(reader, MOST_RELAYS, RELAY_KINDS)
    _skip_entries(reader)
    if not addresses and not relay:
        raise TicketError(TicketCode.MADE_NO_WAY)
    return Ticket(host_id, addresses, terms, relay, secret)


class _Reader:
    """A reader of a payload, which raises TicketError if the payload ends too soon."""

    def __init__(self, payload: bytes) -> None:
        self._rest = payload

    def take(self, size: int) -> bytes:
        """Read a number of bytes.

        Raises:
            TicketError: If fewer bytes are left.
        """
        # A slice beyond the end is silently shorter, and half a field would count as a whole one.
        if len(self._rest) < size:
            raise TicketError(TicketCode.MADE_SHORT)
        taken, self._rest = self._rest[:size], self._rest[size:]
        return taken

    def byte(self) -> int:
        """Read one byte as a number."""
        return self.take(1)[0]

    def entry(self) -> tuple[int, bytes]:
        """Read an entry or address: its kind (1 byte), its length (1 byte) and its content."""
        kind = self.byte()
        return kind, self.take(self.byte())

    @property
    def is_done(self) -> bool:
        """True if everything was read."""
        return not self._rest


def decode_address(data: bytes) -> str:
    """Decode a single address, 'host:port', in the encoding of tickets.

    Raises:
        TicketError: If the bytes are not exactly one address of a known kind.
    """
    reader = _Reader(data)
    kind, value = reader.entry()
    if kind not in KINDS or not reader.is_done:
        raise TicketError(TicketCode.MADE_LONG)
    return _read_address(kind, value)


def _decode_all(reader: _Reader, most: int, known: Container[int]) -> tuple[str, ...]:
    """Read a list of at most `most` different addresses. Return those of known kinds ([T-5])."""
    number = reader.byte()
    if number > most:
        raise TicketError(TicketCode.MADE_ADDRESSES)
    found = [reader.entry() for _ in range(number)]
    # Before the unknown kinds are left out, so that every version rejects the same tickets.
    if len(set(found)) < number:
        raise TicketError(TicketCode.MADE_TWICE)
    return tuple(_read_address(kind, value) for kind, value in found if kind in known)


def _read_address(kind: int, value: bytes) -> str:
    """Decode an address of a known kind, and check that it has its only valid encoding ([T-5])."""
    if kind == _URL:
        return _read_url(value)
    size = {_V4: 4, _V6: 16}.get(kind)
    raw, port = value[:-_PORT], value[-_PORT:]
    if size is not None and len(raw) != size:
        raise TicketError(TicketCode.MADE_SPELLING)
    # Bytes that are not ASCII become a letter that no name has, and are refused with the address.
    host = raw.decode("ascii", "replace") if size is None else str(ipaddress.ip_address(raw))
    try:
        text = str(parse_address(str(Address(host, int.from_bytes(port, "big")))))
    except AddressError as error:
        raise TicketError(TicketCode.MADE_ADDRESS, why=error.reason) from None
    # A second encoding would let one address count as two, and pass the check of equal ones.
    if encode_address(text) != bytes([kind, len(value)]) + value:
        raise TicketError(TicketCode.MADE_SPELLING)
    return text


def _read_url(value: bytes) -> str:
    """Return the URL of a relay, and check that it has its only valid form ([T-5])."""
    text = value.decode("ascii", "replace")
    try:
        found = relay_address(text)
    except AddressError as error:
        raise TicketError(TicketCode.MADE_ADDRESS, why=error.reason) from None
    if not found.is_web or found.place != text:
        raise TicketError(TicketCode.MADE_SPELLING)
    return text


def _skip_entries(reader: _Reader) -> None:
    """Skip the entries at the end of a payload. Refuse unknown ones of an even kind ([T-6])."""
    last = number = 0
    while not reader.is_done:
        kind, _ = reader.entry()
        number += 1
        # In strictly rising order, so that each kind occurs once, and 0 never.
        if number > MOST_ENTRIES or kind <= last:
            raise TicketError(TicketCode.MADE_ENTRIES)
        if kind not in ENTRIES and kind % 2 == 0:
            raise TicketError(TicketCode.MADE_ENTRY, kind=kind)
        last = kind
