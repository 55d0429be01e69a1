"""The lobby: the frames between host and guests before a game, and the host's list of seats.

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
    """The form of a field that contains the terms of a table.

    Invalid terms raise the errors of `table_header.parse_terms`.
    """

    def read(self, value: Any) -> Terms:
        """Parse the terms in a field.

        Args:
            value: The decoded field.

        Raises:
            WrongForm: If the field is no array.
            Invalid: If the terms are invalid.
        """
        return table_header.parse_terms(codec.Rows(codec.ANY).read(value))

    def write(self, value: Terms) -> Any:
        """Return the terms as a plain value.

        Returns:
            The array that is encoded.
        """
        return value.value()


Proof = Annotated[bytes, codec.Octets(PROOF, optional=True)]
Nicknames = Annotated[
    tuple[str, ...], codec.Rows(codec.Text(table_header.is_nickname), table_header.SEAT_NUMBERS)
]
_ADDRESSES: Final = codec.Rows(codec.Text(is_plain, MAX_ADDRESS), MAX_ADDRESSES)


class Refusal(StrEnum):
    """The reasons for which a node gets no seat, loses its seat, or may not look on."""

    UNPROVEN = "unproven"
    FULL = "full"
    NAME = "name"
    DENIED = "denied"
    UNHEARD = "unheard"
    REPLACED = "replaced"
    UNWATCHED = "unwatched"


@dataclass(frozen=True)
class Ask:
    """The first frame of a guest, with a proof that the guest holds the ticket.

    Attributes:
        proof: The guest's proof, 32 bytes. Empty if the ticket has no secret.
    """

    proof: Proof


@dataclass(frozen=True)
class Offer:
    """The host's terms, sent to a guest that has proven the ticket.

    Attributes:
        proof: The host's proof that it gave the ticket, 32 bytes. Empty if the ticket has no
            secret.
        names: The nicknames of the players who have sat down.
        vouch: The host's vouch, if it shows one: the signature of its long-lived key over its key
            of this table.
    """

    proof: Proof
    terms: Annotated[Terms, _Terms()]
    names: Nicknames
    vouch: Vouch | None = None


@dataclass(frozen=True)
class Sit:
    """A guest's signed consent to the terms.

    Attributes:
        entry: The guest's signed entry for the roster (its key of this table, nickname and nonce),
            as a plain value.
        addresses: The addresses at which the guest can be dialled.
        vouch: The guest's vouch, if it shows one: the signature of its long-lived key over its key
            of this table.
    """

    entry: Annotated[Any, codec.Rows(codec.ANY)]
    addresses: Annotated[tuple[str, ...], _ADDRESSES]
    vouch: Vouch | None = None

    def player(self, peer: PeerId) -> bytes:
        """Return the key by which the guest's player is known at this table.

        Args:
            peer: The key of the link over which this frame came.

        Returns:
            The player's long-lived key, if the guest has shown one by a vouch (a signature with
            that key). Otherwise the key of the link.
        """
        return peer if self.vouch is None else self.vouch.id


@dataclass(frozen=True)
class SeatedNames:
    """The list of those who have sat down so far, which the host sends to all guests.

    Attributes:
        names: Their nicknames, in the order of the seats.
    """

    names: Nicknames


@dataclass(frozen=True)
class Refuse:
    """The host's answer that a node gets no seat, or may not look on."""

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
        signature: The host's signature of the header, 64 bytes.
        vouches: The vouch of each seat: the signature of the player's long-lived key over the key
            of the seat. None for a seat that shows none.
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
    """The id of the table that a seat plays at, with the signature of the table's host.

    Attributes:
        signature: The host's signature, 64 bytes.
    """

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
    """Encode a frame of the lobby.

    Returns:
        The bytes of the frame. The first item of the frame is a word. In frames of the game the
        first item is a number.
    """
    return codec.encode(FRAMES.write(frame))


def parse_lobby(data: bytes) -> LobbyFrame:
    """Parse a frame of the lobby ([X-2]).

    Raises:
        Invalid: If the bytes are not a frame of the lobby.
    """
    return FRAMES.parse(data, "a lobby frame")


@dataclass(frozen=True)
class Seated:
    """A seat in the host's list.

    Attributes:
        entry: The seat's signed entry for the roster.
        vouch: The vouch, if the seat shows one: the signature of the player's long-lived key over
            the key of the seat.
        addresses: The addresses at which the seat can be dialled.
    """

    entry: SeatEntry
    vouch: Vouch | None
    addresses: tuple[str, ...]

    def is_of(self, player: Vouch | None) -> bool:
        """Return whether this is the seat of the player that has signed a vouch.

        Args:
            player: The vouch, a signature with the player's long-lived key. None if the player
                shows none.

        Returns:
            True if the seat has shown a vouch of the same long-lived key.
        """
        return player is not None and self.vouch is not None and self.vouch.id == player.id


class Seating:
    """The host's list of seats.

    The seat of a guest is kept while the guest has a live link, and for some seconds longer.

    Attributes:
        vouch: The host's vouch, if it shows one: the signature of its long-lived key over its key
            of this table.
    """

    def __init__(
        self, terms: Terms, own: SeatEntry, addresses: Sequence[str], vouch: Vouch | None = None
    ) -> None:
        """Begin the list of the seats that are taken, with the host's own seat.

        Args:
            own: The host's own entry for the roster.
            addresses: The addresses at which the host can be dialled.
            vouch: The host's vouch, if it shows one: the signature of its long-lived key over its
                key of this table.
        """
        self.terms, self.vouch = terms, vouch
        self._seats = {own.id: Seated(own, vouch, tuple(addresses)[:MAX_ADDRESSES])}
        self._away: dict[bytes, float] = {}

    def set_addresses(self, addresses: Sequence[str]) -> None:
        """Change the addresses at which the host can be dialled.

        Args:
            addresses: The new addresses.
        """
        own = self.terms.host
        self._seats[own] = replace(self._seats[own], addresses=tuple(addresses)[:MAX_ADDRESSES])

    @property
    def names(self) -> tuple[str, ...]:
        """The nicknames of the players who have sat down."""
        return tuple(one.entry.nickname for one in self._seats.values())

    @property
    def ids(self) -> frozenset[bytes]:
        """The ids of the nodes that have sat down, 32 bytes each."""
        return frozenset(self._seats)

    @property
    def is_complete(self) -> bool:
        """True if all seats are taken and all guests have a live link."""
        return len(self._seats) == self.terms.seats and not self._away

    @property
    def is_kept(self) -> bool:
        """True if a seat is kept for a guest whose link was lost."""
        return bool(self._away)

    def sit(
        self, entry: SeatEntry, addresses: tuple[str, ...], vouch: Vouch | None = None
    ) -> list[bytes]:
        """Seat a guest, and remove an earlier seat of the same player ([L-79]).

        Args:
            entry: The guest's entry, which `may_sit` has accepted.
            addresses: The addresses at which the guest can be dialled.
            vouch: The guest's vouch, if it shows one: the signature of its long-lived key over its
                key of this table. It shows which seats are of the same player.

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

    def may_sit(self, peer: PeerId, request: Sit) -> SeatEntry | Refusal:
        """Check a guest's consent, and return its entry in the roster or the reason to refuse it.

        A player may already have a seat, under another key of this table, but with the same
        long-lived key. Then its new consent is accepted, even if the table is full, and `sit`
        replaces the old seat.

        Args:
            peer: The key of the guest's link.

        Raises:
            Invalid: If the signature of the consent or that of the vouch (by the player's
                long-lived key) is invalid.

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

    def leave(self, peer: PeerId, now: float) -> None:
        """Note that a guest's link was lost. The guest's seat is kept for now.

        Args:
            peer: The guest's id.
        """
        if peer in self._seats:
            self._away[peer] = now

    def give_up(self, since: float) -> bool:
        """Free the seats whose links were lost at a given time or earlier.

        Args:
            since: The time, in seconds of the same clock as for `leave`.

        Returns:
            True if any seat was freed.

        SPEC: [L-8].
        """
        gone = [peer for peer, when in self._away.items() if when <= since]
        for peer in gone:
            del self._seats[peer], self._away[peer]
        return bool(gone)

    def roster(self, host: Identity) -> Roster:
        """Return the complete table, signed with the key of its host.

        Args:
            host: The host's key of this table.
        """
        seats = self._seats.values()
        complete = Header(self.terms, tuple(one.entry for one in seats))
        signature = table_header.sign_roster(complete, host)
        where, shown = tuple(one.addresses for one in seats), tuple(one.vouch for one in seats)
        return Roster(complete.encode(), where, signature, shown)
