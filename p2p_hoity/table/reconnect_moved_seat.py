"""Reconnect seats whose addresses have changed: which addresses are dialled, and fresh tickets.

A player who resumes at another address passes on a ticket of the same table with the new address. A
node that holds a seat there dials that address beside those it knows. A forged ticket costs it
nothing: no address is forgotten, and only a peer that proves the key of the seat is linked with.
"""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import trio

from protocol import Header, SeatMachine, Table
from protocol.bounds import Seconds

from ..coded_errors import Code, CodedError, Reason, because
from ..net.addresses import Named, how_far
from ..net.hub import Hub
from ..net.network_errors import AddressError, TicketError
from ..net.ticket import Ticket, decode_ticket, encode_ticket
from ..presentation import screen_updates as updates
from ..reachability.advertised_addresses import Judged, ReachCode, Scope
from ..reachability.port_mapping import Reachability
from ..storage import journal as journals
from ..storage.file_store import FileStore
from ..storage.private_files import NotPrivateError
from .rematch import Agreed


def dial_seats(hub: Hub, table: Table, addresses: Sequence[Sequence[str]]) -> None:
    """Keep links to the other seats of a table, at what each said of itself ([L-14]).

    The host's addresses lead as far as its ticket's, which the player chose. An address of a form
    that is not known here is skipped ([L-78]).
    """
    hub.prefer(table.ids)
    own = addresses[table.ids.index(hub.me)] if hub.me in table.ids else ()
    for peer, where in zip(table.ids, addresses, strict=True):
        is_host = peer == table.header.terms.host
        named = Named.BY_US if is_host else how_far(where, own)
        for address in where if peer != hub.me else ():
            with suppress(AddressError):
                hub.dial(address, peer, named)


def dial_by_ticket(
    hub: Hub, table: Table, addresses: Sequence[Sequence[str]], ticket: Ticket
) -> None:
    """Dial the seat of a ticket at its addresses first, and at all those it has said of itself; no
    longer at those of an earlier ticket. A link is one with the key of that seat or none.

    SPEC: [T-4].
    """
    if ticket.host_id != hub.me:
        hub.forget(ticket.host_id)
        for address in ticket.dial_addresses():
            hub.dial(address, ticket.host_id)
    dial_seats(hub, table, addresses)


LOOK: Final[Seconds] = 1.0
"""Seconds between two looks."""
ALONE: Final[Seconds] = 3.0
"""Seconds without a link after which a player is told what to give to the others."""
TAKEN: Final[Seconds] = 6.0
"""Seconds in which a running game has taken a ticket that was handed to it."""
MAX_TICKET_FILE: Final = 8192
"""Bytes of a ticket's word."""
OPENING: Final = frozenset({ReachCode.RELAY, ReachCode.FORWARD})
"""What can be done by opening a table otherwise."""


class FreshCode(Code):
    """Why a ticket does not lead to a seat of one's own table."""

    OTHER_TABLE = (
        "ticket-of-another-table",
        ("this ticket does not belong to the table of this game"),
    )
    NO_SEAT = (
        "ticket-of-no-seat",
        "this ticket leads to nobody who sits at this table. Do not use it, and ask the person "
        "who gave it to you",
    )
    OTHER_SECRET = (
        "ticket-with-another-secret",
        "this ticket does not belong to your table, since its secret is different. Do not use "
        "it. Ask the player who has moved for the ticket that hoity resume shows there",
    )


class FreshError(CodedError):
    """A ticket does not lead to a seat of one's own table."""


def check_fresh(ticket: Ticket, header: Header, secret: bytes) -> None:
    """FreshError unless this ticket leads to a seat of the table of this header; `secret` is
    that of our own ticket, if we had one.

    SPEC: [T-3].
    """
    if ticket.terms != header.terms.digest():
        raise FreshError(FreshCode.OTHER_TABLE)
    if ticket.host_id not in {entry.id for entry in header.roster}:
        raise FreshError(FreshCode.NO_SEAT)
    if secret and not hmac.compare_digest(secret, ticket.secret):
        raise FreshError(FreshCode.OTHER_SECRET)


# To a game that is being played.


def _beside(journal: Path) -> Path:
    """Where a ticket lies for the process that plays this game."""
    return journal.with_suffix(".ticket")


async def hand_over(files: FileStore, journal: Path, ticket: Ticket) -> bool:
    """Give a ticket to the process of this machine that plays the game of a journal.

    Args:
        files: The store of the journal.
        journal: Its path.
        ticket: The ticket.

    Returns:
        Whether that process has taken it: not if the game ends meanwhile, or another ticket is put
        there first.

    Raises:
        OSError: If the ticket cannot be put there.
        NotPrivateError: If others can get at that place.
    """
    place, word = _beside(journal), encode_ticket(ticket).encode()
    files.put(place, word)

    def is_there() -> bool:
        with suppress(OSError, NotPrivateError):
            return files.get(place) == word
        return False

    try:
        with trio.move_on_after(TAKEN):
            while is_there():
                await trio.sleep(LOOK / 10)
            with suppress(OSError, journals.JournalError, NotPrivateError):
                # When its game ends, its ticket is removed, too.
                return not files.has(place) and journals.is_open(journal, files)
        return False
    finally:
        if is_there():
            files.remove(place)


async def take_tickets(
    hub: Hub, table: Table, agreed: Agreed, screen: updates.Screen, book: journals.Journal
) -> None:
    """Take the tickets that are handed to a running game, until cancelled."""
    place = _beside(book.path)
    try:
        while True:
            ticket = _handed(book.files, place)
            if ticket is not None:
                with suppress(FreshError):
                    check_fresh(ticket, table.header, agreed.capability.secret)
                    dial_by_ticket(hub, table, agreed.roster.addresses, ticket)
                    screen(updates.TicketTaken(name_in(table.header, ticket)))
            await trio.sleep(LOOK)
    finally:
        with suppress(OSError):
            book.files.remove(place)


def _handed(files: FileStore, place: Path) -> Ticket | None:
    """The ticket that lies there, and then no more; what is none is not looked at: who laid it
    there has checked it."""
    with suppress(OSError, NotPrivateError, TicketError, UnicodeDecodeError):
        if files.has(place):
            word = files.get(place, MAX_TICKET_FILE + 1)
            files.remove(place)
            return decode_ticket(word.decode("ascii"))
    return None


def name_in(header: Header, ticket: Ticket) -> str:
    """The nickname of the seat that is reached at the addresses of a ticket."""
    return next(entry.nickname for entry in header.roster if entry.id == ticket.host_id)


# For the others, from a seat that is elsewhere now.


@dataclass
class Giver:
    """Tells a player who came back elsewhere what to give to those who do not find this seat.

    `bare` has no addresses yet; `known` are those that the others know of this seat; `is_meant`:
    the player has named other ways than before.
    """

    hub: Hub
    ways: Reachability
    machine: SeatMachine
    screen: updates.Screen
    bare: Ticket
    known: tuple[str, ...]
    is_meant: bool
    _last: Ticket | None = field(default=None, repr=False)

    async def run(self) -> None:
        """Look again and again, until cancelled, whether somebody does not find this seat."""
        lost = 0.0
        while True:
            await trio.sleep(LOOK)
            judged = self.ways.judged()
            lost = lost + LOOK if self._is_lost(judged) else 0.0
            ticket = self.ticket(judged) if lost >= ALONE else None
            if ticket is not None and ticket != self._last:
                self._last = ticket
                self.screen(updates.Moved(judged.scope, _reasons(judged), encode_ticket(ticket)))

    def ticket(self, judged: Judged) -> Ticket | None:
        """The ticket with the ways of now; None if the others know them all, or reach this seat by
        a relay that they know."""
        found = replace(self.bare, addresses=judged.direct)
        is_reached = self.hub.relays().intersection(self.known)
        if is_reached and not self.is_meant:
            return None
        return found if set(found.dial_addresses()).difference(self.known) else None

    def _is_lost(self, judged: Judged) -> bool:
        """Nobody is linked with us; or we are the host, whom guests gather around, and can be
        reached from elsewhere, and somebody is not. Other seats pass on what they hear."""
        seats, banned = self.machine.table.ids, self.machine.tip.banned
        others = [id_ for s, id_ in enumerate(seats) if id_ != self.hub.me and s not in banned]
        linked = [id_ for id_ in others if self.hub.linked(id_)]
        is_host = self.machine.table.header.terms.host == self.hub.me
        leads_far = judged.scope in (Scope.ANYWHERE, Scope.IPV6)
        return not linked or (is_host and leads_far and len(linked) < len(others))


def _reasons(judged: Judged) -> tuple[Reason, ...]:
    """How far the ticket leads and why, and what to do now that the table is open."""
    told = tuple(reason for reason in judged.reasons if reason.code not in OPENING)
    if judged.scope is Scope.ANYWHERE:
        return told
    return (*told, because(ReachCode.OTHERWISE))
