"""Take in the frames of a running table: the budgets of each link, and the order of reading.

A frame that was seen is not read again. A link whose frames lead nowhere pays for the processor
time that they take, and is then not read for a while. Without these budgets a link that repeats old
messages, or asks again and again for everything, would take the time that the others need.

An expensive check of the machine is offloaded to a worker. Frames that arrive meanwhile wait, and
are read in the order in which they came, as if the machine had done the check itself. Requests are
answered at once. Frames for the next table are kept until it is known, a limited number from each
node.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter, deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Final

import trio

from protocol import Invalid, Machine, Node
from protocol.bounds import Pace, Quota, Seconds

from ..errors import because, of_protocol
from ..net.hub import Event, Frame, Hub
from ..net.link_limits import Buckets
from .frame_access import DropCode
from .frame_kinds import Budget, FrameKind, kind_of

HELD: Final[Quota] = 16384
"""Frames remembered as held; the oldest is forgotten and would merely be read again."""
QUESTIONS: Final[Pace] = (24.0, 6.0)
"""Questions that one link may ask; an honest node asks one or two a second."""
PROCESSOR: Final[Pace] = (3.0, 0.1)
"""Seconds of processor time that one link may take with what leads nowhere: a tenth of one core."""
LONGEST_REST: Final[Seconds] = 1.0
"""Seconds for which nothing is read from a link at a time; it must stay alive."""


@dataclass
class RateLimit:
    """What one driver remembers of the frames that came and went."""

    _held: dict[bytes, None] = field(default_factory=dict)
    _questions: Buckets = field(default_factory=lambda: Buckets(QUESTIONS))
    _budgets: Buckets = field(default_factory=lambda: Buckets(PROCESSOR))

    def held(self, frame: bytes) -> None:
        """This frame went out to all: whoever sends it back tells nothing new."""
        if kind_of(frame).budget is not Budget.ONCE:
            return
        self._held[_digest(frame)] = None
        if len(self._held) > HELD:
            del self._held[next(iter(self._held))]

    def is_due(
        self, peer: bytes, frame: bytes, kind: FrameKind, now: float, lacks: bool = False
    ) -> bool:
        """Whether a frame that came in is worth a look.

        `lacks`: this node has asked for messages, perhaps for some that it had put away.
        """
        match kind.budget:
            case Budget.QUESTIONS:
                return self._questions.take_if_any(peer, now)
            case Budget.ONCE:
                return lacks or _digest(frame) not in self._held
            case Budget.NONE:
                return True

    def forget(self, peer: bytes) -> None:
        """Its link is gone; a new one costs it more than the questions it saves."""
        self._questions.forget(peer)

    def spend(self, peer: bytes, seconds: float, now: float) -> float:
        """Processor time went into a frame that brought the game no further: how long to rest.

        For these seconds nothing should be read from the link. The budget outlives the link, so
        that a new one does not fill it.
        """
        return min(LONGEST_REST, self._budgets.take(peer, now, seconds))


def _digest(frame: bytes) -> bytes:
    return hashlib.blake2b(frame, digest_size=16).digest()


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
        return kind_of(data).budget is Budget.ONCE or any(peer == one for one, _ in self._line)

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
