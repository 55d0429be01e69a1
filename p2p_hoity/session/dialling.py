"""Which addresses of a table's other seats are dialled, and how far they may lead."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from protocol import Table

from ..net.addresses import Named, how_far
from ..net.hub import Hub
from ..net.network_errors import AddressError
from ..net.ticket import Ticket


def dial_seats(hub: Hub, table: Table, addresses: Sequence[Sequence[str]]) -> None:
    """Keep links to the other seats of a table, at what each said of itself ([L-14]).

    The host's addresses lead as far as its ticket's, which the player chose.
    """
    hub.prefer(table.ids)
    own = addresses[table.ids.index(hub.me)] if hub.me in table.ids else ()
    for peer, where in zip(table.ids, addresses, strict=True):
        is_host = peer == table.header.terms.host
        named = Named.BY_US if is_host else how_far(where, own)
        for address in where if peer != hub.me else ():
            with suppress(AddressError):  # what a stranger says of itself may be nonsense
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
