"""An onlooker in a page."""

from __future__ import annotations

import trio

from p2p_hoity.net.ticket import Ticket
from p2p_hoity.table.beside_game.watch_table import Onlooker, watch_table
from p2p_hoity.table.playing.session import Outcome

from ...exit_codes import Trouble
from ...words.translation import _
from .page_stay import PageStay, PageWays
from .worker_page import WorkerPage


class PageWatcher(PageStay):
    """The stay of an onlooker at the table of a ticket."""

    def __init__(self, page: WorkerPage, ways: PageWays, ticket: Ticket) -> None:
        super().__init__(page, ways, looks_on=True)
        self._ticket = ticket

    async def run(self) -> Outcome:
        """Watch to the end, or until the person leaves."""
        try:
            return await super().run()
        except Trouble:
            if self._over is None:
                raise
            # The seats were still deciding about another game.
            return Outcome(None, self._over.standings)

    async def _stay(self) -> Outcome:
        """Watch the table."""
        self.player.say(_("Searching for the table. The game is shown once it has begun …"))
        onlooker = Onlooker(
            self._tell, None, self.player, again=True, off_loop=trio.to_thread.run_sync
        )
        return await watch_table(self._ticket, onlooker, self._reach())

    def _left(self) -> str:
        return _("You have stopped watching. To go on, load this page again.")

    def _leave(self, reason: str) -> None:
        # Nobody has to be told.
        self._scope.cancel()
