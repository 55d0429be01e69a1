"""The end of a table: whether all want another game, asked of one's player, awaited of others."""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass
from typing import Final

import trio

from protocol.bounds import Seconds

from . import updates
from .capability import Capability
from .lobby import Roster
from .nursery import open_nursery
from .player import Player
from .rematch import Rematch
from .updates import Screen

ANSWER: Final[Seconds] = 60.0
"""Seconds in which a player must have said whether it wants another game ([A-3])."""
GATHER: Final[Seconds] = 75.0
"""Seconds for which the host waits for all consents ([A-4])."""
LONGEST: Final[Seconds] = 90.0
"""Seconds for which all others wait for the roster: longer, so that who has consented comes."""
ALONE: Final[Seconds] = 10.0
"""Seconds without a link to any seat after which nobody is waited for."""
LOOK: Final[Seconds] = 0.1
"""Seconds between two looks at what has come."""


@dataclass(frozen=True)
class Agreed:
    """The next table of the same people, as its host has signed it."""

    roster: Roster
    capability: Capability


@dataclass
class Settling:
    """One node's way from a finished table to the next. `gone` are the seats that are not at this
    one any more, and are not waited for; `linked` tells which seats there is a link to."""

    rematch: Rematch
    seats: frozenset[int]
    seat: int | None
    gone: frozenset[int]
    screen: Screen
    linked: Callable[[], Set[int]]
    _told: updates.Again | None = None
    _heard: float = 0.0

    async def run(self, player: Player | None) -> Roster | None:
        """The roster of the next table, or None if there is none."""
        self._tell(self._standing)
        async with open_nursery() as nursery:
            if player is not None and self.seat is not None and not self._is_over:
                nursery.start_soon(self._ask, player)
            await self._wait()
            nursery.cancel_scope.cancel()
        if self.rematch.roster is None:
            self._give_up()
        return self.rematch.roster

    @property
    def _standing(self) -> updates.Again:
        now = self.rematch.standing
        return updates.Again(now.willing - self.gone, now.unwilling | self.gone)

    @property
    def _is_over(self) -> bool:
        return bool(self._standing.unwilling) or self.rematch.roster is not None

    async def _ask(self, player: Player) -> None:
        """No answer in time is a refusal."""
        willing = False
        with trio.move_on_after(ANSWER):
            willing = await player.again()
        if willing:
            self.rematch.consent()
        else:
            self.rematch.refuse()

    async def _wait(self) -> None:
        self._heard = trio.current_time()
        last = self._heard + (GATHER if self.seat == 0 else LONGEST)
        while not self._is_over and not self._is_late(last):
            await trio.sleep(LOOK)
            self.rematch.sign()
            self._tell(self._standing)

    def _is_late(self, last: float) -> bool:
        now = trio.current_time()
        if self.linked():
            self._heard = now
        return now >= min(last, self._heard + ALONE)

    def _give_up(self) -> None:
        """There is no next table. Whom nobody has refused to says so, and who kept silent counts
        as unwilling; if all have consented, it is the host who gave no roster."""
        now = self._standing
        if now.unwilling:
            self._tell(now)
            return
        self.rematch.refuse()
        silent = self.seats - now.willing or frozenset({0})
        self._tell(updates.Again(now.willing - silent, silent))

    def _tell(self, standing: updates.Again) -> None:
        if standing != self._told:
            self._told = standing
            self.screen(standing)
