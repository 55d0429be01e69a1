"""The lobby: the frames between host and guests before there is a table, and the host's list.

SPEC: section 13.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Any, Final

from protocol import (
    Header,
    Identity,
    Invalid,
    SeatEntry,
    Terms,
    Vouch,
    codec,
    is_plain,
    table_header,
    vouches,
)

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
    """The reason why a node gets no seat, loses the seat it had, or may not look on."""

    UNPROVEN = "unproven"
    FULL = "full"
    NAME = "name"
    DENIED = "denied"
    UNHEARD = "unheard"
    REPLACED = "replaced"
    UNWATCHED = "unwatched"


@dataclass(frozen=True)
class Ask:
    """A guest's first word: the proof that it holds the ticket; empty if it has no secret."""

    proof: Proof


@dataclass(frozen=True)
class Offer:
    """The host's terms, shown to a guest that holds the ticket.

    Attributes:
        proof: The proof that the host gave the ticket. Empty if the ticket has no secret.
        terms: The terms.
        names: The nicknames of those who have sat down.
        vouch: The host's vouch, if it shows one.
    """

    proof: Proof
    terms: Annotated[Terms, _Terms()]
    names: Nicknames
    vouch: Vouch | None = None


@dataclass(frozen=True)
class Sit:
    """A guest's signed consent.

    Attributes:
        entry: The entry of the roster, as a plain value.
        addresses: Where the guest can be reached.
        vouch: The guest's vouch, if it shows one.
    """

    entry: Annotated[Any, codec.Rows(codec.ANY)]
    addresses: Annotated[tuple[str, ...], _ADDRESSES]
    vouch: Vouch | None = None

    def player(self, peer: bytes) -> bytes:
        """Return what stands for the guest: its long-lived key, or else the key of its link.

        Args:
            peer: The key of the link over which this came.
        """
        return peer if self.vouch is None else self.vouch.id


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
    """The complete table.

    Attributes:
        header: The bytes of its header.
        addresses: Where each seat can be dialled.
        signature: The host's signature.
        vouches: The vouch of each seat, None for a seat that shows none.
    """

    header: bytes
    addresses: Annotated[
        tuple[tuple[str, ...], ...], codec.Rows(_ADDRESSES, table_header.SEAT_NUMBERS)
    ]
    signature: codec.Octets64
    vouches: Annotated[
        tuple[Vouch | None, ...], codec.Rows(Vouch | None, table_header.SEAT_NUMBERS)
    ]


@dataclass(frozen=True)
class SignedTable:
    """The table that a seat plays at, with the signature of its host."""

    table: codec.Octets32
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


@dataclass(frozen=True)
class Seated:
    """One seat of the host's list: its entry, its vouch if it shows one, and its addresses."""

    entry: SeatEntry
    vouch: Vouch | None
    addresses: tuple[str, ...]

    def is_of(self, player: Vouch | None) -> bool:
        """Return whether the player who shows this vouch has the seat."""
        return player is not None and self.vouch is not None and self.vouch.id == player.id


class Seating:
    """The host's list of seats. A seat is kept while its link is up, and a little longer."""

    def __init__(
        self, terms: Terms, own: SeatEntry, addresses: Sequence[str], vouch: Vouch | None = None
    ) -> None:
        """Begin the list with the host's own seat.

        Args:
            terms: The terms of the table.
            own: The host's entry.
            addresses: Where the host can be reached.
            vouch: The host's vouch, if it shows one.
        """
        self.terms, self.vouch = terms, vouch
        self._seats = {own.id: Seated(own, vouch, tuple(addresses)[:MAX_ADDRESSES])}
        self._away: dict[bytes, float] = {}

    def move(self, addresses: Sequence[str]) -> None:
        """Change the addresses at which the host is reached."""
        own = self.terms.host
        self._seats[own] = replace(self._seats[own], addresses=tuple(addresses)[:MAX_ADDRESSES])

    @property
    def names(self) -> tuple[str, ...]:
        """The nicknames so far."""
        return tuple(one.entry.nickname for one in self._seats.values())

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

    def sit(
        self, entry: SeatEntry, addresses: tuple[str, ...], vouch: Vouch | None = None
    ) -> list[bytes]:
        """Seat a guest, in the place of an earlier seat of the same player ([L-79]).

        Args:
            entry: The guest's entry, which `may_sit` has accepted.
            addresses: Where the guest can be reached.
            vouch: The guest's vouch, if it shows one.

        Returns:
            The ids of the earlier seats that were removed.
        """
        earlier = [
            peer for peer, one in self._seats.items() if one.is_of(vouch) and peer != entry.id
        ]
        for peer in earlier:
            del self._seats[peer]
            self._away.pop(peer, None)
        self._seats[entry.id] = Seated(entry, vouch, addresses)
        self._away.pop(entry.id, None)
        return earlier

    def may_sit(self, peer: bytes, request: Sit) -> SeatEntry | Refusal:
        """Return a guest's entry as it would stand in the roster, or why it cannot.

        A player that vouches for another key than before has lost its first link, and takes its
        seat with the new key.

        Args:
            peer: The key of the guest's link.
            request: Its consent.

        Raises:
            Invalid: If the consent or the vouch does not verify.

        SPEC: [L-8], [L-79], [H-11].
        """
        entry = table_header.parse_entry(self.terms, request.entry)
        if entry.id != peer:
            raise Invalid("bad-header", "a seat entry is of another key than the link")
        if request.vouch is not None:
            vouches.check_vouch(request.vouch, self.terms, entry)
        others = [
            one
            for one in self._seats.values()
            if one.entry.id != peer
            and (one.entry.id == self.terms.host or not one.is_of(request.vouch))
        ]
        if len(others) == self.terms.seats:
            return Refusal.FULL
        name = entry.nickname
        if is_stacked(name) or any(twins(one.entry.nickname, name) for one in others):
            return Refusal.NAME
        return Refusal.NAME if any(one.is_of(request.vouch) for one in others) else entry

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
        """Return the complete table, signed with the key of its host."""
        seats = self._seats.values()
        complete = Header(self.terms, tuple(one.entry for one in seats))
        signature = table_header.sign_roster(complete, host)
        where, shown = tuple(one.addresses for one in seats), tuple(one.vouch for one in seats)
        return Roster(complete.encode(), where, signature, shown)
