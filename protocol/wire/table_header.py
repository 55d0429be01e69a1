"""The header of a table: its terms, its roster, and the table id that follows from them.

SPEC: section 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import itemgetter
from typing import Annotated, Any, Final

from ..bounds import Milliseconds, Quota
from ..crypto import identities
from ..crypto.hashing import VERSION, Label, digest
from ..errors import Invalid, OtherVersion, coded
from . import codec
from .allowed_text import is_one_name, is_plain
from .codec import ANY, Fields, Int, Octets32, Octets64, Rows, Struct, Text

MAX_SEATS: Final = 8
"""Seats of a table at most ([H-2]). With more, [E-18] could leave out what decides a base."""
SEAT_NUMBERS: Final = 16
"""Seat numbers for which messages and files have room, so that tables may have more seats later."""
LONGEST_VERSION: Final = 40
"""Characters of another version that are told."""
MAX_HEADER: Final = 16 * 1024
MAX_NICKNAME: Final = 24
MAX_GAME_NAME: Final = 32
"""Characters of the name of a game."""
MAX_OPTIONS: Final = 16
"""Options of one table."""
MAX_OPTION: Final = 65_535
"""The highest number of an option."""
ONLOOKERS: Final = 1
"""Number of the option that keeps onlookers out. Its value is False."""
KNOWN_OPTIONS: Final = frozenset({ONLOOKERS})
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


Option = tuple[int, Any]
"""The number of an option and its value."""


@dataclass(frozen=True)
class Terms:
    """The terms of a table, as its host offers them.

    Attributes:
        host: The key of the host at this table, 32 bytes.
        nonce: 32 random bytes, or those of [A-1] at the next table of the same people.
        game: An array that begins with [name, version]. The rest is up to the game.
        seats: The number of seats.
        quorum: How many seats decide, and can open what another seat has sealed.
        timeouts: How long steps and changes of epoch are waited for.
        rejoins: The highest count of a rejoin.
        options: Further terms, by rising number ([H-14]).
    """

    host: Octets32
    nonce: Octets32
    game: Any
    seats: Annotated[int, Int(MAX_SEATS, 2)]
    quorum: Annotated[int, Int(MAX_SEATS)]
    timeouts: Timeouts = Timeouts()
    rejoins: Annotated[Quota, Int(255)] = 8
    options: Annotated[
        tuple[Option, ...],
        Rows(Fields(Annotated[int, Int(MAX_OPTION)], ANY), MAX_OPTIONS, key=itemgetter(0)),
    ] = ()

    def value(self) -> tuple[Any, ...]:
        """Return the terms as a plain value."""
        return (VERSION, *_TERMS.write(self))

    def digest(self) -> bytes:
        """Return the terms digest, 32 bytes. A ticket names it, and every seat signs it."""
        return digest(Label.TERMS, codec.encode(self.value()))

    @property
    def strict(self) -> bool:
        """Whether all seats are needed. There is no escrow then, and an absence only pauses."""
        return self.quorum == self.seats

    @property
    def watched(self) -> bool:
        """Whether onlookers are let in."""
        return ONLOOKERS not in dict(self.options)

    def check_options(self) -> None:
        """Check that this program knows all options, as a seat must before it signs ([H-14]).

        Raises:
            Invalid: 'bad-header' if it does not know an option, or the value of one.
        """
        for number, value in self.options:
            if number not in KNOWN_OPTIONS or value is not False:
                raise Invalid(BAD, f"the terms have option {number}, which is not known here")


def is_nickname(name: str) -> bool:
    """Return whether a text can be a nickname ([H-4])."""
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


def _is_game_name(name: str) -> bool:
    return 0 < len(name) <= MAX_GAME_NAME and is_plain(name)


_GAME_HEAD: Final = Fields(Text(_is_game_name), Int(2**32 - 1))
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


def roster_statement(terms_digest: bytes, table_id: bytes) -> bytes:
    """Return the bytes that a host signs once for its terms: the one table it opens on them."""
    return codec.encode((terms_digest, table_id))


def sign_roster(header: Header, host: identities.Identity) -> bytes:
    """Return the signature of the host, 64 bytes: this is the table of its terms."""
    return host.sign(Label.ROSTER, roster_statement(header.terms.digest(), header.table_id))


def check_roster(terms: Terms, table_id: bytes, signature: bytes) -> None:
    """Check that the host of these terms has signed this table.

    Raises:
        Invalid: 'bad-signature' if it has not.
    """
    statement = roster_statement(terms.digest(), table_id)
    identities.verify_signature(terms.host, Label.ROSTER, statement, signature)


BAD: Final = "bad-header"


def parse_terms(value: Any) -> Terms:
    """Return the terms that a plain value is ([H-2], [X-1]).

    Odd options are taken as they are: only a seat has to know them (`Terms.check_options`).

    Args:
        value: The value, as `codec.decode` returns it.

    Raises:
        Invalid: 'bad-header' if they break [H-2].
        OtherVersion: if they are of another version. It is an Invalid, too.
    """
    version = codec.read(Rows(ANY, least=1), value, BAD, "the terms")[0]
    if version != VERSION:
        raise OtherVersion(str(version)[:LONGEST_VERSION], VERSION)
    terms = codec.read(_TERMS, value, BAD, "the terms")
    codec.read(Rows(_GAME_HEAD, least=1), _first_of(terms.game), BAD, "the game")
    for number, _ in terms.options:
        if number % 2 == 0:
            raise Invalid(BAD, f"the terms have option {number}, which is not known here")
    with coded(BAD):
        identities.check_public(terms.host)
    if not terms.seats // 2 < terms.quorum <= terms.seats:
        raise Invalid(BAD, "the quorum is no majority of the seats")
    if terms.timeouts.back_off > terms.timeouts.cap:
        raise Invalid(BAD, "the back-off is above its cap")
    return terms


def _first_of(game: Any) -> Any:
    """Return an array with the first item of the game's value alone, or what is no array."""
    return game[:1] if isinstance(game, tuple) else game


def check_nickname(name: object) -> str:
    """A nickname: 1 to 24 characters of plain text, without separators ([H-4], [H-6], [H-10])."""
    return codec.read(_NICKNAME, name, BAD, "a nickname")


def parse_entry(terms: Terms, value: Any) -> SeatEntry:
    """A seat's entry with its signature checked; Invalid otherwise ([H-4])."""
    entry = codec.read(_ENTRY, value, BAD, "a seat")
    with coded(BAD):
        identities.check_public(entry.id)
    statement = seat_statement(terms.digest(), entry.id, entry.nickname, entry.nonce)
    identities.verify_signature(entry.id, Label.SEAT, statement, entry.signature)
    return entry


def parse_header(data: bytes) -> Header:
    """A header from its bytes, every signature checked; Invalid otherwise.

    SPEC: [H-1], [H-3], [H-5], [H-12], [H-13].
    """
    with coded(BAD):
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
