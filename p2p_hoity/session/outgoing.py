"""What one node says: on disk first, then on its way to those whom it is for, before all else."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

import trio

from protocol import Machine, effects
from protocol.bounds import Quota

from ..net.hub import Hub
from .mark_keeper import MarkKeeper
from .rate_limit import RateLimit, goes_round, is_request

TURNS: Final[Quota] = 3
"""Turns of the loop after which what was posted is with the system: its writer wakes, waits for its
lock, and writes."""


class Outgoing:
    """Posts the frames of one machine; `marks` puts its journal on disk."""

    def __init__(
        self,
        machine: Machine,
        hub: Hub,
        marks: MarkKeeper,
        rate_limit: RateLimit,
        goes_to: Callable[[bytes], bool],
    ) -> None:
        """`goes_to`: whether a linked node is told what goes round."""
        self._ids, self._hub, self._marks = machine.table.ids, hub, marks
        self._rate_limit, self._goes_to = rate_limit, goes_to
        self._has_posted = False

    def send(self, send: effects.Send) -> None:
        """Post it. What is passed on rests on nothing that must be on disk."""
        if not send.but:
            self._marks.settle()
        once = goes_round(send.frame)
        if send.peer is not None:
            self._has_posted |= self._hub.post(send.peer, send.frame, once)
            return
        self._rate_limit.held(send.frame)
        for peer in self._told(send):
            self._has_posted |= self._hub.post(peer, send.frame, once)

    def _told(self, send: effects.Send) -> Iterable[bytes]:
        """Whom a frame goes to that goes to all: who looks on is asked nothing ([L-6])."""
        links = self._hub.links() - send.but
        if is_request(send.frame):
            return links.intersection(self._ids)
        return filter(self._goes_to, links)

    async def let_out(self) -> None:
        """Let what was posted out: it goes before what this node shows, and what it hears next."""
        turns, self._has_posted = TURNS if self._has_posted else 0, False
        for _ in range(turns):
            await trio.lowlevel.checkpoint()
