"""Bytes between two connections of a relay: a task for each pair, or one task for all pairs.

Each direction holds one piece at most, and takes the next when the other end has taken that: a slow
reader slows who writes to it, and nobody else ([L-33]).

A task for each direction would cost several times the work of the bytes themselves. Where the
system has no epoll there is no exchange, and splices run as tasks ([L-33]).
"""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import trio

from protocol.bounds import Quota

from ..net.network_errors import TROUBLE
from ..net.transport import cut

PIECE = 1 << 14
"""Bytes read at once: on a link of 2 kB/s they are taken long before idleness is over."""

Ends = tuple[trio.abc.Stream, trio.abc.Stream]


class Splice:
    """Carries bytes between two streams; cut when idle too long or when a byte cap is reached.

    A way is 0 from the first end to the second, 1 from the second to the first; `carried` counts
    all bytes.
    """

    def __init__(
        self,
        ends: Ends,
        idle: float,
        most: int,
        early: tuple[bytes, bytes] = (b"", b""),
        exchange: Exchange | None = None,
    ) -> None:
        """Begin with nothing carried.

        Args:
            ends: The two streams.
            idle: Seconds without a byte after which it is cut.
            most: How many bytes it may carry.
            early: What came from each end before the splice began.
            exchange: Carries the bytes if it can.
        """
        self.ends = ends
        self._early, self._exchange = early, exchange
        self._idle, self._most = idle, most
        self._scope = trio.CancelScope()
        self._passed = 0.0
        self._untaken = [False, False]
        self._since = [0.0, 0.0]
        self.carried = 0

    async def run(self) -> None:
        """Returns when the splice is over and both streams are closed."""
        self._passed = trio.current_time()
        try:
            with self._scope:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._watch)
                    await self.carry(self._early)
                    nursery.cancel_scope.cancel()
        finally:
            for end in self.ends:
                await cut(end)

    async def carry(self, early: tuple[bytes, bytes]) -> None:
        """Pass bytes on until one end stops: by the exchange, or else in a task for each way."""
        if self._exchange is not None and await self._exchange.carry(self, early):
            return
        async with trio.open_nursery() as nursery:
            for way in (0, 1):
                nursery.start_soon(self._pump, way, early[way], nursery.cancel_scope)

    async def _pump(self, way: int, early: bytes, both: trio.CancelScope) -> None:
        source, sink = self.ends[way], self.ends[1 - way]
        with suppress(*TROUBLE):  # one end is gone, so the other goes too
            piece: bytes | bytearray = early or await source.receive_some(PIECE)
            while piece:
                self.count(way, len(piece), trio.current_time())
                await sink.send_all(piece)
                self.taken(way)
                if self.is_spent:
                    break
                piece = await source.receive_some(PIECE)
        both.cancel()

    def count(self, way: int, size: int, now: float) -> None:
        """A piece is there, and due at the other end."""
        self.carried += size
        self._passed = self._since[way] = now
        self._untaken[way] = True

    @property
    def is_spent(self) -> bool:
        """Whether it has carried its share."""
        return self.carried >= self._most

    def taken(self, way: int) -> None:
        """The other end has taken the piece."""
        self._untaken[way] = False

    async def _watch(self) -> None:
        """End it when nothing passes, or one end does not take what is there for it ([L-34])."""
        while (due := self._due()) > trio.current_time():
            await trio.sleep_until(due)
        self._scope.cancel()

    def _due(self) -> float:
        began = [since for since, is_out in zip(self._since, self._untaken, strict=True) if is_out]
        return min([self._passed, *began]) + self._idle


AT_ONCE: Final[Quota] = 256
"""Sockets that have their turn before others of this process have theirs."""


class Exchange:
    """Carries the bytes of many splices, each within its own bounds."""

    def __init__(self) -> None:
        self._poll = select.epoll() if sys.platform == "linux" else None
        self._ends: dict[int, _End] = {}

    async def run(self) -> None:
        """Until cancelled."""
        if self._poll is None:
            return
        try:
            while True:
                await trio.lowlevel.wait_readable(self._poll.fileno())
                now = trio.current_time()
                for number, events in self._poll.poll(0, AT_ONCE):
                    end = self._ends.get(number)
                    if end is not None:
                        end.act(events, now)
        finally:
            self._poll.close()

    async def carry(self, splice: Splice, early: tuple[bytes, bytes]) -> bool:
        """Carry for this splice until one of its sockets is at its end, or is closed.

        Args:
            splice: Counts the bytes.
            early: What was read from each end before.

        Returns:
            False, at once, if it cannot carry: the ends are no sockets, or there is no epoll.
        """
        sockets = [one.socket for one in splice.ends if isinstance(one, trio.SocketStream)]
        if self._poll is None or len(sockets) < len(splice.ends):
            return False
        over = trio.Event()
        one, other = (
            _End(made.fileno(), splice, way, over.set, self) for way, made in enumerate(sockets)
        )
        one.other, other.other = other, one
        try:
            for end in (one, other):
                self.listen(end, new=True)
                self._ends[end.number] = end
            for end, begun in zip((one, other), early, strict=True):
                if begun:
                    end.begin(begun)
            await over.wait()
        except (OSError, ValueError):  # closed, or the system watches over no more
            return True
        finally:  # before they are closed
            for end in (one, other):
                known = self._ends.pop(end.number, None) is not None
                if known and not self._poll.closed:
                    with suppress(OSError):  # closed already, when all of the relay ends at once
                        self._poll.unregister(end.number)
        return True

    def listen(self, end: _End, new: bool = False) -> None:
        """Ask the system to tell of an end what it waits for now."""
        if self._poll is not None:
            wanted = end.wanted()
            (self._poll.register if new else self._poll.modify)(end.number, wanted)


class _End:
    """One socket of a splice, and what it has not taken yet of what the other has sent."""

    __slots__ = ("exchange", "number", "other", "over", "rest", "splice", "way")

    def __init__(
        self, number: int, splice: Splice, way: int, over: Callable[[], None], exchange: Exchange
    ) -> None:
        self.number, self.splice, self.way, self.over = number, splice, way, over
        self.exchange, self.other, self.rest = exchange, self, b""

    def wanted(self) -> int:
        """To be read while the other end takes what comes, and written to when something waits."""
        reading = 0 if self.other.rest else select.EPOLLIN
        return reading | (select.EPOLLOUT if self.rest else 0)

    def act(self, events: int, now: float) -> None:
        """It can be written to, or read, or is broken."""
        try:
            if self.rest and events & ~select.EPOLLIN:  # who takes nothing is heard all the same
                self.rest = self.rest[os.write(self.number, self.rest) :]
                if not self.rest:
                    self.splice.taken(1 - self.way)
                    self._listen_anew()
            if not events & ~select.EPOLLOUT:
                return
            if not self.other.rest:
                piece = os.read(self.number, PIECE)
                if piece:
                    self._pass_on(piece, now)
                if not piece or self.splice.is_spent:
                    self.over()
            elif events & (select.EPOLLHUP | select.EPOLLERR):
                self.over()  # it is told again and again, and nothing can follow
        except BlockingIOError:
            return
        except OSError:
            self.over()

    def begin(self, piece: bytes) -> None:
        """Pass on what was read before."""
        try:
            self._pass_on(piece, trio.current_time())
        except OSError:
            self.over()

    def _pass_on(self, piece: bytes, now: float) -> None:
        self.splice.count(self.way, len(piece), now)
        self.other.write(piece)

    def write(self, piece: bytes) -> None:
        """Send a piece; while the system takes only a part, no more is read for it."""
        try:
            sent = os.write(self.number, piece)
        except BlockingIOError:
            sent = 0
        if sent == len(piece):
            self.splice.taken(1 - self.way)
            return
        self.rest = piece[sent:]
        self._listen_anew()

    def _listen_anew(self) -> None:
        self.exchange.listen(self)
        self.exchange.listen(self.other)
