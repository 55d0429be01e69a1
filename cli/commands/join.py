"""Sitting down at the table of a ticket."""

from __future__ import annotations

import trio

from p2p_hoity import tables
from p2p_hoity.net.ticket import decode_ticket
from p2p_hoity.session.driver import Outcome

from ..local.one_chair import only_one
from ..local.places import check_output
from ..words.lingo import _
from .seats import new_sitting
from .sitting import Manner, Sitting, sit


def join(manner: Manner, ticket: str, reach: tables.Reach) -> int:
    """Sit down at a table; the exit code."""
    check_output(manner.transcript)
    read = decode_ticket(ticket)

    async def go(sitting: Sitting, nursery: trio.Nursery) -> Outcome:
        sitting.say(_("Asking the host for the terms …"))
        return await tables.join_table(sitting.seat, read, sitting.accept, reach)

    sitting = new_sitting(manner)
    with only_one(sitting.home, read):
        return sit(sitting, go)
