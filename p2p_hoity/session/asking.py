"""A player is asked for the choices that its machine needs, or to come back, one at a time."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import trio

from protocol import Machine
from protocol.bounds import Seconds
from protocol.game import IllegalMove

from .. import rules
from . import updates
from .player import Player
from .updates import Screen

FRESH: Final[Seconds] = 60.0
"""Seconds after sitting down for which a player is there for certain."""


@dataclass
class Asking:
    """The open question of one seat; `chosen` is called when the machine has taken an answer."""

    machine: Machine
    player: Player | None
    screen: Screen
    view: Callable[[], rules.View]
    now: Callable[[], float]
    chosen: Callable[[], None]
    nursery: trio.Nursery
    _scope: trio.CancelScope | None = None
    _calls: trio.CancelScope | None = None
    _there_until: float = field(init=False)

    def __post_init__(self) -> None:
        self._there_until = self.now() + FRESH

    def ask(self, kind: str, again: bool) -> None:
        """Ask, in place of what was asked before."""
        self.stop()
        if self.player is not None:
            self._scope = trio.CancelScope()
            self.nursery.start_soon(self._choose, self.player, kind, again, self._scope)

    def call_back(self, may_return: bool) -> None:
        """The seat is absent: instead of what was asked before, ask whether its player is there
        again, if it may come back at all."""
        self.close()
        if self.player is not None and may_return:
            self._calls = trio.CancelScope()
            self.nursery.start_soon(self._come_back, self.player, self._calls)

    async def _come_back(self, player: Player, scope: trio.CancelScope) -> None:
        """Who has just taken the seat is there, once; all others say so."""
        is_there, self._there_until = self.now() < self._there_until, -math.inf
        with scope:
            if not is_there:
                await player.returning()
            self.machine.ask_back(self.now())
            self.chosen()

    def stop(self) -> None:
        """The choice is no longer needed."""
        if self._scope is not None:
            self._scope.cancel()

    def close(self) -> None:
        """Nothing is asked any more, not even whether the player is there again."""
        self.stop()
        if self._calls is not None:
            self._calls.cancel()

    async def _choose(
        self, player: Player, kind: str, again: bool, scope: trio.CancelScope
    ) -> None:
        with scope:
            while self.machine.must_choose:
                view = self.view()
                self.screen(updates.Choosing(view, kind, again))
                choice = await player.choose(view, kind, again)  # type: ignore[arg-type]
                if not self.machine.must_choose:
                    return
                try:
                    self.machine.choose(choice, self.now())
                except IllegalMove as error:
                    self.screen(updates.Refused(kind, error.code, error.fields))
                    continue
                self.screen(updates.Chosen(kind, choice))
                self.chosen()
                return
