"""Access to a running table: rules that decide from which linked peers frames are read.

Another seat is let in once it has sent the table's id with the host's signature. An onlooker is let
in once it has proven that it holds the ticket. Such a first frame shows what a peer is. A seat is
bound once it has signed that the shuffled deck is valid. Times are seconds of Trio's clock.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from protocol import Invalid, Table, table_header, vouches
from protocol.units import PeerId, Seconds

from ...coded_errors import Code, because
from ...net.hub import Hub
from ...presentation.screen_updates import Crowded, Screen
from ..beside_game.chat import MOST_ONLOOKERS
from ..beside_game.rematch_frames import is_next
from ..gathering import lobby
from ..gathering.ticket_proof import Capability
from .end_codes import TWO_ROSTERS
from .frame_kinds import Sender


class DropCode(Code):
    """The reasons for which a peer of a running table drops a link."""

    NOT_SHOWN = (
        "table-not-shown",
        ("it did not show at which table it plays, and did not prove that it has the ticket"),
    )
    UNREADABLE = "frame-unreadable", "it sent something that is invalid at this table ({why})"
    UNSIGNED = "table-unsigned", "it plays at a table that our host has not signed ({why})"
    FULL = "seat-full", "it has no room for more onlookers"
    UNWATCHED = "seat-unwatched", "the host does not allow onlookers"
    UNPROVEN = (
        "seat-without-ticket",
        "it sat down without a ticket, so it lets nobody look on. The others show the game",
    )


PROOF_TIMEOUT: Final[Seconds] = 10.0
"""Seconds within which a newly linked peer must show the signed table or prove the ticket."""
MAX_LOBBY_FRAME: Final = max(lobby.FRAMES.sizes["ask"], lobby.FRAMES.sizes["table"])
"""The most bytes of a lobby frame that is read at a running table: an `Ask` or `SignedTable`."""

REFUSED: Final = {
    lobby.Refusal.FULL: DropCode.FULL,
    lobby.Refusal.UNWATCHED: DropCode.UNWATCHED,
    lobby.Refusal.UNPROVEN: DropCode.UNPROVEN,
}
"""For each refusal that an onlooker may receive, the code with which it drops the link."""


@dataclass(frozen=True)
class TwoTables:
    """The proof that one host has signed two tables for the same terms.

    Attributes:
        terms: The digest of the terms.
        one: The signed id of the table that this peer plays at.
        other: The signed id of the other table.
    """

    terms: bytes
    one: lobby.SignedTable
    other: lobby.SignedTable

    @property
    def both(self) -> tuple[lobby.SignedTable, lobby.SignedTable]:
        """Both signed ids, that of this peer's table first."""
        return self.one, self.other


@dataclass(eq=False, repr=False)
class Access(ABC):
    """The rules by which one peer decides which links it lets in at a running table.

    Attributes:
        seat: The number of this peer's seat. None for an onlooker.
        _screen: Is told if no seat lets this onlooker in.
    """

    table: Table
    seat: int | None
    roster: lobby.Roster
    capability: Capability
    _hub: Hub
    _screen: Screen
    _bindings: dict[bytes, bytes] = field(default_factory=dict)
    _since: dict[bytes, float] = field(default_factory=dict)
    _admitted: set[bytes] = field(default_factory=set)

    def link_up(self, peer: PeerId, binding: bytes | None, now: float) -> None:
        """Register a new link, and send the frame that shows what this peer is ([L-20]).

        Only the two ends know the bytes of `binding`. It is None if the link was already lost.
        """
        # Who was let in on an earlier link has to show itself anew: proofs are bound to one link.
        self.link_down(peer)
        self._bindings[peer], self._since[peer] = binding or b"", now
        self._introduce(peer)

    @abstractmethod
    def _introduce(self, peer: PeerId) -> None:
        """Send the first frame on a new link, which shows what this peer is."""

    @abstractmethod
    def receive(self, peer: PeerId, data: bytes, bound: bool = False) -> bool:
        """Return whether a frame of the lobby has let in a new peer ([L-19], [L-21]).

        Raises:
            Invalid: If the frame contains an invalid signature of the host.
            TwoRosters: If the host has signed two rosters for the same terms, and this seat is not
                bound.
        """

    @abstractmethod
    def passes_on_to(self, peer: PeerId) -> bool:
        """Return whether a linked peer gets the frames that are sent to all peers of the table."""

    def is_of_table(self, peer: PeerId) -> bool:
        """Return whether a peer is a seat of this table, or an onlooker that was let in."""
        return peer in self.table.ids or self.is_let_in(peer)

    def _post(self, peer: PeerId, frame: lobby.LobbyFrame) -> None:
        self._hub.post(peer, lobby.encode_lobby(frame))

    def link_down(self, peer: PeerId) -> None:
        """Forget a lost link. The peer then no longer counts as let in."""
        self._bindings.pop(peer, None)
        self._since.pop(peer, None)
        self._admitted.discard(peer)

    @property
    def shown(self) -> lobby.SignedTable:
        """This table's id with the signature of its host."""
        return lobby.SignedTable(self.table.id, self.roster.signature)

    def is_let_in(self, peer: PeerId) -> bool:
        """Return whether a peer was let in on its present link ([L-19], [L-20])."""
        return peer in self._admitted

    def may_send(self, peer: PeerId, sender: Sender) -> bool:
        """Return whether frames with this allowed sender are read from a linked peer."""
        is_seat = sender is Sender.SEAT and peer in self.table.ids
        return is_seat or sender is Sender.ANYONE or self.is_let_in(peer)

    def overdue(self, now: float) -> list[bytes]:
        """Return the linked peers that were not let in within PROOF_TIMEOUT seconds."""
        # A peer that shows nothing takes up room for links.
        late = now - PROOF_TIMEOUT
        return [p for p, since in self._since.items() if since <= late and p not in self._admitted]

    @property
    def onlookers(self) -> frozenset[bytes]:
        """The ids of the peers without a seat that were let in here ([L-62])."""
        return frozenset(self._admitted.difference(self.table.ids))

    def _let_in(self, peer: PeerId) -> bool:
        """Let a peer in. Return False if it was already let in on its present link."""
        is_new = peer not in self._admitted
        self._admitted.add(peer)
        return is_new


class SeatAccess(Access):
    """The access rules of a seat, which lets in other seats, and onlookers with the ticket."""

    def _introduce(self, peer: PeerId) -> None:
        """Send this table's id, signed by the host, if the peer has a seat at the table."""
        # A stranger learns only by a proof which table is played here ([L-19]).
        if peer in self.table.ids:
            self._post(peer, self.shown)

    def passes_on_to(self, peer: PeerId) -> bool:
        """Return whether a peer is a seat of this table, or an onlooker that was let in."""
        return self.is_of_table(peer)

    def receive(self, peer: PeerId, data: bytes, bound: bool = False) -> bool:
        """Let in a seat that sends this table's signed id, or an onlooker that holds the ticket.

        A seat that still sends the id of the previous table is ignored ([A-6], [L-21]).
        """
        # No other frame of the lobby is read here, and parsing a long one costs time.
        if len(data) > MAX_LOBBY_FRAME:
            return False
        match lobby.parse_lobby(data):
            case lobby.Ask(proof):
                return self._asked(peer, proof)
            case lobby.SignedTable() as shown if peer in self.table.ids:
                # Before the signature is looked at: it is for the former terms, and would cost the
                # link.
                if is_next(self.table.header.terms, shown.table):
                    return False
                # The host may have signed another table on the same terms ([L-21]).
                terms, is_ours = self.table.header.terms, shown.table == self.table.id
                # Checked first: only a valid signature of the host proves that it has given two
                # rosters.
                table_header.check_roster(terms, shown.table, shown.signature)
                # The others may already play on with the word of a bound seat. A host could throw
                # it out by a second roster ([D-3]).
                if not is_ours and not bound:
                    raise TwoRosters(TwoTables(terms.digest(), self.shown, shown))
                return is_ours and self._let_in(peer)
        return False

    def _asked(self, peer: PeerId, proof: bytes) -> bool:
        """Answer a peer that asks for access, and return whether it is let in as a new onlooker.

        A seat gets the roster, which it may never have received. Any other peer gets it if `proof`
        shows that it has the ticket, the terms admit onlookers, and there is room.

        SPEC: [L-18], [L-62], [L-64].
        """
        is_seat = peer in self.table.ids
        refusal = None if is_seat else self._refusal(peer, proof)
        if refusal is not None:
            self._post(peer, lobby.Refuse(refusal))
            return False
        # Also to a peer for whom there is no room: with the roster it can look on at another seat.
        self._post(peer, self.roster)
        # A seat is let in by the table that it shows: it may have got another roster ([L-21]).
        if is_seat:
            return False
        if peer not in self._admitted and len(self.onlookers) >= MOST_ONLOOKERS:
            self._post(peer, lobby.Refuse(lobby.Refusal.FULL))
            return False
        return self._let_in(peer)

    def _refusal(self, peer: PeerId, proof: bytes) -> lobby.Refusal | None:
        """Return why a peer without a seat may not look on, or None if it may."""
        # The proof first: who lacks the ticket is not told whether the table admits onlookers.
        if not self.capability.admits(proof, self._bindings.get(peer, b""), self._hub.me, peer):
            return lobby.Refusal.UNPROVEN
        return None if self.table.header.terms.watched else lobby.Refusal.UNWATCHED


class OnlookerAccess(Access):
    """The access rules of an onlooker, which proves to each seat that it holds the ticket."""

    _is_told = False

    def _introduce(self, peer: PeerId) -> None:
        """Prove to a seat that this peer holds the ticket."""
        # At once: an onlooker has nothing to hide from a seat, and verifies all that it is sent.
        self._admitted.add(peer)
        proof = self.capability.guest_proof(self._bindings[peer], peer, self._hub.me)
        self._post(peer, lobby.Ask(proof))

    def passes_on_to(self, peer: PeerId) -> bool:
        """Return False: the seats send each other what one sends to an onlooker ([M-7])."""
        return False

    def receive(self, peer: PeerId, data: bytes, bound: bool = False) -> bool:
        """Drop the link to a seat whose frame says that it does not let this onlooker in.

        The seat is then not dialled for a while ([L-65]). Any other frame is ignored, even a
        malformed one. The result is always False.
        """
        with suppress(Invalid):
            frame = lobby.parse_lobby(data)
            if isinstance(frame, lobby.Refuse) and frame.reason in REFUSED:
                # Before the link is dropped, or the hub would dial again at once.
                if frame.reason is lobby.Refusal.UNPROVEN:
                    # A seat that joined an open table without a ticket can never check a proof.
                    self._hub.forget(peer)
                else:
                    self._hub.leave_alone(peer)
                self._hub.drop(peer, because(REFUSED[frame.reason]))
                if not self._is_told and not any(map(self._hub.linked, self.table.ids)):
                    self._is_told = True
                    self._screen(Crowded())
        return False


class TwoRosters(Exception):
    """An error: the host has signed two rosters, which make two tables ([L-21])."""

    def __init__(self, evidence: TwoTables) -> None:
        super().__init__(TWO_ROSTERS)
        self.evidence = evidence


def check_signed(roster: lobby.Roster, complete: table_header.Header) -> None:
    """Check that the host has signed a roster, and the vouches of its seats ([H-16], [L-7]).

    Args:
        complete: The parsed header of the roster.

    Raises:
        Invalid: With code `bad-header` if the host has not signed the roster, or there is not one
            list of addresses for each seat, and `bad-vouch` if a vouch is invalid.
    """
    try:
        table_header.check_roster(complete.terms, complete.table_id, roster.signature)
    except Invalid as error:
        raise Invalid("bad-header", "the roster is not signed by its host") from error
    if len(roster.addresses) != len(complete.roster):
        raise Invalid("bad-header", "the roster has not one list of addresses for each seat")
    vouches.check_vouches(roster.vouches, complete.terms, complete.roster)
