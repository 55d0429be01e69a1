"""Access to a running table: seats that show its host's signature, and onlookers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from protocol import Invalid, Table, table_header, vouches
from protocol.bounds import Quota, Seconds

from ..coded_errors import Code, because
from ..net.hub import Hub
from ..presentation.screen_updates import Crowded, Screen
from . import lobby
from .frame_kinds import Sender
from .rematch_frames import is_next
from .ticket_proof import Capability


class DropCode(Code):
    """Why a seat of a running table drops a link."""

    NOT_SHOWN = (
        "table-not-shown",
        ("it did not show at which table it plays, and did not prove that it has the ticket"),
    )
    UNREADABLE = "frame-unreadable", "it sent something that is invalid at this table ({why})"
    UNSIGNED = "table-unsigned", "it plays at a table that our host has not signed ({why})"
    FULL = "seat-full", "it has no room for more onlookers"
    UNWATCHED = "seat-unwatched", "the host does not allow onlookers"


TWO_ROSTERS: Final = "two-rosters"
"""What a host has done who signed two tables of one terms digest."""
PROOF_TIMEOUT: Final[Seconds] = 10.0
"""Seconds in which a newcomer who has no seat must have shown that it may look on."""
MOST_ONLOOKERS: Final[Quota] = 40
"""Onlookers at one seat; who comes then looks on at another one."""
MAX_LOBBY_FRAME: Final = max(lobby.FRAMES.sizes["ask"], lobby.FRAMES.sizes["table"])
"""Bytes of an ask or a shown table; nothing else of the lobby is read at a running table."""

REFUSED: Final = {lobby.Refusal.FULL: DropCode.FULL, lobby.Refusal.UNWATCHED: DropCode.UNWATCHED}
"""Why an onlooker drops the link to a seat that refuses it."""


@dataclass(frozen=True)
class TwoTables:
    """Two tables that one host signed for one terms digest."""

    terms: bytes
    one: lobby.SignedTable
    other: lobby.SignedTable

    @property
    def both(self) -> tuple[lobby.SignedTable, lobby.SignedTable]:
        """The two."""
        return self.one, self.other


@dataclass(eq=False, repr=False)
class Access(ABC):
    """Which links of one node are let in at a running table.

    Attributes:
        table: The table.
        seat: The seat of this node. None for an onlooker.
        roster: Who sits at the table, as its host has signed it.
        capability: The secret of the table's ticket.
        _hub: The links of this node.
        _screen: Is told if an onlooker is let in nowhere.
    """

    table: Table
    seat: int | None
    roster: lobby.Roster
    capability: Capability
    _hub: Hub
    _screen: Screen
    _bindings: dict[bytes, bytes] = field(default_factory=dict)
    _since: dict[bytes, float] = field(default_factory=dict)
    _heard: set[bytes] = field(default_factory=set)

    def up(self, peer: bytes, binding: bytes | None, now: float) -> None:
        """Take in a new link, and show on it what this node is ([L-20])."""
        self.down(peer)
        self._bindings[peer], self._since[peer] = binding or b"", now
        self._introduce(peer)

    @abstractmethod
    def _introduce(self, peer: bytes) -> None:
        """Show on a new link what this node is."""

    @abstractmethod
    def receive(self, peer: bytes, data: bytes, bound: bool = False) -> bool:
        """Take in a frame of the lobby.

        Args:
            peer: The node that sent it.
            data: The frame.
            begun: Whether the game has begun.

        Returns:
            Whether the peer is let in from now on ([L-19], [L-21]).

        Raises:
            Invalid: If the peer shows a table that no host has signed. Nobody knows whose fault
                that is.
            TwoRosters: If the host has signed two tables, and the game has not begun.
        """

    @abstractmethod
    def passes_on_to(self, peer: bytes) -> bool:
        """Return whether frames for everybody are sent to this peer."""

    def is_of_table(self, peer: bytes) -> bool:
        """Return whether a peer is a seat, or an onlooker that was let in."""
        return peer in self.table.ids or self.hears(peer)

    def _post(self, peer: bytes, frame: lobby.LobbyFrame) -> None:
        self._hub.post(peer, lobby.encode_lobby(frame))

    def down(self, peer: bytes) -> None:
        """A link is gone, and what was shown on it."""
        self._bindings.pop(peer, None)
        self._since.pop(peer, None)
        self._heard.discard(peer)

    @property
    def shown(self) -> lobby.SignedTable:
        """This very table, as its host has signed it."""
        return lobby.SignedTable(self.table.id, self.roster.signature)

    def hears(self, peer: bytes) -> bool:
        """Whether frames of the table from this peer are read, and sent to it ([L-19], [L-20])."""
        return peer in self._heard

    def may_send(self, peer: bytes, sender: Sender) -> bool:
        """Whether a frame that such a node may send is read, if it is from this peer."""
        is_seat = sender is Sender.SEAT and peer in self.table.ids
        return is_seat or sender is Sender.ANYONE or self.hears(peer)

    def overdue(self, now: float) -> list[bytes]:
        """Links on which nothing was shown in time."""
        late = now - PROOF_TIMEOUT
        return [p for p, since in self._since.items() if since <= late and p not in self._heard]

    @property
    def onlookers(self) -> frozenset[bytes]:
        """Who looks on here ([L-62])."""
        return frozenset(self._heard.difference(self.table.ids))

    def _let_in(self, peer: bytes) -> bool:
        is_new = peer not in self._heard
        self._heard.add(peer)
        return is_new


class SeatAccess(Access):
    """Links of a seat: other seats that show this table, and onlookers that hold the ticket."""

    def _introduce(self, peer: bytes) -> None:
        """Show a seat which table this is."""
        if peer in self.table.ids:
            self._post(peer, self.shown)

    def passes_on_to(self, peer: bytes) -> bool:
        """Return whether the peer belongs to this table."""
        return self.is_of_table(peer)

    def receive(self, peer: bytes, data: bytes, bound: bool = False) -> bool:
        """Let in a seat that shows this table, or an onlooker that holds the ticket.

        A seat that is still at the table before this one will get its roster ([A-6]).

        Raises:
            Invalid: If the peer shows a table that no host has signed.
            TwoRosters: If the host has signed two tables, and this seat has not confirmed the deck
                ([L-21]).
        """
        if len(data) > MAX_LOBBY_FRAME:
            return False
        match lobby.parse_lobby(data):
            case lobby.Ask(proof):
                return self._asked(peer, proof)
            case lobby.SignedTable() as shown if peer in self.table.ids:
                if is_next(self.table.header.terms, shown.table):
                    return False
                # The host may have signed another table on the same terms ([L-21]).
                terms, is_ours = self.table.header.terms, shown.table == self.table.id
                table_header.check_roster(terms, shown.table, shown.signature)
                if not is_ours and not bound:
                    raise TwoRosters(TwoTables(terms.digest(), self.shown, shown))
                return is_ours and self._let_in(peer)
        return False

    def _asked(self, peer: bytes, proof: bytes) -> bool:
        """A seat that never got the roster gets it; whoever holds the ticket may look on, if the
        host has not forbidden it and there is room.

        SPEC: [L-18], [L-62], [L-64].
        """
        is_seat = peer in self.table.ids
        refusal = None if is_seat else self._refusal(peer, proof)
        if refusal is not None:
            self._post(peer, lobby.Refuse(refusal))
            return False
        self._post(peer, self.roster)
        if is_seat:
            return False
        if peer not in self._heard and len(self.onlookers) >= MOST_ONLOOKERS:
            self._post(peer, lobby.Refuse(lobby.Refusal.FULL))
            return False
        return self._let_in(peer)

    def _refusal(self, peer: bytes, proof: bytes) -> lobby.Refusal | None:
        """Why one without a seat may not look on; who does not hold the ticket is told no more."""
        if not self.capability.admits(proof, self._bindings.get(peer, b""), self._hub.me, peer):
            return lobby.Refusal.UNPROVEN
        return None if self.table.header.terms.watched else lobby.Refusal.UNWATCHED


class OnlookerAccess(Access):
    """Links of an onlooker, which seats let in or refuse."""

    _is_told = False

    def _introduce(self, peer: bytes) -> None:
        """Prove to a seat that this node holds the ticket."""
        self._heard.add(peer)
        proof = self.capability.guest_proof(self._bindings[peer], peer, self._hub.me)
        self._post(peer, lobby.Ask(proof))

    def passes_on_to(self, peer: bytes) -> bool:
        """Pass on nothing. What an onlooker has of one seat, the others have from it ([M-7])."""
        return False

    def receive(self, peer: bytes, data: bytes, bound: bool = False) -> bool:
        """Leave a seat that refuses this node alone for a while ([L-65])."""
        with suppress(Invalid):
            frame = lobby.parse_lobby(data)
            if isinstance(frame, lobby.Refuse) and frame.reason in REFUSED:
                self._hub.leave_alone(peer)
                self._hub.drop(peer, because(REFUSED[frame.reason]))
                if not self._is_told and not any(map(self._hub.linked, self.table.ids)):
                    self._is_told = True
                    self._screen(Crowded())
        return False


class TwoRosters(Exception):
    """The host of this table has signed another one on the same terms ([L-21])."""

    def __init__(self, evidence: TwoTables) -> None:
        super().__init__(TWO_ROSTERS)
        self.evidence = evidence


def check_signed(roster: lobby.Roster, complete: table_header.Header) -> None:
    """Check that the host of a roster has signed it, and that its vouches hold ([H-16]).

    Raises:
        Invalid: 'bad-header' if the host has not signed it, 'bad-vouch' if a vouch does not hold.
    """
    try:
        table_header.check_roster(complete.terms, complete.table_id, roster.signature)
    except Invalid as error:
        raise Invalid("bad-header", "the roster is not signed by its host") from error
    vouches.check_vouches(roster.vouches, complete.terms, complete.roster)
