"""Tell the screen which seats say that they play in a page, and whose page it is ([L-90])."""

from __future__ import annotations

from collections.abc import Mapping

from protocol.units import PeerId

from ..net.hub import Hub
from ..presentation.screen_updates import InPages, Screen


class PageTeller:
    """A reporter that tells one screen about the seats in pages, whenever they have changed."""

    def __init__(self, hub: Hub, screen: Screen, seats: int, quorum: int) -> None:
        """Make a reporter for a table with so many seats and this quorum."""
        self._hub, self._screen, self._seats, self._quorum = hub, screen, seats, quorum
        self._claims = dict[PeerId, str]()
        self._told: Mapping[str, str] = {}

    def tell(self, nicknames: Mapping[PeerId, str]) -> None:
        """Tell of the pages of seats, given by their nicknames."""
        for peer in nicknames:
            # The key of a seat in a page never leaves it, so what was claimed first stays.
            if (server := self._hub.page(peer)) is not None:
                self._claims.setdefault(peer, server)
        claims = self._claims
        servers = {name: claims[peer] for peer, name in nicknames.items() if peer in claims}
        if servers != self._told:
            self._told = servers
            mine = nicknames.get(self._hub.me)
            self._screen(InPages(servers, self._seats, self._quorum, mine))
