"""The header: what everyone agrees to before sitting down, who sits, and the table's id."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Final

from ..bounds import Milliseconds, Quota
from ..crypto import identities
from ..crypto.hashing import VERSION, Label, digest
from ..errors import Invalid, OtherVersion
from . import codec
from .allowed_text import is_one_name
from .codec import ANY, Fields, Int, Octets32, Octets64, Rows, Struct, Text

MAX_SEATS: Final = 8
"""Seats of a table at most ([H-2]). With more, [E-18] could leave out what decides a base."""
SEAT_NUMBERS: Final = 16
"""Seat numbers for which messages and files have room, so that tables may have more seats later."""
LONGEST_VERSION: Final = 40
"""Characters of another version that are told."""
MAX_HEADER: Final = 16 * 1024
MAX_NICKNAME: Final = 24
SECOND, DAY = 1_000, 86_400_000
Seat = Annotated[int, Int(SEAT_NUMBERS - 1)]
DEFAULT_QUORUM: Final = {2: 2, 3: 2, 4: 3, 5: 4, 6: 4}


def default_quorum(seats: int) -> int:
    """The quorum a table has unless its host asks for another."""
    return DEFAULT_QUORUM.get(seats, 2 * seats // 3 + 1)


@dataclass(frozen=True)
class Timeouts:
    """Milliseconds: for a step people decide, for any other, and the back-off g and its cap G.

    The bounds are what a person may still mean.
    """

    choice: Annotated[Milliseconds, Int(30 * DAY, SECOND)] = 300_000
    step: Annotated[Milliseconds, Int(30 * DAY, SECOND)] = 30_000
    back_off: Annotated[Milliseconds, Int(DAY, 100)] = 5_000
    cap: Annotated[Milliseconds, Int(30 * DAY, 100)] = 120_000


@dataclass(frozen=True)
class Terms:
    """What the host offers: `game` is the game's own value, opaque here."""

    host: Octets32
    nonce: Octets32
    game: Any
    seats: Annotated[int, Int(MAX_SEATS, 2)]
    quorum: Annotated[int, Int(MAX_SEATS)]
    timeouts: Timeouts = Timeouts()
    rejoins: Annotated[Quota, Int(255)] = 8

    def value(self) -> tuple[Any, ...]:
        """The terms as a plain value."""
        return (VERSION, *_TERMS.write(self))

    def digest(self) -> bytes:
        """What a ticket names and every seat signs."""
        return digest(Label.TERMS, codec.encode(self.value()))

    @property
    def strict(self) -> bool:
        """All seats are needed: no key sharing, no escrow, an absence only pauses."""
        return self.quorum == self.seats


def is_nickname(name: str) -> bool:
    """Whether it can be a nickname."""
    return 0 < len(name) <= MAX_NICKNAME and is_one_name(name)


_NICKNAME: Final = Text(is_nickname)


@dataclass(frozen=True)
class SeatEntry:
    """One seat's consent to the terms."""

    id: Octets32
    nickname: Annotated[str, _NICKNAME]
    nonce: Octets32
    signature: Octets64

    def value(self) -> tuple[Any, ...]:
        """The entry as a plain value."""
        return _ENTRY.write(self)


_TERMS: Final = Struct(Terms, head=1)
_ENTRY: Final = Struct(SeatEntry)


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
    version = codec.read(Rows(ANY, least=1), value, BAD, "the terms")[0]
    if version != VERSION:
        raise OtherVersion(str(version)[:LONGEST_VERSION], VERSION)
    terms = codec.read(_TERMS, value, BAD, "the terms")
    identities.check_public(terms.host)
    if not terms.seats // 2 < terms.quorum <= terms.seats:
        raise Invalid(BAD, "the quorum is no majority of the seats")
    if terms.timeouts.back_off > terms.timeouts.cap:
        raise Invalid(BAD, "the back-off is above its cap")
    return terms


def check_nickname(name: object) -> str:
    """A nickname: 1 to 24 characters of plain text, without separators ([H-4], [H-6], [H-10])."""
    return codec.read(_NICKNAME, name, BAD, "a nickname")


def parse_entry(terms: Terms, value: Any) -> SeatEntry:
    """A seat's entry with its signature checked; Invalid otherwise ([H-4])."""
    entry = codec.read(_ENTRY, value, BAD, "a seat")
    statement = seat_statement(terms.digest(), entry.id, entry.nickname, entry.nonce)
    identities.verify_signature(entry.id, Label.SEAT, statement, entry.signature)
    return entry


def parse_header(data: bytes) -> Header:
    """A header from its bytes, every signature checked; Invalid otherwise.

    SPEC: [H-1], [H-3], [H-5], [H-12], [H-13].
    """
    whole = codec.decode(data, MAX_HEADER)
    first, roster = codec.read(Fields(ANY, ANY), whole, BAD, "the header")
    terms = parse_terms(first)
    found = codec.read(Rows(ANY, terms.seats, terms.seats), roster, BAD, "the roster")
    entries = tuple(parse_entry(terms, one) for one in found)
    if len({entry.id for entry in entries}) < len(entries):
        raise Invalid(BAD, "the roster seats one player twice")
    if entries[0].id != terms.host:
        raise Invalid(BAD, "the roster does not begin with the host")
    return Header(terms, entries)
