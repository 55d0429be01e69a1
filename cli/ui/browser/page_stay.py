"""What a person does at a table in this page, whether that is to sit, to host or to watch."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast
from urllib.parse import urlsplit

import trio

from p2p_hoity.net.page_network import PageNetwork
from p2p_hoity.presentation.screen_updates import GameOver, Update
from p2p_hoity.storage.player_key import NamedIdentity
from p2p_hoity.table.gathering.join_table import kept_seats
from p2p_hoity.table.open_links import Lan, Reach
from p2p_hoity.table.playing.end_codes import LEFT
from p2p_hoity.table.playing.play_table import Seat
from p2p_hoity.table.playing.resume_table import resume_table
from p2p_hoity.table.playing.session import Outcome

from ...exit_codes import Trouble
from ...words.browser_labels import trust
from ...words.translation import _
from ..going import ENDING, LEAVING, Going
from ..person_seat import PersonSeat
from ..screen_options import ScreenOptions
from ..web.page_window import PageWindow
from .worker_page import WorkerPage

HOME: Final = Path("/hoity")
"""The folder with the files of one table and of its rematches."""
TICKET: Final = HOME / "ticket"
"""The ticket of the table."""
OPENING: Final = HOME / "opening"
"""The table that the page has opened. There is none if it is a guest or an onlooker."""
SITTING: Final = HOME / "sitting"
"""The key and the nickname of a guest that has accepted the terms."""
WATCHES: Final = HOME / "watches"
"""An empty file of an onlooker."""


@dataclass(frozen=True)
class PageWays:
    """How a page reaches the others, and whose page it is.

    Attributes:
        relays: The relays that the page may use, such as 'wss://host:port'.
        address: The URL of the page, without what stands behind '#'.
    """

    network: PageNetwork
    relays: tuple[str, ...]
    address: str

    @property
    def server(self) -> str:
        """The server of the page, as a browser shows it."""
        return urlsplit(self.address).netloc


class PageStay(ABC):
    """A stay at a table.

    Attributes:
        player: Who plays the seat, or looks on.
        file: The file of the last game. None before its end.
    """

    def __init__(self, page: WorkerPage, ways: PageWays, looks_on: bool = False) -> None:
        self.page, self.ways = page, ways
        self.home = page.home
        self.file: Path | None = None
        self._scope, self._going = trio.CancelScope(), trio.Event()
        self._over: GameOver | None = None
        how = ScreenOptions(self._leave, again=True, bell=False, looks_on=looks_on, page=page)
        self.player = PersonSeat(how, PageWindow)

    @property
    def window(self) -> PageWindow:
        """The window on the page."""
        return cast(PageWindow, self.player.window)

    async def run(self) -> Outcome:
        """Stay at the table to the end, and return how its last game ended.

        Raises:
            PeerError: If the person cannot sit down, or watch.
            Trouble: If the person leaves.
        """
        outcome = None
        with self._scope:
            outcome = await self._stay()
        if outcome is None or outcome.code == LEFT:
            raise Trouble(self._left())
        return outcome

    @abstractmethod
    async def _stay(self) -> Outcome:
        """Stay at the table to the end."""

    def _left(self) -> str:
        """Return what a person is told that has left."""
        return _("You have left for now. To take your seat again, load this page again.")

    def kept(self) -> str | None:
        """Return the name of the newest unfinished game that the files have, None without one."""
        # Whatever its terms are: those of a rematch are others than the ticket's.
        found = {record.started: name for name, record in kept_seats(self.home, None)}
        return found[max(found)] if found else None

    async def _resume(self, me: NamedIdentity, kept: str) -> Outcome:
        """Take a seat again."""
        return await resume_table(self._seat(me), kept, self._reach(is_back=True))

    def _seat(self, me: NamedIdentity) -> Seat:
        """Return the data of this seat that the table needs."""
        return Seat(
            screen=self._tell,
            output=None,
            player=Going(self.player, self._going),
            again=True,
            is_unhurried=lambda: False,
            off_loop=trio.to_thread.run_sync,
            home=self.home,
            me=me,
            # The key is that of one table, so nobody would know it again.
            unknown=True,
        )

    def _reach(self, is_back: bool = False) -> Reach:
        """Return how this peer is reached: at the relays of the page, and nowhere else."""
        return Reach(
            relays=self.ways.relays,
            lan=Lan.OFF,
            network=self.ways.network,
            returning=is_back,
            relays_anew=is_back,
            relay_only=True,
            page=self.ways.server,
        )

    def _notes(self) -> tuple[str, ...]:
        """Return what a person should know of the game and of the page before it sits down."""
        # Nothing that a page tells of itself proves anything against whoever serves it.
        return (
            _("Hoity Toity is a game of collecting and bluffing. Its rules are in the menu above."),
            trust().format(server=self.ways.server),
            _(
                "Your seat is stored in this browser alone. If you close a private window or clear "
                "the data of this site, you give it up."
            ),
        )

    def _tell(self, update: Update) -> None:
        """Show an update, and note that a game has ended."""
        self.player.tell(update)
        if isinstance(update, GameOver):
            self._over, self.file = update, update.transcript

    def keep(self) -> None:
        """Let the browser save the file of the last game."""
        if self.file is not None:
            self.page.give(self.file.name, self.home.unchecked.get(self.file))

    def _leave(self, reason: str) -> None:
        """Leave the table, with some time to tell the others or to send the last frames."""
        if not self._going.is_set():
            self._going.set()
            self._scope.deadline = trio.current_time() + (LEAVING if self._over is None else ENDING)


async def stay_in_page(stay: PageStay) -> None:
    """Stay at a table, and show the end until the person leaves the page."""
    (await stay.window.serve_beside(stay.run)).unwrap()
