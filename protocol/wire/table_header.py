"""The header: what everyone agrees to before sitting down, who sits, and the table's id."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from ..bounds import Milliseconds, Quota
from ..crypto import identities
from ..crypto.hashing import VERSION, Label, digest
from ..errors import OtherVersion
from . import codec
from .allowed_text import is_one_name, is_plain
from .codec import Raw

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

    choice: Milliseconds = 300_000
    step: Milliseconds = 30_000
    grace: Milliseconds = 5_000
    cap: Milliseconds = 120_000


@dataclass(frozen=True)
class Terms:
    """What the host offers: `game` is the game's own value, opaque here."""

    host: bytes
    nonce: bytes
    game: Any
    seats: int
    quorum: int
    patience: Patience = Patience()
    returns: Quota = 8

    def value(self) -> tuple[Any, ...]:
        """The terms as a plain value."""
        p = self.patience
        times = (p.choice, p.step, p.grace, p.cap)
        head = (VERSION, self.host, self.nonce, self.game)
        return (*head, self.seats, self.quorum, times, self.returns)

    def digest(self) -> bytes:
        """What a ticket names and every seat signs."""
        return digest(Label.TERMS, codec.encode(self.value()))

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
        return codec.encode((self.terms.value(), tuple(e.value() for e in self.roster)))

    @property
    def table_id(self) -> bytes:
        """The hash that every later signature, proof and commitment is bound to."""
        return digest(Label.TABLE_ID, self.encode())


def seat_statement(terms_digest: bytes, id: bytes, nickname: str, nonce: bytes) -> bytes:
    """The bytes a seat signs to sit down."""
    return codec.encode((terms_digest, id, nickname, nonce))


def sit(terms: Terms, who: identities.Identity, nickname: str, nonce: bytes) -> SeatEntry:
    """Consent to the terms."""
    statement = seat_statement(terms.digest(), who.public, nickname, nonce)
    return SeatEntry(who.public, nickname, nonce, who.sign(Label.SEAT, statement))


def roster_statement(terms_digest: bytes, table_id: bytes, watched: bool) -> bytes:
    """The bytes a host signs, once for its terms: the one table it has opened on them, and whether
    onlookers are let in there."""
    return codec.encode((terms_digest, table_id, watched))


def sign_roster(header: Header, host: identities.Identity, watched: bool = True) -> bytes:
    """The host's word that this is the table of its terms, and whether it may be watched."""
    statement = roster_statement(header.terms.digest(), header.table_id, watched)
    return host.sign(Label.ROSTER, statement)


def check_roster(terms: Terms, table_id: bytes, signature: bytes, watched: bool = True) -> None:
    """Raise Invalid unless the host of these terms has signed this table, watched or not."""
    statement = roster_statement(terms.digest(), table_id, watched)
    identities.verify_signature(terms.host, Label.ROSTER, statement, signature)


BAD: Final = "bad-header"


def parse_terms(value: Any) -> Terms:
    """Terms from a plain value; Invalid('bad-header') otherwise ([H-2], [X-1]); 'bad-point' for a
    host id that is no key.

    OtherVersion, an Invalid, if they are of another version.
    """
    raw = Raw(value, BAD, "the terms")
    version = raw.head("the version")
    if version.value != VERSION:
        raise OtherVersion(str(version.value)[:LONGEST_VERSION], VERSION)
    _, host, nonce, game, seats, quorum, times, returns = raw.row(
        "the version", "the host id", "the nonce", "the game", *_NUMBERS
    )
    public, fresh = host.octets(32), nonce.octets(32)
    identities.check_public(public)
    number = seats.integer(MAX_SEATS, 2)
    agreed = quorum.integer(number, number // 2 + 1)
    patience = _read_patience(times)
    return Terms(public, fresh, game.value, number, agreed, patience, returns.integer(255))


_NUMBERS: Final = ("the seats", "the quorum", "the patience", "the limit of returns")


def _read_patience(raw: Raw) -> Patience:
    times = raw.row("the choice's", "the step's", "the grace", "its cap")
    read = [
        time.integer(high, low) for time, (low, high) in zip(times, PATIENCE_BOUNDS, strict=True)
    ]
    raw.need(read[2] <= read[3], "has a grace above its cap")
    return Patience(*read)


def check_nickname(name: object) -> str:
    """A nickname: 1 to 24 characters of plain text, without separators ([H-4], [H-6], [H-10])."""
    raw = Raw(name, BAD, "a nickname")
    text = raw.text()
    raw.need(0 < len(text) <= MAX_NICKNAME, f"has 1 to {MAX_NICKNAME} characters")
    raw.need(is_plain(text), "has characters that may not stand in a name")
    raw.need(is_one_name(text), "has a comma or semicolon: it would read as two")
    return text


def is_nickname(name: str) -> bool:
    """Whether it can be a nickname."""
    return 0 < len(name) <= MAX_NICKNAME and is_one_name(name)


def parse_entry(terms: Terms, value: Any) -> SeatEntry:
    """A seat's entry with its signature checked; Invalid otherwise ([H-4])."""
    who, name, fresh, signed = Raw(value, BAD, "a seat").row(
        "its id", "its nickname", "its nonce", "its signature"
    )
    nickname = check_nickname(name.value)
    public, nonce, signature = who.octets(32), fresh.octets(32), signed.octets(64)
    statement = seat_statement(terms.digest(), public, nickname, nonce)
    identities.verify_signature(public, Label.SEAT, statement, signature)
    return SeatEntry(public, nickname, nonce, signature)


def parse_header(data: bytes) -> Header:
    """A header from its bytes, every signature checked; Invalid otherwise.

    SPEC: [H-1], [H-3], [H-5], [H-12].
    """
    first, roster = Raw(codec.decode(data, MAX_HEADER), BAD, "the header").row(
        "the terms", "the roster"
    )
    terms = parse_terms(first.value)
    entries = tuple(parse_entry(terms, one.value) for one in roster.exactly(terms.seats, "a seat"))
    roster.need(len({e.id for e in entries}) == len(entries), "seats one player twice")
    roster.need(entries[0].id == terms.host, "does not begin with the host")
    return Header(terms, entries)
