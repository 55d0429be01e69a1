"""What is said at a table outside its game: talk, and whether there is another game."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import replace
from typing import Final

import trio

from protocol import Identity
from protocol.bounds import Quota, Seconds

from ..errors import Reason, because
from ..net.hub import Hub
from .access import Access
from .conversation import Conversation, Heard, TalkCode
from .lobby import Ask, encode_lobby
from .next_table import is_again
from .player import Player
from .rematch import Rematch
from .settling import Agreed, Settling
from .talk import is_talk
from .updates import Screen, Unsaid

RECENT: Final[Seconds] = 10.0
"""Seconds for which words are told to links that are let in after them."""
MOST_RECENT: Final[Quota] = 8


def _milliseconds() -> int:
    return time.time_ns() // 1_000_000


class SideChannel:
    """The side channel of one node, over the links that `access` has let in. `talks`: whether this
    node shows what is said, and says anything; what others say it passes on in any case."""

    def __init__(
        self, access: Access, me: Identity | None, hub: Hub, screen: Screen, talks: bool = True
    ) -> None:
        self._table, self._seat, self._access = access.table, access.seat, access
        self._hub, self._screen, self._talks = hub, screen, talks
        self._conversation = Conversation(self._table, self._seat, me, _milliseconds)
        watched = access.roster.watched
        self._rematch = Rematch(self._table, self._seat, me, self.flood, watched)
        self._latest: deque[tuple[float, bytes]] = deque(maxlen=MOST_RECENT)

    def receive(self, peer: bytes, data: bytes) -> bool:
        """Whether a frame belongs here; then it is dealt with, or dropped silently ([W-6])."""
        if is_talk(data):
            if self._access.hears(peer):
                self._hear(peer, data)
            return True
        if not is_again(data):
            return False
        if self._access.hears(peer) or peer in self._table.ids:
            self._rematch.receive(peer, data, trio.current_time())
        return True

    def _hear(self, peer: bytes, data: bytes) -> None:
        now = trio.current_time()
        if not self._conversation.admit(peer, now):
            rest = self._conversation.rest(peer, now)
            if rest > 0:
                self._hub.rest(peer, rest)
            return
        heard = self._conversation.receive(peer, data, now)
        if heard is not None:
            self._tell(heard)
            self._spread(heard.frame, peer)

    def _tell(self, heard: Heard) -> None:
        if self._talks:
            self._screen(heard.said)

    def _spread(self, frame: bytes, source: bytes | None) -> None:
        """To all others, once ([W-6]); an onlooker's would be taken from nobody."""
        if self._seat is not None:
            self._latest.append((trio.current_time(), frame))
            self.flood(frame, source)

    def flood(self, frame: bytes, source: bytes | None) -> None:
        """Send a frame to all links that are let in, but to the one it came from."""
        for peer in self._hub.links():
            if peer != source and self._access.hears(peer):
                self._hub.post(peer, frame)

    # Of its own.

    def say(self, words: str | int) -> None:
        """Say the player's words, or tell it why not."""
        found = because(TalkCode.OFF) if not self._talks else self._said(words)
        if isinstance(found, Reason):
            self._screen(Unsaid(found))
            return
        self._tell(found)
        self._spread(found.frame, None)
        if self._seat is None:
            self._hub.post(self._table.ids[min(self.doors())], found.frame)  # as it is signed

    def _said(self, words: str | int) -> Heard | Reason:
        return self._conversation.say(words, self.doors(), trio.current_time())

    def doors(self) -> frozenset[int]:
        """The seats that are linked and heard."""
        here = [self._hub.linked(peer) and self._access.hears(peer) for peer in self._table.ids]
        return frozenset(seat for seat, is_here in enumerate(here) if is_here)

    # Another game.

    def catch_up(self, peer: bytes) -> None:
        """A link was let in: tell what it may have missed ([W-6], [A-6])."""
        since = trio.current_time() - RECENT
        words = (frame for when, frame in self._latest if when > since)
        for frame in (*words, *self._rematch.known()):
            self._hub.post(peer, frame)

    def link_up(self, peer: bytes) -> None:
        """A seat that has consented asks for the roster on each new link: it may be out ([A-6])."""
        if peer in self._table.ids and self._rematch.is_waiting:
            self._hub.post(peer, encode_lobby(Ask(b"")))

    @property
    def has_roster(self) -> bool:
        """Whether the roster of the next table is here: what comes now is for that one."""
        return self._rematch.roster is not None

    def decline(self) -> None:
        """This seat takes no part in another game."""
        self._rematch.refuse()

    async def settle(
        self, player: Player | None, asks: bool, present: frozenset[int]
    ) -> Agreed | None:
        """The next table of the same people, if all want one; without `asks` this one does not.

        SPEC: [A-3].
        """
        if not asks:
            self.decline()
            return None
        seats = frozenset(range(self._table.seats))
        gone, screen = seats - present, self._screen
        settling = Settling(self._rematch, seats, self._seat, gone, screen, self.doors)
        roster = await settling.run(player)
        if roster is None:
            return None
        capability = self._access.capability.next(self._rematch.terms.digest())
        return Agreed(replace(roster, addresses=self._access.roster.addresses), capability)
