"""A guest in a page: the seat that it takes or takes again, and how it leaves."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import cast

import trio

from p2p_hoity.game_adapter import HoityToity
from p2p_hoity.net.addresses import relay_address
from p2p_hoity.net.page_network import PageNetwork
from p2p_hoity.net.ticket import Ticket
from p2p_hoity.presentation.screen_updates import GameOver, Update
from p2p_hoity.storage.player_key import NamedIdentity
from p2p_hoity.table.gathering.drawn_nicknames import draw_nickname
from p2p_hoity.table.gathering.join_table import join_table, kept_seat
from p2p_hoity.table.gathering.table_keys import TableKeys
from p2p_hoity.table.open_links import Lan, Reach
from p2p_hoity.table.playing.end_codes import LEFT
from p2p_hoity.table.playing.play_table import Seat
from p2p_hoity.table.playing.resume_table import resume_table
from p2p_hoity.table.playing.session import Outcome
from protocol import Identity, Terms

from ...exit_codes import Trouble
from ...words.table_terms import TableOffer
from ...words.translation import _
from ..going import ENDING, LEAVING, Going
from ..person_seat import PersonSeat
from ..screen_options import ScreenOptions
from ..web.page_window import PageWindow
from .worker_page import WorkerPage


@dataclass
class PageGuest:
    """The stay of a guest at a table.

    Attributes:
        relays: The relays that the page may use, such as 'wss://host:port'.
        player: Who plays the seat.
        file: The file of the last game. None before its end.
    """

    page: WorkerPage
    network: PageNetwork
    relays: tuple[str, ...]
    player: PersonSeat = field(init=False)
    file: Path | None = None

    def __post_init__(self) -> None:
        self.home = self.page.home
        self._scope, self._going, self._is_over = trio.CancelScope(), trio.Event(), False
        how = ScreenOptions(self._leave, again=True, bell=False, page=self.page)
        self.player = PersonSeat(how, PageWindow)

    async def play(self, ticket: Ticket) -> Outcome:
        """Take the seat at the table of a ticket, or take it again, and play there to the end.

        Returns:
            How the last game ended.

        Raises:
            PeerError: If the player cannot sit down.
            Trouble: If the player leaves.
        """
        kept = kept_seat(self.home, None, ticket)
        me = self._sat_as() or NamedIdentity(Identity(os.urandom(32)), draw_nickname(), True)
        seat, reach = self._seat(me), self._reach(is_back=kept is not None)
        outcome = None
        with self._scope:
            if kept is not None:
                outcome = await resume_table(seat, kept, reach)
            else:
                accept = partial(self._accept, me)
                outcome = await join_table(seat, TableKeys(me.identity), ticket, accept, reach)
        if outcome is None or outcome.code == LEFT:
            raise Trouble(
                _("You have left for now. To take your seat again, load this page again.")
            )
        return outcome

    def _sat_as(self) -> NamedIdentity | None:
        """Return who has accepted the terms in this page, None if nobody has.

        A page that is loaded again before the game begins takes its seat again by the same key.
        """
        if not self.home.files.has(self._sitting):
            return None
        data = self.home.files.get(self._sitting)
        return NamedIdentity(Identity(data[:32]), data[32:].decode(), True)

    @property
    def _sitting(self) -> Path:
        """The file with the key of the seat and the nickname."""
        return self.home.path / "sitting"

    def is_kept(self, ticket: Ticket) -> bool:
        """Return whether the page has a seat in an unfinished game at the table of a ticket."""
        return kept_seat(self.home, None, ticket) is not None

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

    def _reach(self, is_back: bool) -> Reach:
        """Return how this peer is reached: at the relays of the page, and nowhere else."""
        return Reach(
            relays=self.relays,
            lan=Lan.OFF,
            network=self.network,
            returning=is_back,
            relays_anew=is_back,
            relay_only=True,
            page=relay_address(self.relays[0]).web_authority,
        )

    async def _accept(
        self,
        me: NamedIdentity,
        terms: Terms,
        game: HoityToity,
        names: tuple[str, ...],
        host: bytes | None,
    ) -> bool:
        """Show the terms, and return whether the player accepts them, now or before a reload."""
        # Nothing that a page tells of itself proves anything against whoever serves it.
        words = _(
            "You play in a page of {server}. Whoever runs it could change the page, and then see "
            "your cards and play for you. A program of your own trusts nobody."
        )
        notes = (
            _("Hoity Toity is a game of collecting and bluffing. Its rules are in the menu above."),
            words.format(server=relay_address(self.relays[0]).web_authority),
        )
        self.player.window.show_terms(TableOffer(terms, game, names, host, notes))
        if self._sat_as() is None:
            if not await self.player.agree():
                return False
            self.home.files.put(self._sitting, me.identity.seed + me.nickname.encode())
        return True

    def _tell(self, update: Update) -> None:
        """Show an update, and note that a game has ended."""
        self.player.tell(update)
        if isinstance(update, GameOver):
            self._is_over, self.file = True, update.transcript

    def keep(self) -> None:
        """Let the browser save the file of the last game."""
        if self.file is not None:
            self.page.give(self.file.name, self.home.unchecked.get(self.file))

    def _leave(self, reason: str) -> None:
        """Leave the table, with some time to tell the others or to send the last frames."""
        if not self._going.is_set():
            self._going.set()
            self._scope.deadline = trio.current_time() + (ENDING if self._is_over else LEAVING)


async def sit_in_page(guest: PageGuest, ticket: Ticket) -> None:
    """Play at a table, and show the end until the player leaves the page."""
    window = cast(PageWindow, guest.player.window)
    (await window.serve_beside(partial(guest.play, ticket))).unwrap()
