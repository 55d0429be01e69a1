"""Weighing: what takes a machine long is done off the loop, and what comes in meanwhile waits.

The machine sees all that goes round in the order in which it came, each frame after what was to be
decided by those before it, as if it had stood still; only the loop has not. Questions are answered
at once. Without a way to run jobs, `off_loop`, the machine does all of it where it stands.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, Final

import trio

from protocol import Invalid, Machine, Node
from protocol.bounds import Quota

from ..errors import because, of_protocol
from ..net.hub import Hub
from .access import DropCode
from .rate_limit import RateLimit, goes_round

OffLoop = Callable[[Callable[[], Any]], Awaitable[Any]]
"""Runs a job and gives what it gives, such as `trio.to_thread.run_sync`. Never another process: a
job may know this seat's secrets."""
ROOM: Final[Quota] = 1 << 20
"""Bytes of frames that wait for a job; while there are more nothing is read at all."""
OVERHEAD: Final = 256
"""Bytes that a waiting frame takes beside its own."""


class Weighing:
    """Hands one machine the frames of its links, and charges links for what led nowhere."""

    def __init__(
        self,
        machine: Machine,
        hub: Hub,
        rate_limit: RateLimit,
        now: Callable[[], float],
        drain: Callable[[], None],
        off_loop: OffLoop | None = None,
    ) -> None:
        """`drain` carries out what the machine has left to do; `now` is the machine's clock."""
        self._machine, self._hub, self._rate_limit = machine, hub, rate_limit
        self._now, self._drain, self._off_loop = now, drain, off_loop
        self._line: deque[tuple[bytes, bytes]] = deque()
        self._taken = 0
        self._payer: bytes | None = None
        self._due, self._room = trio.Event(), trio.lowlevel.ParkingLot()
        self.seconds = 0.0
        """How long it took to decide what brought the game on last."""
        if off_loop is not None:
            machine.hand_out()

    def receive(self, peer: bytes, data: bytes) -> None:
        """A frame for the machine: now, or when what came before it is decided."""
        if self._must_wait(peer, data):
            self._line.append((peer, data))
            self._taken += len(data) + OVERHEAD
        else:
            self._hand_over(peer, data)

    async def has_room(self) -> None:
        """Wait until more may come in."""
        while self._taken > ROOM:
            await self._room.park()

    def look(self) -> None:
        """The machine was called: is there a job?"""
        if self._machine.job is not None:
            self._due.set()

    async def run(self) -> None:
        """Have jobs done as they come up; one that is broken off decides nothing."""
        while self._off_loop is not None:
            await self._due.wait()
            await self._weigh(self._off_loop)
            self._due = trio.Event()

    async def _weigh(self, off_loop: OffLoop) -> None:
        while (job := self._machine.job) is not None:
            began, tip, payer = time.perf_counter(), self._machine.tip, self._payer
            self._payer = None
            given, spent = await off_loop(lambda run=job.run: _timed(run))  # type: ignore[misc]
            self._machine.finish(job, given, self._now())
            self._account(payer, tip, began, spent)
            self._drain()
            await self._hand_on()

    async def _hand_on(self) -> None:
        """What waits, until there is a job again."""
        while self._line and self._machine.job is None:
            peer, data = self._line.popleft()
            self._taken -= len(data) + OVERHEAD
            self._hand_over(peer, data)
            self._drain()
            await trio.lowlevel.checkpoint()
        if self._taken <= ROOM:
            self._room.unpark_all()

    def _must_wait(self, peer: bytes, data: bytes) -> bool:
        """Whatever goes round waits its turn, and what its link brings behind it."""
        if self._machine.job is None and not self._line:
            return False
        return goes_round(data) or any(peer == one for one, _ in self._line)

    def _hand_over(self, peer: bytes, data: bytes) -> None:
        """What is malformed, or is no message of this table, costs the link ([L-5])."""
        began, tip, spent = time.perf_counter(), self._machine.tip, time.thread_time()
        rested = self._machine.job is not None
        try:
            self._machine.receive(data, self._now(), peer)
        except Invalid as error:
            self._hub.drop(peer, because(DropCode.UNREADABLE, why=of_protocol(error)))
        if self._machine.job is not None and not rested:
            self._payer = peer
        self._account(peer, tip, began, time.thread_time() - spent)

    def _account(self, peer: bytes | None, tip: Node, began: float, spent: float) -> None:
        """Seconds of processor time are charged to the link that caused them, unless the game has
        come further by them."""
        if self._machine.tip is not tip:
            self.seconds = time.perf_counter() - began
        elif peer is not None:
            self._charge(peer, spent)

    def _charge(self, peer: bytes, seconds: float) -> None:
        """A link whose frames lead nowhere is read more slowly; onlookers share one budget."""
        budget = peer if peer in self._machine.table.ids else b""
        rest = self._rate_limit.spend(budget, seconds, trio.current_time())
        if rest > 0:
            self._hub.rest(peer, rest)


def _timed(run: Callable[[], Any]) -> tuple[Any, float]:
    """What a job gives, and the processor time that its thread took."""
    began = time.thread_time()
    return run(), time.thread_time() - began
