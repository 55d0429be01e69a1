"""A guest in a page: the seat that it takes or takes again."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from typing import Final

from p2p_hoity.coded_errors import CodedError
from p2p_hoity.confusable_names import twins
from p2p_hoity.game_adapter import HoityToity
from p2p_hoity.net.ticket import Ticket
from p2p_hoity.storage.player_key import NamedIdentity, check_name
from p2p_hoity.table.gathering.drawn_nicknames import draw_nickname, nickname_among
from p2p_hoity.table.gathering.join_table import REFUSED, JoinCode, join_table
from p2p_hoity.table.gathering.table_keys import TableKeys
from p2p_hoity.table.peer_error import PeerError
from p2p_hoity.table.playing.session import Outcome
from protocol import Identity, Terms

from ...words.error_sentences import sentence
from ...words.table_terms import TableOffer
from ...words.translation import _
from .page_stay import SITTING, PageStay, PageWays
from .worker_page import WorkerPage

FULL: Final = (JoinCode.FULL, JoinCode.BEGUN, JoinCode.BEGUN_WITHOUT)
"""Why nobody can sit down at a table that can be watched."""


class WatchInstead(Exception):
    """The wish to watch a table at which no seat is free."""


class PageGuest(PageStay):
    """The stay of a guest at the table of a ticket."""

    def __init__(
        self, page: WorkerPage, ways: PageWays, ticket: Ticket, nickname: str = ""
    ) -> None:
        """Prepare the stay. Without a nickname one is drawn, and the person may choose another."""
        super().__init__(page, ways)
        is_allowed = _why_not((), nickname) is None
        self.ticket, self._nickname = ticket, nickname if is_allowed else ""

    async def _stay(self) -> Outcome:
        """Sit down, or take the seat again."""
        me = self._sat_as() or self._new()
        if (kept := self.kept()) is not None:
            return await self._resume(me, kept)
        self.player.say(_("Asking the host for the terms …"))
        keys, accept = TableKeys(me.identity), partial(self._accept, me)
        try:
            return await join_table(self._seat(me), keys, self.ticket, accept, self._reach())
        except PeerError as error:
            # Whoever was refused may ask again, by another key and perhaps another nickname.
            if error.code in REFUSED.values() and self.home.files.has(SITTING):
                self.home.files.remove(SITTING)
            if error.code not in FULL or not await self._asks_to_watch(sentence(error.reason)):
                raise
        raise WatchInstead

    async def _asks_to_watch(self, why: str) -> bool:
        """Ask whether to watch a table, and say why the person cannot sit there."""
        words = _("{why}. Do you want to watch the game?").format(why=why[:1].upper() + why[1:])
        return await self.window.ask(words)

    def _new(self) -> NamedIdentity:
        """Return a new key, with the nickname that the person wants, or one that is drawn."""
        name = self._nickname or draw_nickname()
        return NamedIdentity(Identity(os.urandom(32)), name, is_drawn=not self._nickname)

    def _sat_as(self) -> NamedIdentity | None:
        """Return who has accepted the terms in this page, None if nobody has.

        A page that is loaded again before the game begins takes its seat again by the same key.
        """
        if not self.home.files.has(SITTING):
            return None
        data = self.home.files.get(SITTING)
        return NamedIdentity(Identity(data[:32]), data[32:].decode())

    async def _accept(
        self,
        me: NamedIdentity,
        terms: Terms,
        game: HoityToity,
        names: tuple[str, ...],
        host: bytes | None,
    ) -> str | None:
        """Show the terms. Return the nickname if they are accepted, now or before a reload."""
        self.window.show_terms(TableOffer(terms, game, names, host, self._notes()))
        if (sat := self._sat_as()) is not None:
            return sat.nickname
        offered = nickname_among(me, names)
        nickname = await self.window.sit_down(offered, partial(_why_not, names))
        if nickname is not None:
            self.home.files.put(SITTING, me.identity.seed + nickname.encode())
        return nickname


def _why_not(others: Sequence[str], nickname: str) -> str | None:
    """Return why somebody cannot have a nickname at a table, None if it is possible."""
    try:
        check_name(nickname)
    except CodedError as error:
        return sentence(error.reason)
    if any(twins(nickname, other) for other in others):
        return _("Somebody at this table has the same nickname, or a similar one.")
    return None
