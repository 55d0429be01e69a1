"""The lobby: the frames between host and guests before a game, and the host's list of seats.

The vouch of a seat is the signature of the player's long-lived key over its key of this table. It
is None for a seat that shows none. An entry of the roster has a seat's key, nickname and nonce, and
the seat's signature. A proof shows that a peer holds the ticket. It has 32 bytes, or none if the
ticket has no secret.

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
from protocol.units import PeerId

from ...confusable_names import is_stacked, twins

MAX_ADDRESSES = 12
MAX_ADDRESS = 300


PROOF = 32


class _Terms(codec.FieldForm[Terms]):
    """The form of a field with the terms of a table. Invalid ones raise as `parse_terms` does."""

    def read(self, value: Any) -> Terms:
        """Parse the terms in a decoded field."""
        return table_header.parse_terms(codec.Rows(codec.ANY).read(value))

    def write(self, value: Terms) -> Any:
        """Return the terms as a plain value."""
        return value.value()


Proof = Annotated[bytes, codec.Octets(PROOF, optional=True)]
Nicknames = Annotated[
    tuple[str, ...], codec.Rows(codec.Text(table_header.is_nickname), table_header.SEAT_NUMBERS)
]
_ADDRESSES: Final = codec.Rows(codec.Text(is_plain, MAX_ADDRESS), MAX_ADDRESSES)


class Refusal(StrEnum):
    """The reasons for which a peer gets no seat, loses its seat, or may not look on."""

    UNPROVEN = "unproven"
    FULL = "full"
    NAME = "name"
    DENIED = "denied"
    UNHEARD = "unheard"
    REPLACED = "replaced"
    UNWATCHED = "unwatched"


@dataclass(frozen=True)
class Ask:
    """The first frame of a guest, with its proof."""

    proof: Proof


@dataclass(frozen=True)
class Offer:
    """The host's terms and proof for a guest with the ticket, and the names of those who sit."""

    proof: Proof
    terms: Annotated[Terms, _Terms()]
    names: Nicknames
    vouch: Vouch | None = None


@dataclass(frozen=True)
class Sit:
    """A guest's signed consent: its entry, as a plain value, and where it can be dialled."""

    entry: Annotated[Any, codec.Rows(codec.ANY)]
    addresses: Annotated[tuple[str, ...], _ADDRESSES]
    vouch: Vouch | None = None

    def player(self, peer: PeerId) -> bytes:
        """Return the guest's long-lived key if it shows one, or else the key of its link."""
        return peer if self.vouch is None else self.vouch.id


@dataclass(frozen=True)
class SeatedNames:
    """The nicknames of those who have sat down, in the order of the seats, for all guests."""

    names: Nicknames


@dataclass(frozen=True)
class Refuse:
    """The host's answer that a peer gets no seat, or may not look on."""

    reason: Refusal


@dataclass(frozen=True)
class Pending:
    """The host's answer that its player is being asked whether the guest may sit down."""


@dataclass(frozen=True)
class Roster:
    """The complete table, signed by the host: who sits at which seat, and on which terms.

    Attributes:
        header: The encoded header: the terms and the entry of each seat.
        addresses: For each seat the addresses at which it can be dialled.
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
    """The id of the table that a seat plays at, with the signature of the table's host."""

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
    """Encode a frame of the lobby. Its first item is a word, unlike that of a frame of the game."""
    return codec.encode(FRAMES.write(frame))


def parse_lobby(data: bytes) -> LobbyFrame:
    """Parse a frame of the lobby ([X-2]).

    Raises:
        Invalid: If the bytes are not a frame of the lobby.
    """
    return FRAMES.parse(data, "a lobby frame")


@dataclass(frozen=True)
class Seated:
    """A seat in the host's list, with the addresses at which it can be dialled."""

    entry: SeatEntry
    vouch: Vouch | None
    addresses: tuple[str, ...]

    def is_of(self, player: Vouch | None) -> bool:
        """Return whether this seat and a player's vouch show the same long-lived key."""
        # Two seats that show no key are not known to be of one player.
        return player is not None and self.vouch is not None and self.vouch.id == player.id


class Seating:
    """The host's list of seats. A guest's seat is kept for a while after its link is lost."""

    def __init__(
        self, terms: Terms, own: SeatEntry, addresses: Sequence[str], vouch: Vouch | None = None
    ) -> None:
        """Begin the list of the seats that are taken, with the host's own seat."""
        self.terms, self.vouch = terms, vouch
        # First in the list, because the roster keeps this order, and seat 0 is the host's.
        self._seats = {own.id: Seated(own, vouch, tuple(addresses)[:MAX_ADDRESSES])}
        self._away: dict[bytes, float] = {}

    def set_addresses(self, addresses: Sequence[str]) -> None:
        """Change the addresses at which the host can be dialled."""
        own = self.terms.host
        # With more addresses no guest would accept the roster.
        self._seats[own] = replace(self._seats[own], addresses=tuple(addresses)[:MAX_ADDRESSES])

    @property
    def nicknames(self) -> dict[bytes, str]:
        """The nicknames of the players who have sat down, by the id of the peer."""
        return {peer: one.entry.nickname for peer, one in self._seats.items()}

    @property
    def names(self) -> tuple[str, ...]:
        """The nicknames of the players who have sat down."""
        return tuple(self.nicknames.values())

    @property
    def ids(self) -> frozenset[bytes]:
        """The ids of the peers that have sat down."""
        return frozenset(self._seats)

    @property
    def is_complete(self) -> bool:
        """True if all seats are taken and all guests have a live link."""
        # A seat without a link would be silent in setup, which ends the table.
        return len(self._seats) == self.terms.seats and not self._away

    @property
    def is_kept(self) -> bool:
        """True if a seat is kept for a guest whose link was lost."""
        return bool(self._away)

    def sit(
        self, entry: SeatEntry, addresses: tuple[str, ...], vouch: Vouch | None = None
    ) -> list[bytes]:
        """Seat a guest that `may_sit`. Return the ids of its player's earlier seats ([L-79])."""
        earlier = [
            peer for peer, one in self._seats.items() if one.is_of(vouch) and peer != entry.id
        ]
        for peer in earlier:
            del self._seats[peer]
            self._away.pop(peer, None)
        self._seats[entry.id] = Seated(entry, vouch, addresses)
        self._away.pop(entry.id, None)
        return earlier

    def may_sit(self, peer: PeerId, request: Sit) -> SeatEntry | Refusal:
        """Return a guest's entry in the roster or the reason to refuse it ([L-8], [L-79], [H-11]).

        A player may already have a seat, under another key of this table. Then its new consent is
        accepted, even if the table is full, and `sit` replaces the old seat.

        Args:
            peer: The key of the guest's link.

        Raises:
            Invalid: If the signature of the consent or that of the vouch is invalid.
        """
        entry = table_header.parse_entry(self.terms, request.entry)
        # Only who owns the link may sit under its key. Otherwise a guest could pass on the consent
        # of another one.
        if entry.id != peer:
            raise Invalid("bad-header", "a seat entry is of another key than the link")
        if request.vouch is not None:
            vouches.check_vouch(request.vouch, self.terms, entry)
        others = [
            one
            for one in self._seats.values()
            if one.entry.id != peer
            # The host's own seat counts even if the guest vouches with the host's long-lived key:
            # nobody takes over that seat.
            and (one.entry.id == self.terms.host or not one.is_of(request.vouch))
        ]
        if len(others) == self.terms.seats:
            return Refusal.FULL
        name = entry.nickname
        if is_stacked(name) or any(twins(one.entry.nickname, name) for one in others):
            return Refusal.NAME
        # Only the host's seat is left: nobody shows its long-lived key and sits beside it ([L-79]).
        return Refusal.NAME if any(one.is_of(request.vouch) for one in others) else entry

    def leave(self, peer: PeerId, now: float) -> None:
        """Note that a guest's link was lost. The guest's seat is kept for now."""
        if peer in self._seats:
            self._away[peer] = now

    def give_up(self, since: float) -> bool:
        """Free the seats whose links were lost by `since`. Return whether any was ([L-8])."""
        gone = [peer for peer, when in self._away.items() if when <= since]
        for peer in gone:
            del self._seats[peer], self._away[peer]
        return bool(gone)

    def roster(self, host: Identity) -> Roster:
        """Return the complete table, signed with the host's key of this table."""
        seats = self._seats.values()
        complete = Header(self.terms, tuple(one.entry for one in seats))
        signature = table_header.sign_roster(complete, host)
        where, shown = tuple(one.addresses for one in seats), tuple(one.vouch for one in seats)
        return Roster(complete.encode(), where, signature, shown)
