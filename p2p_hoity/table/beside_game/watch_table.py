"""Watch the game at the table of a ticket, from its beginning or from now on."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import trio

from protocol import SeatMachine, Terms
from protocol.units import Seconds

from ... import rules
from ...game_adapter import bind_raw
from ...net.hub import Event
from ...net.ticket import Ticket
from ...presentation import screen_updates as updates
from ...presentation.screen_updates import Screen
from ...storage.private_files import NAMED
from ..gathering.join_table import HostLink, JoinCode, checked_header
from ..gathering.lobby import LobbyFrame, Offer, Roster
from ..gathering.table_keys import draw_keys
from ..open_links import Reach, open_hub
from ..peer_error import PeerError
from ..playing.session import Attendee, Outcome, compose
from ..task_groups import beside
from .rematch import Agreed

QUIET: Final[Seconds] = 1.0
"""Seconds without a new step after which an onlooker counts as up to date with the game."""
FIRST: Final[Seconds] = 5.0
"""Seconds to wait for the first step. If none comes, updates are shown from then on."""
MAX_CATCH_UP: Final[Seconds] = 30.0
"""Seconds after which updates are shown in any case, since some games never pause."""
ALONE: Final = Reach("127.0.0.1:0")
"""How an onlooker can be reached: nobody needs to, since it dials."""
PAST: Final = (updates.ChainGrew, updates.Happened, updates.Rewound)


class PastFilter:
    """A filter for an onlooker's screen. It hides what was played before the onlooker came.

    The onlooker's state machine still verifies everything.
    """

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._view: rules.View | None = None
        self._items: list[rules.Happening] = []
        self._started = trio.Event()
        self._last: float | None = None
        self._is_now = False

    def tell(self, update: updates.Update) -> None:
        """Pass an update on to the screen, unless it is about a step from before the onlooker came.

        Such an update is only used for the state of the game that `run` shows. The end of a game is
        always passed on.
        """
        if isinstance(update, updates.Started):
            self._started.set()
        # The state of the game comes before its end, which would be shown without a game.
        if isinstance(update, updates.GameOver | updates.Ended):
            self._begin()
        if self._is_now or not isinstance(update, PAST):
            self._screen(update)
            return
        self._last = trio.current_time()
        match update:
            case updates.Happened(items, view):
                self._view = view
                self._items += items
            case updates.Rewound(_, kept, view):
                self._view = view
                # What was rewound was not played, and may not be shown.
                del self._items[kept:]

    async def run(self) -> None:
        """Wait until the past of the game has arrived, and then show the state of the game.

        That is when no new step has come for QUIET seconds, or none for FIRST seconds, and after
        MAX_CATCH_UP seconds in any case.
        """
        await self._started.wait()
        began = trio.current_time()
        while not self._is_now:
            due = began + FIRST if self._last is None else self._last + QUIET
            if min(due, began + MAX_CATCH_UP) <= trio.current_time():
                self._begin()
            await trio.sleep(QUIET / 4)

    def _begin(self) -> None:
        """Show the state of the game, and pass on all updates from now on."""
        if not self._is_now and self._view is not None:
            self._screen(updates.Resumed(self._view, tuple(self._items)))
        self._is_now = True


@dataclass(frozen=True)
class Onlooker(Attendee):
    """The person that watches the game.

    Attributes:
        from_now: Whether the steps that were played before the onlooker came are not shown.
    """

    from_now: bool = False


async def watch_table(ticket: Ticket, onlooker: Onlooker, reach: Reach = ALONE) -> Outcome:
    """Watch the game at a table, and further games of the same people ([A-7]).

    Return how the last table ended.
    """
    if not onlooker.from_now:
        return await _watch(ticket, onlooker, reach)
    later = PastFilter(onlooker.screen)
    since = replace(onlooker, screen=later.tell)
    return await beside(later.run, _watch(ticket, since, reach))


async def _watch(ticket: Ticket, onlooker: Onlooker, reach: Reach) -> Outcome:
    """Watch the game at a table and all later games of the same people, with all updates."""
    # A fresh key: nothing shows that the same person looks on at two tables.
    keys = draw_keys(None)
    async with open_hub(keys.seat, reach) as (hub, _):
        host_link = HostLink(hub, ticket, lambda: onlooker.screen(updates.Crowded()))
        roster = await beside(host_link.stay_linked, _wait_for_roster(host_link))
        events: Sequence[Event] = host_link.backlog.frames
        agreed = Agreed(roster, host_link.capability)
        while True:
            roster, machine = agreed.roster, SeatMachine(bind_raw(agreed.roster.header), os.urandom)
            session = compose(hub, machine, onlooker, roster, agreed.capability, keys, NAMED)
            outcome = await session.run(roster.addresses, events)
            if outcome.again is None:
                return outcome
            # A named file has the first game, which no later one may replace.
            agreed, events, onlooker = outcome.again, outcome.early, replace(onlooker, output=None)


async def _wait_for_roster(host_link: HostLink) -> Roster:
    """Wait until the table is full, however long it takes, and return its roster."""
    frame: LobbyFrame = await host_link.first()
    while True:
        match frame:
            case Offer(terms=terms):
                _check_watched(terms)
            case Roster():
                _check_watched(checked_header(frame, host_link.ticket).terms)
                return frame
        frame = await host_link.next()


def _check_watched(terms: Terms) -> None:
    if not terms.watched:
        raise PeerError(JoinCode.UNWATCHED)
