"""What a newcomer may say to a relay: a table from the first byte of its wish to who answers it."""

from __future__ import annotations

from ..net.handshake import send
from ..net.reach import CALL, OBSERVE, REGISTER, TAKE, WORD, seen_from
from .calls import Calls
from .mailboxes import Mailboxes
from .seats import Seats
from .visit import Visit, Wish
from .watch import Event


def wishes_of(seats: Seats, calls: Calls, mailboxes: Mailboxes) -> dict[bytes, Wish]:
    """Every wish of SPEC 13.2 by its first byte; any other is no wish."""
    return {
        REGISTER: seats.register,
        CALL: calls.call,
        TAKE: calls.take,
        OBSERVE: _observe,
        WORD: mailboxes.attend,
    }


async def _observe(visit: Visit, rest: bytes) -> None:
    """Tell a newcomer where it comes from, as this relay sees it; that is all it came for."""
    if not rest:
        visit.watch.note(Event.OBSERVED, visit.source)
        await send(visit.stream, seen_from(visit.address))
