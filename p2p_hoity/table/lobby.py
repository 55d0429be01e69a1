"""Sitting down: the frames between host and guests before there is a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, Final

from protocol import Header, Identity, Invalid, SeatEntry, Terms, codec, is_plain, table_header

from ..confusable_names import is_stacked, twins

MAX_ADDRESSES = 12
MAX_ADDRESS = 300


PROOF = 32


class _Terms(codec.FieldForm[Terms]):
    """The terms of a table, whose fields have errors of their own."""

    def read(self, value: Any) -> Terms:
        """Return the terms. Raises WrongForm for what is not of this form."""
        return table_header.parse_terms(codec.Rows(codec.ANY).read(value))

    def write(self, value: Terms) -> Any:
        """Return the plain terms."""
        return value.value()


Proof = Annotated[bytes, codec.Octets(PROOF, optional=True)]
Nicknames = Annotated[
    tuple[str, ...], codec.Rows(codec.Text(table_header.is_nickname), table_header.SEAT_NUMBERS)
]
_ADDRESSES: Final = codec.Rows(codec.Text(is_plain, MAX_ADDRESS), MAX_ADDRESSES)


class Refusal(StrEnum):
    """Why there is no seat, or nothing to see."""

    UNPROVEN = "unproven"
    FULL = "full"
    NAME = "name"
    DENIED = "denied"
    UNHEARD = "unheard"
    UNWATCHED = "unwatched"


@dataclass(frozen=True)
class Ask:
    """A guest's first word: the proof that it holds the ticket; empty if it has no secret."""

    proof: Proof


@dataclass(frozen=True)
class Offer:
    """The host's terms and who has sat down so far, behind the proof that it gave the ticket;
    `watched`: onlookers are let in."""

    proof: Proof
    terms: Annotated[Terms, _Terms()]
    names: Nicknames
    watched: bool = True


@dataclass(frozen=True)
class Sit:
    """A guest's signed consent and where it can be reached."""

    entry: Annotated[Any, codec.Rows(codec.ANY)]
    addresses: Annotated[tuple[str, ...], _ADDRESSES]


@dataclass(frozen=True)
class SeatedNames:
    """Who has sat down so far."""

    names: Nicknames


@dataclass(frozen=True)
class Refuse:
    """The guest cannot sit down, or look on, and why."""

    reason: Refusal


@dataclass(frozen=True)
class Pending:
    """The host is asked whether the guest may sit down."""


@dataclass(frozen=True)
class Roster:
    """The table is complete: its header, each seat's addresses, and the host's signature, also of
    whether onlookers are let in."""

    header: bytes
    addresses: Annotated[
        tuple[tuple[str, ...], ...], codec.Rows(_ADDRESSES, table_header.SEAT_NUMBERS)
    ]
    watched: bool = field(default=True, kw_only=True)
    signature: codec.Octets64


@dataclass(frozen=True)
class SignedTable:
    """The table a seat plays at, with the signature of its host, and what else that signs."""

    table: codec.Octets32
    watched: bool = field(default=True, kw_only=True)
    signature: codec.Octets64


LobbyFrame = Ask | Offer | Sit | SeatedNames | Refuse | Pending | Roster | SignedTable


FRAMES: Final[codec.Kinds[LobbyFrame]] = codec.Kinds(
    {
        "ask": (Ask, 128),
        "offer": (Offer, 32_768),
        "sit": (Sit, 16_384),
        "names": (SeatedNames, 2_048),
        "refuse": (Refuse, 128),
        "asked": (Pending, 128),
        "roster": (Roster, 65_536),
        "table": (SignedTable, 128),
    }
)


def encode_lobby(frame: LobbyFrame) -> bytes:
    """The bytes that travel; the first field is a word, unlike in a table's frames."""
    return codec.encode(FRAMES.write(frame))


def parse_lobby(data: bytes) -> LobbyFrame:
    """A lobby frame from its bytes; Invalid otherwise ([X-2])."""
    return FRAMES.parse(data, "a lobby frame")


class Seating:
    """The host's list of who sits down; a seat is held while its link is, and a little longer."""

    def __init__(
        self, terms: Terms, own: SeatEntry, addresses: Sequence[str], watched: bool = True
    ) -> None:
        """The host sits first. `watched`: onlookers are let in."""
        self.terms, self.watched = terms, watched
        self._seats: dict[bytes, tuple[SeatEntry, tuple[str, ...]]] = {
            own.id: (own, tuple(addresses)[:MAX_ADDRESSES])
        }
        self._away: dict[bytes, float] = {}

    def move(self, addresses: Sequence[str]) -> None:
        """The host is reached at these addresses now."""
        own = self.terms.host
        self._seats[own] = (self._seats[own][0], tuple(addresses)[:MAX_ADDRESSES])

    @property
    def names(self) -> tuple[str, ...]:
        """The nicknames so far."""
        return tuple(entry.nickname for entry, _ in self._seats.values())

    @property
    def ids(self) -> frozenset[bytes]:
        """Who sits here."""
        return frozenset(self._seats)

    @property
    def complete(self) -> bool:
        """Whether everyone has sat down and is there."""
        return len(self._seats) == self.terms.seats and not self._away

    @property
    def is_kept(self) -> bool:
        """Whether a seat is kept for one whose link is gone."""
        return bool(self._away)

    def sit(self, entry: SeatEntry, addresses: tuple[str, ...]) -> None:
        """Seat a guest who may sit."""
        self._seats[entry.id] = (entry, addresses)
        self._away.pop(entry.id, None)

    def may_sit(self, peer: bytes, request: Sit) -> SeatEntry | Refusal:
        """A guest's entry as it would stand in the roster, or why it cannot. Invalid if its consent
        does not verify.

        SPEC: [L-8], [H-11].
        """
        entry = table_header.parse_entry(self.terms, request.entry)
        if entry.id != peer:
            raise Invalid("bad-header", "a seat entry is of another identity than the link")
        if len(self._seats) == self.terms.seats and peer not in self._seats:
            return Refusal.FULL
        others = (e.nickname for e, _ in self._seats.values() if e.id != peer)
        name = entry.nickname
        if is_stacked(name) or any(twins(other, name) for other in others):
            return Refusal.NAME
        return entry

    def leave(self, peer: bytes, now: float) -> None:
        """A guest's link is gone; it may be back at once."""
        if peer in self._seats:
            self._away[peer] = now

    def give_up(self, since: float) -> bool:
        """Free the seats whose links have been gone since then or longer; whether there are any.

        SPEC: [L-8].
        """
        gone = [peer for peer, when in self._away.items() if when <= since]
        for peer in gone:
            del self._seats[peer], self._away[peer]
        return bool(gone)

    def roster(self, host: Identity) -> Roster:
        """The complete table, signed by its host."""
        complete = Header(self.terms, tuple(entry for entry, _ in self._seats.values()))
        where = tuple(where for _, where in self._seats.values())
        signature = table_header.sign_roster(complete, host, self.watched)
        return Roster(complete.encode(), where, signature, watched=self.watched)
