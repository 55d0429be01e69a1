"""The header: what everyone agrees to before sitting down, who sits, and the table's id."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from ..crypto import signing
from ..crypto.hashing import digest
from ..crypto.labels import VERSION, Label
from ..errors import Invalid, OtherVersion
from . import encoding
from .text import is_one_name, is_plain

MAX_SEATS: Final = 16
LONGEST_VERSION: Final = 40
"""Characters of another version that are told."""
MAX_HEADER: Final = 16 * 1024
MAX_NICKNAME: Final = 24
SECOND, HOUR, DAY = 1_000, 3_600_000, 86_400_000
PATIENCE_BOUNDS: Final = ((SECOND, 30 * DAY), (SECOND, DAY), (100, HOUR), (100, DAY))
"""Least and most milliseconds of choice, step, grace and cap: what a person may still mean."""
DEFAULT_QUORUM: Final = {2: 2, 3: 2, 4: 3, 5: 4, 6: 4}


def default_quorum(seats: int) -> int:
    """The quorum a table has unless its host asks for another."""
    return DEFAULT_QUORUM.get(seats, 2 * seats // 3 + 1)


@dataclass(frozen=True)
class Patience:
    """Milliseconds: for a step people decide, for any other, and the grace g and its cap G."""

    choice: int = 300_000
    step: int = 30_000
    grace: int = 5_000
    cap: int = 120_000


@dataclass(frozen=True)
class Terms:
    """What the host offers: `game` is the game's own value, opaque here."""

    host: bytes
    nonce: bytes
    game: Any
    seats: int
    quorum: int
    patience: Patience = Patience()
    returns: int = 8

    def value(self) -> tuple[Any, ...]:
        """The terms as a plain value."""
        p = self.patience
        times = (p.choice, p.step, p.grace, p.cap)
        head = (VERSION, self.host, self.nonce, self.game)
        return (*head, self.seats, self.quorum, times, self.returns)

    def digest(self) -> bytes:
        """What a ticket names and every seat signs."""
        return digest(Label.TERMS, encoding.encode(self.value()))

    @property
    def strict(self) -> bool:
        """All seats are needed: no backup, no escrow, an absence only pauses."""
        return self.quorum == self.seats


@dataclass(frozen=True)
class SeatEntry:
    """One seat's consent to the terms."""

    id: bytes
    nickname: str
    nonce: bytes
    signature: bytes

    def value(self) -> tuple[Any, ...]:
        """The entry as a plain value."""
        return (self.id, self.nickname, self.nonce, self.signature)


@dataclass(frozen=True)
class Header:
    """Terms and roster; the roster's order is the order of the seats."""

    terms: Terms
    roster: tuple[SeatEntry, ...]

    def encode(self) -> bytes:
        """The canonical bytes."""
        return encoding.encode((self.terms.value(), tuple(e.value() for e in self.roster)))

    @property
    def table_id(self) -> bytes:
        """The hash that every later signature, proof and commitment is bound to."""
        return digest(Label.TABLE_ID, self.encode())


def seat_statement(terms_digest: bytes, id: bytes, nickname: str, nonce: bytes) -> bytes:
    """The bytes a seat signs to sit down."""
    return encoding.encode((terms_digest, id, nickname, nonce))


def sit(terms: Terms, who: signing.Identity, nickname: str, nonce: bytes) -> SeatEntry:
    """Consent to the terms."""
    statement = seat_statement(terms.digest(), who.public, nickname, nonce)
    return SeatEntry(who.public, nickname, nonce, who.sign(Label.SEAT, statement))


def roster_statement(terms_digest: bytes, table_id: bytes) -> bytes:
    """The bytes a host signs, once for its terms: the one table it has opened on them."""
    return encoding.encode((terms_digest, table_id))


def sign_roster(header: Header, host: signing.Identity) -> bytes:
    """The host's word that this is the table of its terms."""
    statement = roster_statement(header.terms.digest(), header.table_id)
    return host.sign(Label.ROSTER, statement)


def check_roster(terms: Terms, table_id: bytes, signature: bytes) -> None:
    """Raise Invalid unless the host of these terms has signed this table."""
    statement = roster_statement(terms.digest(), table_id)
    signing.verify(terms.host, Label.ROSTER, statement, signature)


def _need(condition: bool, reason: str) -> None:
    if not condition:
        raise Invalid("bad-header", reason)


def _is_int(value: object, low: int, high: int) -> bool:
    return type(value) is int and low <= value <= high


def parse_terms(value: Any) -> Terms:
    """Terms from a plain value; Invalid('bad-header') otherwise."""
    _need(isinstance(value, (tuple, list)) and len(value) > 0, "the terms are not a list")
    if value[0] != VERSION:
        raise OtherVersion(str(value[0])[:LONGEST_VERSION], VERSION)
    _need(len(value) == 8, "the terms have not 8 fields")
    _, host, nonce, game, seats, quorum, times, returns = value
    _need(isinstance(host, bytes) and len(host) == 32, "the host id is not 32 bytes")
    _need(isinstance(nonce, bytes) and len(nonce) == 32, "the nonce is not 32 bytes")
    signing.check_public(host)
    _need(_is_int(seats, 2, MAX_SEATS), f"the seats are not between 2 and {MAX_SEATS}")
    _need(_is_int(quorum, seats // 2 + 1, seats), "the quorum is not more than half of the seats")
    _need(isinstance(times, (tuple, list)) and len(times) == 4, "the patience has not 4 fields")
    for time, bounds in zip(times, PATIENCE_BOUNDS, strict=True):
        _need(_is_int(time, *bounds), "a patience is out of range")
    _need(times[2] <= times[3], "the grace is above its cap")
    _need(_is_int(returns, 0, 255), "the limit of returns is out of range")
    return Terms(host, nonce, game, seats, quorum, Patience(*times), returns)


def check_nickname(name: object) -> str:
    """A nickname: 1 to 24 characters of plain text, without separators."""
    _need(isinstance(name, str), "a nickname is not text")
    text = str(name)
    _need(0 < len(text) <= MAX_NICKNAME, f"a nickname has 1 to {MAX_NICKNAME} characters")
    _need(is_plain(text), "a nickname has characters that may not stand in a name")
    _need(is_one_name(text), "a nickname has a comma or semicolon: it would read as two")
    return text


def is_nickname(name: str) -> bool:
    """Whether it can be a nickname."""
    return 0 < len(name) <= MAX_NICKNAME and is_one_name(name)


def parse_entry(terms: Terms, value: Any) -> SeatEntry:
    """A seat's entry with its signature checked; Invalid otherwise."""
    _need(isinstance(value, (tuple, list)) and len(value) == 4, "a seat has not 4 fields")
    who, nickname, nonce, signature = value
    check_nickname(nickname)
    for field, size in ((who, 32), (nonce, 32), (signature, 64)):
        _need(isinstance(field, bytes) and len(field) == size, f"a field has not {size} bytes")
    statement = seat_statement(terms.digest(), who, nickname, nonce)
    signing.verify(who, Label.SEAT, statement, signature)
    return SeatEntry(who, nickname, nonce, signature)


def parse_header(data: bytes) -> Header:
    """A header from its bytes, every signature checked; Invalid otherwise."""
    value = encoding.decode(data, MAX_HEADER)
    _need(isinstance(value, (tuple, list)) and len(value) == 2, "the header has not 2 fields")
    terms = parse_terms(value[0])
    entries = value[1]
    _need(isinstance(entries, (tuple, list)), "the roster is not a list")
    _need(len(entries) == terms.seats, "the roster has another number of seats than the terms")
    roster = tuple(parse_entry(terms, entry) for entry in entries)
    _need(len({e.id for e in roster}) == len(roster), "one player sits twice")
    _need(roster[0].id == terms.host, "the first seat is not the host's")
    return Header(terms, roster)
