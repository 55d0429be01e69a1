"""Pass the frames of a running table to the seat's state machine, in the order in which they came.

An expensive check of the state machine can run outside the event loop. Frames that arrive during
the check are queued and read in their order afterwards. Requests are answered at once. Frames for
the next table of the same people are stored until that table is known, a limited number from each
peer.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Final

import trio

from protocol import Invalid, Node, SeatMachine
from protocol.units import PeerId, Quota

from ...coded_errors import because, of_protocol
from ...net.hub import Event, Frame, Hub
from .effects_out import EffectsOut
from .frame_access import DropCode
from .frame_kinds import FrameKind
from .rate_limit import RateLimit

MOST_FRAMES: Final[Quota] = 64
"""The most frames for the next table that are stored from each peer.

Seats ask each other again for most dropped frames. They do not for the frame with which a seat
shows its table. If that one is dropped, nothing is read from that seat until its link is made anew.
"""


@dataclass
class EarlyEvents:
    """The events of the next table that arrived before it is known, in their order."""

    events: list[Event] = field(default_factory=list)
    _frames: Counter[bytes] = field(default_factory=Counter)

    def keep(self, event: Event) -> None:
        """Store an event, but of each peer no more than MOST_FRAMES frames."""
        # Only frames are limited: without the events of links the next table knows no links.
        if isinstance(event, Frame):
            if self._frames[event.peer] >= MOST_FRAMES:
                return
            self._frames[event.peer] += 1
        self.events.append(event)


OffLoop = Callable[[Callable[[], Any]], Awaitable[Any]]
"""Runs a function outside the event loop and returns its result, as `trio.to_thread.run_sync` does.

The function must run in this process, because it may know secrets of this seat.
"""
ROOM: Final[Quota] = 1 << 20
"""Bytes of waiting frames above which no further events are taken from the hub."""
OVERHEAD: Final = 256
"""Bytes that count for each waiting frame in addition to its length."""


@dataclass(eq=False, repr=False)
class FramesIn:
    """The queue between the links and one state machine, which reads the frames of the game.

    Without `_off_loop` the machine makes its long computations itself. `_now` tells its time.
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
        if self._off_loop is not None:
            self._machine.hand_out()

    def receive(self, peer: PeerId, data: bytes, kind: FrameKind) -> None:
        """Pass a frame to the state machine, at once or after the frames that are queued.

        While a computation runs outside the event loop, a frame of a kind that is passed on to all
        peers is queued.
        """
        is_busy = self._machine.job is not None or bool(self._line)
        # Behind a queued frame everything of its link is queued, so that the frames of a link keep
        # their order.
        if is_busy and (kind.is_spread or any(peer == one for one, _ in self._line)):
            self._line.append((peer, data))
            self._taken += len(data) + OVERHEAD
        else:
            self._hand_over(peer, data)

    async def wait_for_room(self) -> None:
        """Wait until the queued frames have at most ROOM bytes together."""
        while self._taken > ROOM:
            await self._room.park()

    async def run(self) -> None:
        """Run the machine's long computations one by one. A cancelled one leaves it as it is."""
        while self._off_loop is not None:
            await self._effects_out.wait_for_job()
            while (job := self._machine.job) is not None:
                # A job is paid for by the link whose frame caused it. `finish` may cause the next
                # one, which nobody pays for.
                began, tip, payer = time.perf_counter(), self._machine.tip, self._payer
                self._payer = None
                # mypy cannot infer the type of a lambda with a default.
                given, spent = await self._off_loop(lambda run=job.run: _timed(run))  # type: ignore[misc]
                self._machine.finish(job, given, self._now())
                self._account(payer, tip, began, spent)
                self._effects_out.carry_out()
                # Hand over the frames that wait, until the machine has a job again.
                while self._line and self._machine.job is None:
                    peer, data = self._line.popleft()
                    self._taken -= len(data) + OVERHEAD
                    self._hand_over(peer, data)
                    self._effects_out.carry_out()
                    # A long queue must not keep other tasks from running.
                    await trio.lowlevel.checkpoint()
                if self._taken <= ROOM:
                    self._room.unpark_all()

    def _hand_over(self, peer: PeerId, data: bytes) -> None:
        """Pass a frame to the state machine. If the frame is malformed, drop the link ([L-5])."""
        # Processor time is charged: on a busy computer the clock would make honest links look
        # costly.
        began, tip, spent = time.perf_counter(), self._machine.tip, time.thread_time()
        # A job that was there before was caused by the frame of another link, which pays for it.
        rested = self._machine.job is not None
        try:
            self._machine.receive(data, self._now(), peer)
        except Invalid as error:
            self._hub.drop(peer, because(DropCode.UNREADABLE, why=of_protocol(error)))
        if self._machine.job is not None and not rested:
            self._payer = peer
        # Also for a malformed frame: its sender can link again at once and send the next one.
        self._account(peer, tip, began, time.thread_time() - spent)

    def _account(self, peer: PeerId | None, tip: Node, began: float, spent: float) -> None:
        """Charge a frame's processor seconds to its link, unless the frame has advanced the chain.

        Nobody is charged if `peer` is None. `tip` was the end of the chain before the frame was
        read, and `began` the moment by `time.perf_counter`.
        """
        if self._machine.tip is not tip:
            self._effects_out.decided_in(time.perf_counter() - began)
        elif peer is not None:
            # A link whose frames advance nothing is read more slowly. Onlookers share one budget,
            # because whoever makes many keys would otherwise have as many budgets.
            budget = peer if peer in self._machine.table.ids else b""
            rest = self._rate_limit.spend(budget, spent, trio.current_time())
            if rest > 0:
                self._hub.rest(peer, rest)


def _timed(run: Callable[[], Any]) -> tuple[Any, float]:
    """Run a function and return its result and the processor time of its thread, in seconds."""
    began = time.thread_time()
    return run(), time.thread_time() - began
