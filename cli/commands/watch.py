"""Following a table without a seat."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import trio

from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.table.session import Outcome
from p2p_hoity.table.watch_table import Onlooker, watch_table

from ..exit_codes import INTERRUPTED, NOT_OK, OK, Trouble, ctrl_c_means
from ..local.places import check_output
from ..ui.screen_interface import looking_on
from ..words.translation import _
from .by_code import ticket_of
from .reaching import through


def watch(
    ticket: str,
    transcript: Path | None,
    as_json: bool,
    plain: bool = True,
    talks: bool = True,
    again: bool | None = None,
    relays: Sequence[str] | None = None,
    proxy: str | None = None,
    from_now: bool = False,
) -> int:
    """Follow a table without a seat; the exit code. `again`: follow the seats to their next table
    too, as for a person unless the command says otherwise. `from_now`: what was played before is
    verified and not shown."""
    network = through(proxy)
    check_output(transcript)
    read, _relay = ticket_of(ticket, tuple(relays or ()), network, as_json)
    scope = trio.CancelScope()
    follows = not as_json if again is None else again
    screen = looking_on(as_json, plain, lambda reason: scope.cancel(), follows)
    thread = trio.to_thread.run_sync
    ended: list[updates.Finished] = []

    def tell(update: updates.Update) -> None:
        if isinstance(update, updates.Finished):
            ended.append(update)
        screen.tell(update)

    onlooker = Onlooker(tell, transcript, screen.player, talks, follows, from_now, thread)

    async def go() -> Outcome | None:
        screen.say(_("Looking for the table; the game is shown once it has begun …"))
        with scope:
            async with trio.open_nursery() as nursery:
                if as_json and not sys.stdin.isatty():  # all other screens listen by themselves
                    nursery.start_soon(screen.listen)
                outcome = await watch_table(read, onlooker, network, bool(proxy))
                nursery.cancel_scope.cancel()
            return outcome
        return None

    with ctrl_c_means(lambda: _("Interrupted: you have stopped watching.")):
        outcome = screen.run(go)
    if outcome is None and ended:  # the seats were still talking of another game
        outcome = Outcome(ended[-1].transcript, ended[-1].standings)
    if outcome is None:
        raise Trouble(_("You have stopped watching."), INTERRUPTED)
    screen.end(outcome)
    return OK if outcome.code is None else NOT_OK
