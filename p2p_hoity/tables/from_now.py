"""An onlooker who came late and wants to see the game from now on, not from its beginning."""

from __future__ import annotations

from typing import Final

import trio

from protocol.bounds import Seconds

from .. import rules
from ..session import updates
from ..session.updates import Screen

QUIET: Final[Seconds] = 1.0
"""Seconds without a step after which all that was played before is known."""
FIRST: Final[Seconds] = 5.0
"""Seconds for which the first step is awaited."""
LONGEST: Final[Seconds] = 30.0
"""Seconds after which it is now in any case: some games never rest."""
PAST: Final = (updates.Stepped, updates.Happened, updates.Rewound)


class FromNow:
    """Keeps back what was played before; everything is verified all the same."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._view: rules.View | None = None
        self._items: list[rules.Happening] = []
        self._started = trio.Event()
        self._last: float | None = None
        self._is_now = False

    def tell(self, update: updates.Update) -> None:
        """Pass on an update, unless it is of the past; the end is never kept back."""
        if isinstance(update, updates.Started):
            self._started.set()
        if isinstance(update, updates.Finished | updates.Ended):
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
                del self._items[kept:]

    async def run(self) -> None:
        """Wait until the past is known, then show how the game stands."""
        await self._started.wait()
        began = trio.current_time()
        while not self._is_now:
            due = began + FIRST if self._last is None else self._last + QUIET
            if min(due, began + LONGEST) <= trio.current_time():
                self._begin()
            await trio.sleep(QUIET / 4)

    def _begin(self) -> None:
        if not self._is_now and self._view is not None:
            self._screen(updates.Resumed(self._view, tuple(self._items)))
        self._is_now = True
