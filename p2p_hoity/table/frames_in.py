"""Take in the frames of a running table, in the order in which they came.

An expensive check of the machine is offloaded to a worker. Frames that arrive meanwhile wait, and
are read in the order in which they came, as if the machine had done the check itself. Requests are
answered at once. Frames for the next table are kept until it is known, a limited number from each
node.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Final

import trio

from protocol import Invalid, Node, SeatMachine
from protocol.bounds import Quota

from ..coded_errors import because, of_protocol
from ..net.hub import Event, Frame, Hub
from .effects_out import EffectsOut
from .frame_access import DropCode
from .frame_kinds import FrameKind
from .rate_limit import RateLimit

MOST_FRAMES: Final[Quota] = 64
"""Frames kept of each node. Of what is lost the seats ask each other again, save for the frame that
shows a seat's table: without it nothing of that seat is read until its link is made anew. So no
node may use up the room of another."""


@dataclass
class EarlyEvents:
    """Events for the next table.

    Attributes:
        events: What was kept, in the order in which it came.
    """

    events: list[Event] = field(default_factory=list)
    _frames: Counter[bytes] = field(default_factory=Counter)

    def keep(self, event: Event) -> None:
        """Keep an event, unless it is a frame of a node of which enough are kept."""
        if isinstance(event, Frame):
            if self._frames[event.peer] >= MOST_FRAMES:
                return
            self._frames[event.peer] += 1
        self.events.append(event)


OffLoop = Callable[[Callable[[], Any]], Awaitable[Any]]
"""Runs a job and gives what it gives, such as `trio.to_thread.run_sync`. Never another process: a
job may know this seat's secrets."""
ROOM: Final[Quota] = 1 << 20
"""Bytes of frames that wait for a job; while there are more nothing is read at all."""
OVERHEAD: Final = 256
"""Bytes that a waiting frame takes beside its own."""


@dataclass(eq=False, repr=False)
class FramesIn:
    """Hands one machine the frames of its links, and charges links for what led nowhere.

    Attributes:
        _machine: Reads the frames.
        _hub: The links, which are dropped or rested.
        _rate_limit: What each link may cost.
        _now: The clock of the machine, in seconds.
        _effects_out: Carries out what the machine decides.
        _off_loop: Runs the machine's jobs. Without it the machine does them itself.
    """

    _machine: SeatMachine
    _hub: Hub
    _rate_limit: RateLimit
    _now: Callable[[], float]
    _effects_out: EffectsOut
    _off_loop: OffLoop | None = None
    _line: deque[tuple[bytes, bytes]] = field(default_factory=deque)
    _taken: int = 0
    _payer: bytes | None = None
    _room: trio.lowlevel.ParkingLot = field(default_factory=trio.lowlevel.ParkingLot)

    def __post_init__(self) -> None:
        """Have the machine hand out its jobs if something runs them."""
        if self._off_loop is not None:
            self._machine.hand_out()

    def receive(self, peer: bytes, data: bytes, kind: FrameKind) -> None:
        """Hand a frame to the machine now, or once what came before it is decided.

        While a job is under way, what was told to everybody waits, and what its link brings behind
        it.
        """
        is_busy = self._machine.job is not None or bool(self._line)
        if is_busy and (kind.is_spread or any(peer == one for one, _ in self._line)):
            self._line.append((peer, data))
            self._taken += len(data) + OVERHEAD
        else:
            self._hand_over(peer, data)

    async def has_room(self) -> None:
        """Wait until more may come in."""
        while self._taken > ROOM:
            await self._room.park()

    async def run(self) -> None:
        """Offload jobs as they come up. A job that is cancelled decides nothing."""
        while self._off_loop is not None:
            await self._effects_out.has_job()
            while (job := self._machine.job) is not None:
                began, tip, payer = time.perf_counter(), self._machine.tip, self._payer
                self._payer = None
                given, spent = await self._off_loop(lambda run=job.run: _timed(run))  # type: ignore[misc]
                self._machine.finish(job, given, self._now())
                self._account(payer, tip, began, spent)
                self._effects_out.carry_out()
                # Hand over the frames that wait, until there is a job again.
                while self._line and self._machine.job is None:
                    peer, data = self._line.popleft()
                    self._taken -= len(data) + OVERHEAD
                    self._hand_over(peer, data)
                    self._effects_out.carry_out()
                    await trio.lowlevel.checkpoint()
                if self._taken <= ROOM:
                    self._room.unpark_all()

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
            self._effects_out.decided_in(time.perf_counter() - began)
        elif peer is not None:
            # A link whose frames lead nowhere is read more slowly. Onlookers share one budget.
            budget = peer if peer in self._machine.table.ids else b""
            rest = self._rate_limit.spend(budget, spent, trio.current_time())
            if rest > 0:
                self._hub.rest(peer, rest)


def _timed(run: Callable[[], Any]) -> tuple[Any, float]:
    """What a job gives, and the processor time that its thread took."""
    began = time.thread_time()
    return run(), time.thread_time() - began
