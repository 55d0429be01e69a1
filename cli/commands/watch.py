"""Following a table without a seat."""

from __future__ import annotations

from pathlib import Path

import trio

from p2p_hoity import tables
from p2p_hoity.net.ticket import decode_ticket
from p2p_hoity.session.driver import Outcome

from ..local.places import check_output
from ..trouble import INTERRUPTED, NOT_OK, OK, Trouble, ctrl_c_means
from ..ui.screen import looking_on
from ..words.lingo import _


def watch(ticket: str, transcript: Path | None, as_json: bool, plain: bool = True) -> int:
    """Follow a table without a seat; the exit code."""
    check_output(transcript)
    read = decode_ticket(ticket)
    scope = trio.CancelScope()
    screen = looking_on(as_json, plain, lambda reason: scope.cancel())

    async def go() -> Outcome | None:
        screen.say(_("Looking for the table; the game is shown once it has begun …"))
        with scope:
            return await tables.watch_table(read, screen.tell, transcript)
        return None

    with ctrl_c_means(lambda: _("Interrupted: you look on no more.")):
        outcome = screen.run(go)
    if outcome is None:
        raise Trouble(_("You look on no more."), INTERRUPTED)
    screen.end(outcome)
    return OK if outcome.code is None else NOT_OK
