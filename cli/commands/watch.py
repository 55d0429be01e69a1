"""The command `watch`: following a table without a seat."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import trio

from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.storage.home import home as own_home
from p2p_hoity.table.beside_game.watch_table import ALONE, Onlooker, watch_table
from p2p_hoity.table.playing.session import Outcome

from ..exit_codes import INTERRUPTED, NOT_OK, OK, Trouble, ctrl_c_means
from ..local import settings
from ..local.seat_checks import check_output
from ..ui.kinds_of_window import seat_of
from ..ui.screen_options import ScreenOptions
from ..words.translation import _
from .join import ticket_of
from .options import OutputOptions, SeatOptions, WatchOptions
from .page_options import closed_after, page_of
from .reach_options import through

if TYPE_CHECKING:
    from ..ui.web.page_host import PageHost


def watch(ticket: str, how: WatchOptions, seat: SeatOptions, output: OutputOptions) -> int:
    """Show a table without taking a seat, and also the next game of the same people if wanted.

    Of the options of a seat only `no_talk` and `again` are used.

    Raises:
        Trouble: If the player stops watching before the end.
    """
    network, as_json = through(how.proxy), output.as_json
    check_output(output.transcript)
    read, _relay = ticket_of(ticket, tuple(how.relay or ()), network, as_json)
    page = page_of(own_home(), "watch", output)
    scope = trio.CancelScope()
    shown = _shown_as(output, seat, page, lambda reason: scope.cancel())
    watcher = seat_of(shown)
    ended: list[updates.GameOver] = []

    def tell(update: updates.Update) -> None:
        if isinstance(update, updates.GameOver):
            ended.append(update)
        watcher.tell(update)

    onlooker = Onlooker(
        tell,
        output.transcript,
        watcher,
        not seat.no_talk,
        shown.again,
        trio.to_thread.run_sync,
        how.since == "now",
    )

    async def go() -> Outcome | None:
        watcher.say(_("Searching for the table. The game is shown once it has begun …"))
        with scope:
            async with trio.open_nursery() as nursery:
                if listen := watcher.window.listener(False):
                    nursery.start_soon(listen)
                alone = replace(ALONE, network=network, hidden=bool(how.proxy))
                outcome = await watch_table(read, onlooker, alone)
                nursery.cancel_scope.cancel()
            return outcome
        return None

    means = ctrl_c_means(lambda: _("Interrupted: you have stopped watching."))
    with closed_after(page), means:
        outcome = watcher.window.run(go)
    if outcome is None and ended:  # The seats were still deciding about another game.
        outcome = Outcome(ended[-1].transcript, ended[-1].standings)
    if outcome is None:
        raise Trouble(_("You have stopped watching."), INTERRUPTED)
    watcher.end(outcome)
    return OK if outcome.code is None else NOT_OK


def _shown_as(
    output: OutputOptions, seat: SeatOptions, page: PageHost | None, leave: Callable[[str], None]
) -> ScreenOptions:
    """Return the options of an onlooker's screen."""
    return ScreenOptions(
        leave,
        output.as_json,
        output.plain,
        looks_on=True,
        again=not output.as_json if seat.again is None else seat.again,
        talks=not seat.no_talk,
        sentences=settings.in_sentences(),
        page=page,
    )
