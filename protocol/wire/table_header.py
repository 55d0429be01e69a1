"""The header of a table: its terms and the signed entries of its seats (SPEC, section 4)."""

from __future__ import annotations

from dataclasses import dataclass
from operator import itemgetter
from typing import Annotated, Any, Final

from ..crypto import identities
from ..crypto.hashing import VERSION, Label, digest
from ..errors import Invalid, OtherVersion, coded
from ..units import Milliseconds, Quota, TableId
from . import codec
from .allowed_text import is_one_name, is_plain
from .codec import ANY, Fields, Int, Octets32, Octets64, Rows, Struct, Text

MAX_SEATS: Final = 8
"""The most seats of a table ([H-2]). For more seats, the bound of [E-18] would be too low."""
SEAT_NUMBERS: Final = 16
"""How many seat numbers messages and files allow, so that later tables may be larger."""
LONGEST_VERSION: Final = 40
"""The most characters of an unknown version that an error message repeats."""
MAX_HEADER: Final = 16 * 1024
"""The most bytes of a header."""
MAX_NICKNAME: Final = 24
"""The most characters of a nickname."""
MAX_GAME_NAME: Final = 32
"""The most characters of the name of a game."""
MAX_OPTIONS: Final = 16
"""The most options of one table."""
MAX_OPTION: Final = 65_535
"""The highest number of an option."""
ONLOOKERS: Final = 1
"""The number of the option that keeps onlookers out. Its value is False."""
KNOWN_OPTIONS: Final = frozenset({ONLOOKERS})
"""The numbers of the options that this program knows."""
SECOND, DAY = 1_000, 86_400_000
Seat = Annotated[int, Int(SEAT_NUMBERS - 1)]
"""The number of a seat, from 0."""
DEFAULT_QUORUM: Final = {2: 2, 3: 2, 4: 3, 5: 4, 6: 4}
"""The default quorum, by the number of seats."""


def default_quorum(seats: int) -> int:
    """Return the quorum of a table whose host asks for no other quorum.

    Args:
        seats: The number of seats.

    Returns:
        The number of seats that decide.
    """
    return DEFAULT_QUORUM.get(seats, 2 * seats // 3 + 1)


@dataclass(frozen=True)
class Timeouts:
    """The times of a table, in milliseconds.

    Attributes:
        choice: The step timeout of a step in which players decide.
        step: The step timeout of any other step.
        back_off: How long a seat at first waits for a change of epoch before it requests the next
            one. The wait doubles with each failed change of epoch.
        cap: The longest wait for a change of epoch.
    """

    choice: Annotated[Milliseconds, Int(30 * DAY, SECOND)] = 300_000
    step: Annotated[Milliseconds, Int(30 * DAY, SECOND)] = 30_000
    back_off: Annotated[Milliseconds, Int(DAY, 100)] = 5_000
    cap: Annotated[Milliseconds, Int(30 * DAY, 100)] = 120_000


Option = tuple[int, Any]
"""The number of an option, and its value."""


@dataclass(frozen=True)
class Terms:
    """The terms of a table, as its host offers them.

    Attributes:
        host: The key of the host at this table.
        nonce: 32 random bytes, or derived by [A-1] for the next table of the same people.
        game: An array that begins with [name, version]. The rest is up to the game.
        seats: The number of seats.
        quorum: How many seats decide, and can together open the sealed choice of another seat.
        timeouts: The step timeouts and the back-off.
        rejoins: The highest number of absences after which a seat may rejoin.
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
        """Return the terms as the array that is encoded.

        Returns:
            The version of the protocol and the fields, in their order.
        """
        return (VERSION, *_TERMS.write(self))

    def digest(self) -> bytes:
        """Return the hash of the terms, which a ticket names and every seat signs.

        Returns:
            The digest, 32 bytes.
        """
        return digest(Label.TERMS, codec.encode(self.value()))

    @property
    def strict(self) -> bool:
        """True if the quorum is all seats, so that the game pauses while any seat is absent."""
        return self.quorum == self.seats

    @property
    def watched(self) -> bool:
        """True if onlookers are let in."""
        return ONLOOKERS not in dict(self.options)

    def check_options(self) -> None:
        """Check that this program knows all options, as a seat must before it signs ([H-14]).

        Raises:
            Invalid: With code `bad-header` if this program does not know an option or its value.
        """
        for number, value in self.options:
            if number not in KNOWN_OPTIONS or value is not False:
                raise Invalid(BAD, f"the terms have option {number}, which is not known here")


def is_nickname(name: str) -> bool:
    """Return whether a text can be a nickname ([H-4]).

    Args:
        name: The text.

    Returns:
        Whether it has 1 to 24 characters, is plain text, and contains no separator.
    """
    return 0 < len(name) <= MAX_NICKNAME and is_one_name(name)


_NICKNAME: Final = Text(is_nickname)


@dataclass(frozen=True)
class SeatEntry:
    """The entry of one seat in the roster, by which the seat consents to the terms.

    Attributes:
        id: The key of the seat at this table.
        nickname: The name that the seat shows to the others.
        nonce: 32 random bytes, or a commitment to the player's long-lived key.
        signature: The signature of the seat.
    """

    id: Octets32
    nickname: Annotated[str, _NICKNAME]
    nonce: Octets32
    signature: Octets64

    def value(self) -> tuple[Any, ...]:
        """Return the entry as the array that is encoded.

        Returns:
            The fields, in their order.
        """
        return _ENTRY.write(self)


def _is_game_name(name: str) -> bool:
    return 0 < len(name) <= MAX_GAME_NAME and is_plain(name)


_GAME_HEAD: Final = Fields(Text(_is_game_name), Int(2**32 - 1))
_TERMS: Final = Struct(Terms, head=1)
_ENTRY: Final = Struct(SeatEntry)


@dataclass(frozen=True)
class Header:
    """The header of a table: its terms, and the entries of its seats.

    Attributes:
        terms: The terms.
        roster: The entry of each seat, in the order of the seats.
    """

    terms: Terms
    roster: tuple[SeatEntry, ...]

    def encode(self) -> bytes:
        """Return the bytes of the header.

        Returns:
            The one encoding of the terms and the roster.
        """
        return codec.encode((self.terms.value(), tuple(e.value() for e in self.roster)))

    @property
    def table_id(self) -> bytes:
        """The hash of the header. It is part of all later signed or hashed data."""
        return digest(Label.TABLE_ID, self.encode())


def seat_statement(terms_digest: bytes, id: bytes, nickname: str, nonce: bytes) -> bytes:
    """Return the bytes that a seat signs to consent to the terms.

    Args:
        terms_digest: The digest of the terms, 32 bytes.
        id: The key of the seat, 32 bytes.
        nickname: The nickname.
        nonce: The nonce of the entry of the seat, 32 bytes.

    Returns:
        The encoded array of the four arguments.
    """
    # With the digest of the terms, so that an entry cannot be moved to another table.
    return codec.encode((terms_digest, id, nickname, nonce))


def sit(terms: Terms, who: identities.Identity, nickname: str, nonce: bytes) -> SeatEntry:
    """Sign the terms of a table, to take a seat at it.

    Args:
        terms: The terms.
        who: The signing key of the seat.
        nickname: The nickname.
        nonce: The nonce of the entry, 32 bytes.

    Returns:
        The entry of the seat for the roster.
    """
    statement = seat_statement(terms.digest(), who.public, nickname, nonce)
    return SeatEntry(who.public, nickname, nonce, who.sign(Label.SEAT, statement))


def roster_statement(terms_digest: bytes, table_id: TableId) -> bytes:
    """Return the bytes that a host signs to say who has sat down at its table.

    The table id covers the terms and all seats. A host signs only one table id for its terms.

    Args:
        terms_digest: The digest of the terms, 32 bytes.
        table_id: The table id.

    Returns:
        The encoded array of the two arguments.
    """
    return codec.encode((terms_digest, table_id))


def sign_roster(header: Header, host: identities.Identity) -> bytes:
    """Return the signature by which the host confirms the seats of the table.

    Args:
        header: The header of the table.
        host: The signing key of the host.

    Returns:
        The signature, 64 bytes.
    """
    return host.sign(Label.ROSTER, roster_statement(header.terms.digest(), header.table_id))


def check_roster(terms: Terms, table_id: TableId, signature: bytes) -> None:
    """Check that the host named in the terms has signed the table id.

    Args:
        terms: The terms.
        table_id: The table id.
        signature: The signature of the host, 64 bytes.

    Raises:
        Invalid: With code `bad-signature` if the host has not signed it.
    """
    statement = roster_statement(terms.digest(), table_id)
    identities.verify_signature(terms.host, Label.ROSTER, statement, signature)


BAD: Final = "bad-header"


def parse_terms(value: Any) -> Terms:
    """Check a decoded value, and return it as terms ([H-2], [X-1]).

    Args:
        value: The value, as `codec.decode` returns it.

    Returns:
        The terms.

    Raises:
        Invalid: With code `bad-header` if the terms break [H-2].
        OtherVersion: If the terms are of another version of the protocol. It is an Invalid, too.
    """
    version = codec.read(Rows(ANY, least=1), value, BAD, "the terms")[0]
    # First of all, because the terms of another version may have any form.
    if version != VERSION:
        raise OtherVersion(str(version)[:LONGEST_VERSION], VERSION)
    terms = codec.read(_TERMS, value, BAD, "the terms")
    head = terms.game[:1] if isinstance(terms.game, tuple) else terms.game
    codec.read(Rows(_GAME_HEAD, least=1), head, BAD, "the game")
    for number, _ in terms.options:
        # Options with odd numbers concern only the seats, which call `check_options`.
        if number % 2 == 0:
            raise Invalid(BAD, f"the terms have option {number}, which is not known here")
    with coded(BAD):
        identities.check_public(terms.host)
    # Two quorums must share a seat, or two results could both be decided.
    if not terms.seats // 2 < terms.quorum <= terms.seats:
        raise Invalid(BAD, "the quorum is no majority of the seats")
    if terms.timeouts.back_off > terms.timeouts.cap:
        raise Invalid(BAD, "the back-off is above its cap")
    return terms


def check_nickname(name: object) -> str:
    """Check that a value can be a nickname, and return it ([H-4], [H-6], [H-10]).

    Args:
        name: Any value.

    Returns:
        The same value.

    Raises:
        Invalid: With code `bad-header` if it cannot be a nickname.
    """
    return codec.read(_NICKNAME, name, BAD, "a nickname")


def parse_entry(terms: Terms, value: Any) -> SeatEntry:
    """Check a decoded value and its signature, and return it as the entry of a seat ([H-4]).

    Args:
        terms: The terms of the table.
        value: The value, as `codec.decode` returns it.

    Returns:
        The entry.

    Raises:
        Invalid: With code `bad-header`, or `bad-signature` if only the signature is invalid.
    """
    entry = codec.read(_ENTRY, value, BAD, "a seat")
    with coded(BAD):
        identities.check_public(entry.id)
    statement = seat_statement(terms.digest(), entry.id, entry.nickname, entry.nonce)
    identities.verify_signature(entry.id, Label.SEAT, statement, entry.signature)
    return entry


def parse_header(data: bytes) -> Header:
    """Decode a header, and check every signature in it ([H-1], [H-3], [H-5], [H-12], [H-13]).

    Args:
        data: The bytes.

    Returns:
        The header.

    Raises:
        Invalid: With code `bad-header`, or `bad-signature` for an invalid signature of an entry.
    """
    with coded(BAD):
        whole = codec.decode(data, MAX_HEADER)
    first, roster = codec.read(Fields(ANY, ANY), whole, BAD, "the header")
    terms = parse_terms(first)
    found = codec.read(Rows(ANY, terms.seats, terms.seats), roster, BAD, "the roster")
    entries = tuple(parse_entry(terms, one) for one in found)
    # One key on two seats would vote twice in every quorum.
    if len({entry.id for entry in entries}) < len(entries):
        raise Invalid(BAD, "the roster seats one player twice")
    # The host's entry has to be there: else others could play a table under its terms.
    if entries[0].id != terms.host:
        raise Invalid(BAD, "the roster does not begin with the host")
    return Header(terms, entries)
