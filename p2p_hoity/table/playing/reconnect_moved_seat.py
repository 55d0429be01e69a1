"""Reconnect seats whose addresses have changed, by tickets with their new addresses.

A player who resumes at another address gets a ticket of the same table with the new address, and
gives it to the others. Their programs then dial that address, too. A forged ticket does no harm:
the earlier addresses are still dialled, and a link is made only with a peer that proves the seat's
key. Addresses are lists for each seat, in the order of the seats.
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
from protocol.units import Seconds

from ...coded_errors import Code, CodedError, Reason, because
from ...net.addresses import Named, how_far
from ...net.hub import Hub
from ...net.network_errors import AddressError, TicketError
from ...net.ticket import Ticket, decode_ticket, encode_ticket
from ...presentation import screen_updates as updates
from ...reachability.advertised_addresses import Judged, ReachCode, Scope
from ...reachability.port_mapping import Reachability
from ...storage import journal as journals
from ...storage.file_store import FileStore, NotPrivateError
from ..beside_game.rematch import Agreed


def dial_seats(hub: Hub, table: Table, addresses: Sequence[Sequence[str]]) -> None:
    """Keep links to the other seats of a table, at the addresses that each seat has named ([L-14]).

    The host's addresses are dialled wherever they lead. An address of another seat is dialled if it
    leads to the internet or into a network of this computer. A loopback address of another seat is
    dialled only if that seat is on this computer. Addresses of an unknown form are skipped
    ([L-78]).
    """
    hub.prefer(table.ids)
    own = addresses[table.ids.index(hub.me)] if hub.me in table.ids else ()
    for peer, where in zip(table.ids, addresses, strict=True):
        is_host = peer == table.header.terms.host
        # The player chose the host by its ticket. Another seat could name a service in this
        # network.
        named = Named.BY_US if is_host else how_far(where, own)
        for address in where if peer != hub.me else ():
            with suppress(AddressError):
                hub.dial(address, peer, named)


def dial_by_ticket(
    hub: Hub, table: Table, addresses: Sequence[Sequence[str]], ticket: Ticket
) -> None:
    """Dial all seats, and a checked ticket's seat at the ticket's addresses as well ([T-4])."""
    if ticket.host_id != hub.me:
        # Otherwise each ticket of the seat would leave its addresses behind, to be dialled for
        # ever.
        hub.forget(ticket.host_id)
        for address in ticket.dial_addresses():
            hub.dial(address, ticket.host_id)
    dial_seats(hub, table, addresses)


LOOK: Final[Seconds] = 1.0
"""Seconds between two checks for a ticket that was handed over, and for seats without a link."""
ALONE: Final[Seconds] = 3.0
"""Seconds without a link after which a player gets a new ticket to give to the others."""
TAKEN: Final[Seconds] = 6.0
"""Seconds within which the process of a running game takes a ticket that is handed to it."""
MAX_TICKET_FILE: Final = 8192
"""The most bytes of the file with an encoded ticket."""
OPENING: Final = frozenset(
    {ReachCode.RELAY, ReachCode.RELAY_ON_MACHINE, ReachCode.RELAY_ON_LAN, ReachCode.FORWARD}
)
"""The codes of advice about opening a table, which a resumed seat is not given."""


class FreshCode(Code):
    """The reasons for which a ticket does not lead to a seat of the player's table."""

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
    """An error that says why a ticket does not lead to a seat of the player's table."""


def check_fresh(ticket: Ticket, header: Header, secret: bytes) -> None:
    """Check that a ticket leads to a seat of a table, with this player's secret if any ([T-3]).

    Raises:
        FreshError: If the ticket is of another table, of no seat there, or has another secret.
    """
    if ticket.terms != header.terms.digest():
        raise FreshError(FreshCode.OTHER_TABLE)
    if ticket.host_id not in {entry.id for entry in header.roster}:
        raise FreshError(FreshCode.NO_SEAT)
    # A player without the secret cannot compare it, but a forged ticket does no harm.
    if secret and not hmac.compare_digest(secret, ticket.secret):
        raise FreshError(FreshCode.OTHER_SECRET)


# Tickets for a running game


def _beside(journal: Path) -> Path:
    return journal.with_suffix(".ticket")


async def hand_over(files: FileStore, journal: Path, ticket: Ticket) -> bool:
    """Hand a ticket to the process on this computer that plays the game of a journal.

    Return whether that process has taken it in time. It has not if the game has ended meanwhile, or
    if another ticket has replaced this one. An OSError or NotPrivateError is raised if the ticket
    cannot be written.
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
                # The end of the game also removes the ticket, so check that the game still runs.
                return not files.has(place) and journals.is_open(journal, files)
        return False
    finally:
        # Only this ticket: another process may have replaced it by a newer one.
        if is_there():
            files.remove(place)


async def take_tickets(
    hub: Hub, table: Table, agreed: Agreed, screen: updates.Screen, book: journals.Journal
) -> None:
    """Dial the addresses in tickets that another process hands to this running game."""
    place = _beside(book.path)
    try:
        while True:
            ticket = _handed(book.files, place)
            if ticket is not None:
                # A wrong ticket is dropped: whoever handed it over has checked it and was told.
                with suppress(FreshError):
                    check_fresh(ticket, table.header, agreed.capability.secret)
                    dial_by_ticket(hub, table, agreed.roster.addresses, ticket)
                    screen(updates.TicketTaken(name_in(table.header, ticket)))
            await trio.sleep(LOOK)
    finally:
        with suppress(OSError):
            # A ticket that came too late must not be read by the next process of this game.
            book.files.remove(place)


def _handed(files: FileStore, place: Path) -> Ticket | None:
    """Return the valid ticket that another process has handed over, if any. Remove the file."""
    # Whatever another process has put there must not end the running game.
    with suppress(OSError, NotPrivateError, TicketError, UnicodeDecodeError):
        if files.has(place):
            word = files.get(place, MAX_TICKET_FILE + 1)
            # Removed before it is decoded: a file that is no ticket would be read every second.
            files.remove(place)
            return decode_ticket(word.decode("ascii"))
    return None


def name_in(header: Header, ticket: Ticket) -> str:
    """Return the nickname of the seat to which a ticket leads that `check_fresh` has checked."""
    return next(entry.nickname for entry in header.roster if entry.id == ticket.host_id)


# Tickets of a seat that has moved


@dataclass
class NewTicketReporter:
    """A reporter that gives a ticket to a player who resumed at an address that others do not know.

    Attributes:
        bare: A ticket of this table for this seat, without addresses.
        is_meant: Whether the player has asked for other addresses or relays than before.
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
        """Show the player a new ticket whenever the other seats cannot find this seat."""
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
        """Return a ticket with the addresses and relays by which this peer can be reached now.

        None if the other seats know all of them. Also None if they can call this peer at a relay
        that they know, unless the player has just named new addresses or relays.
        """
        found = replace(self.bare, addresses=judged.direct)
        is_reached = self.hub.relays().intersection(self.known)
        if is_reached and not self.is_meant:
            return None
        return found if set(found.dial_addresses()).difference(self.known) else None

    def _is_lost(self, judged: Judged) -> bool:
        """Return whether some seats may not be able to find this seat.

        A seat is lost without any link, because a single one brings the messages of all seats.
        Guests connect to the host. So a host that can be reached from outside its network is lost
        if the link to at least one seat is missing.
        """
        seats, banned = self.machine.table.ids, self.machine.tip.banned
        others = [id_ for s, id_ in enumerate(seats) if id_ != self.hub.me and s not in banned]
        linked = [id_ for id_ in others if self.hub.linked(id_)]
        is_host = self.machine.table.header.terms.host == self.hub.me
        leads_far = judged.scope in (Scope.ANYWHERE, Scope.IPV6)
        return not linked or (is_host and leads_far and len(linked) < len(others))


def _reasons(judged: Judged) -> tuple[Reason, ...]:
    """Return advice on how this seat can be reached, for the player who passes on a new ticket."""
    told = tuple(reason for reason in judged.reasons if reason.code not in OPENING)
    if judged.scope is Scope.ANYWHERE:
        return told
    return (*told, because(ReachCode.OTHERWISE))
