"""The tables open on this LAN."""

from __future__ import annotations

from collections.abc import Mapping

import trio

from p2p_hoity.net.lan_discovery import browse

from ..exit_codes import OK
from ..printing import say, write_line
from ..words.translation import _


def _found(table: Mapping[str, object]) -> str:
    """A table of this LAN: how to sit down, or that it takes the host's ticket."""
    text = _("{host}: {joined} of {seats} seated. Open to all: hoity join {ticket}")
    if table["ticket"] is None:
        text = _("{host}: {joined} of {seats} seated. To sit down, ask the host for the ticket.")
    return text.format(**table)


def look_around(seconds: float, as_json: bool) -> int:
    """The tables open on this LAN; the exit code."""

    async def look() -> list[dict[str, object]]:
        found = await browse(seconds)
        return [
            {"host": a.name, "joined": a.joined, "seats": a.seats, "ticket": a.ticket or None}
            for a in found
        ]

    found = trio.run(look)
    for table in found:
        if as_json:
            write_line(table)
        else:
            say(_found(table))
    if not found and not as_json:
        say(_("No open table on this LAN. Open one with: hoity host"))
    return OK
