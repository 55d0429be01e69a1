"""Access to a running table: seats that show its host's signature, and onlookers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from protocol import Invalid, Table, table_header
from protocol.bounds import Quota, Seconds

from ..errors import Code
from .frame_kinds import Sender
from .lobby import FRAMES, Ask, Refusal, Refuse, Roster, Shown, encode_lobby, parse_lobby
from .rematch_frames import is_next
from .ticket_proof import Capability


class DropCode(Code):
    """Why a seat of a running table drops a link."""

    NOT_SHOWN = "table-not-shown"
    UNREADABLE = "frame-unreadable", "why"
    UNSIGNED = "table-unsigned", "why"
    FULL = "seat-full"
    UNWATCHED = "seat-unwatched"


TWO_ROSTERS: Final = "two-rosters"
"""What a host has done who signed two tables of one terms digest."""
PATIENCE: Final[Seconds] = 10.0
"""Seconds in which a newcomer who has no seat must have shown that it may look on."""
MOST_ONLOOKERS: Final[Quota] = 40
"""Onlookers at one seat; who comes then looks on at another one."""
LONGEST: Final = max(FRAMES.sizes["ask"], FRAMES.sizes["table"])
"""Bytes of an ask or a shown table; nothing else of the lobby is read at a running table."""

Post = Callable[[bytes, bytes], object]


@dataclass(frozen=True)
class TwoTables:
    """Two tables that one host signed for one terms digest."""

    terms: bytes
    one: Shown
    other: Shown

    @property
    def both(self) -> tuple[Shown, Shown]:
        """The two."""
        return self.one, self.other


@dataclass
class Access:
    """The links of one seat of a running table, or of an onlooker, whose `seat` is None."""

    table: Table
    me: bytes
    roster: Roster
    capability: Capability
    post: Post
    seat: int | None = None
    _bindings: dict[bytes, bytes] = field(default_factory=dict, repr=False)
    _since: dict[bytes, float] = field(default_factory=dict)
    _heard: set[bytes] = field(default_factory=set)

    def up(self, peer: bytes, binding: bytes | None, now: float) -> None:
        """A link is up: show a seat which table this is; an onlooker shows its ticket ([L-20])."""
        self.down(peer)
        self._bindings[peer], self._since[peer] = binding or b"", now
        if self.seat is None:
            self._heard.add(peer)
            proof = self.capability.guest_proof(binding or b"", peer, self.me)
            self.post(peer, encode_lobby(Ask(proof)))
        elif peer in self.table.ids:
            self.post(peer, encode_lobby(self.shown))

    def down(self, peer: bytes) -> None:
        """A link is gone, and what was shown on it."""
        self._bindings.pop(peer, None)
        self._since.pop(peer, None)
        self._heard.discard(peer)

    @property
    def shown(self) -> Shown:
        """This very table, as its host has signed it."""
        return Shown(self.table.id, self.roster.signature, watched=self.roster.watched)

    def hears(self, peer: bytes) -> bool:
        """Whether frames of the table from this peer are read, and sent to it ([L-19], [L-20])."""
        return peer in self._heard

    def may_send(self, peer: bytes, sender: Sender) -> bool:
        """Whether a frame that such a node may send is read, if it is from this peer."""
        is_seat = sender is Sender.SEAT and peer in self.table.ids
        return is_seat or sender is Sender.ANYONE or self.hears(peer)

    def overdue(self, now: float) -> list[bytes]:
        """Links on which nothing was shown in time."""
        late = now - PATIENCE
        return [p for p, since in self._since.items() if since <= late and p not in self._heard]

    def receive(self, peer: bytes, data: bytes, begun: bool = False) -> bool:
        """Take a frame of the lobby; whether the peer may be heard from now on ([L-19], [L-21]).

        A seat that is still at the table before this one will get its roster ([A-6]).
        Invalid if it shows a table that no host has signed: whose doing that is nobody knows.
        TwoRosters if the host has signed two, and the game has not `begun`.
        """
        if len(data) > LONGEST or self.seat is None:
            return False
        match parse_lobby(data):
            case Ask(proof):
                return self._asked(peer, proof)
            case Shown() as shown if peer in self.table.ids:
                if is_next(self.table.header.terms, shown.table):
                    return False
                self._compare(shown, begun)
                return shown.table == self.table.id and self._let_in(peer)
        return False

    def _asked(self, peer: bytes, proof: bytes) -> bool:
        """A seat that never got the roster gets it; whoever holds the ticket may look on, if the
        host has not forbidden it and there is room.

        SPEC: [L-18], [L-62], [L-64].
        """
        is_seat = peer in self.table.ids
        refusal = None if is_seat else self._refusal(peer, proof)
        if refusal is not None:
            self.post(peer, encode_lobby(Refuse(refusal)))
            return False
        self.post(peer, encode_lobby(self.roster))
        if is_seat:
            return False
        if peer not in self._heard and len(self.onlookers) >= MOST_ONLOOKERS:
            self.post(peer, encode_lobby(Refuse(Refusal.FULL)))
            return False
        return self._let_in(peer)

    def _refusal(self, peer: bytes, proof: bytes) -> Refusal | None:
        """Why one without a seat may not look on; who does not hold the ticket is told no more."""
        if not self.capability.admits(proof, self._bindings.get(peer, b""), self.me, peer):
            return Refusal.UNPROVEN
        return None if self.roster.watched else Refusal.UNWATCHED

    @property
    def onlookers(self) -> frozenset[bytes]:
        """Who looks on here ([L-62])."""
        return frozenset(self._heard.difference(self.table.ids))

    def _let_in(self, peer: bytes) -> bool:
        is_new = peer not in self._heard
        self._heard.add(peer)
        return is_new

    def _compare(self, shown: Shown, begun: bool) -> None:
        """TwoRosters if the host has signed another table on the same terms, or this one to be
        watched and not to be ([L-21])."""
        terms, watched = self.table.header.terms, shown.watched
        table_header.check_roster(terms, shown.table, shown.signature, watched)
        is_ours = (shown.table, watched) == (self.table.id, self.roster.watched)
        if not is_ours and not begun:
            raise TwoRosters(TwoTables(terms.digest(), self.shown, shown))


class TwoRosters(Exception):
    """The host of this table has signed another one on the same terms ([L-21])."""

    def __init__(self, evidence: TwoTables) -> None:
        super().__init__(TWO_ROSTERS)
        self.evidence = evidence


def check_signed(roster: Roster, complete: table_header.Header) -> None:
    """Invalid unless the host of a roster has signed it."""
    try:
        signed = roster.signature, roster.watched
        table_header.check_roster(complete.terms, complete.table_id, *signed)
    except Invalid as error:
        raise Invalid("bad-header", "the roster is not signed by its host") from error
