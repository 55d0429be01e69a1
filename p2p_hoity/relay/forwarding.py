"""Forwarding of bytes between two connections of a relay: in a task for each pair, or one for all.

Each direction holds one piece of bytes at most, and reads the next one when the other end has taken
that. So a slow reader slows down its own sender, and nobody else ([L-33]).

A task for each direction would cost several times the work of the bytes themselves. So on systems
with epoll, one task carries the bytes of all pairs.
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
"""Bytes read at once. On a link of 2 kB/s they are taken long before the pair counts as idle."""

Ends = tuple[trio.abc.Stream, trio.abc.Stream]
"""The two streams of a pair."""


class Splice:
    """A connected pair of streams. It is cut when it is idle for too long, or has carried enough.

    Direction 0 leads from the first end to the second, and direction 1 back.

    Attributes:
        ends: The two streams.
        carried: The number of bytes carried, in both directions together.
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
        """Carry bytes until the pair is cut or one end stops. Then both streams are closed."""
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
        """Carry bytes until one end stops, by the exchange or in a task for each direction.

        Args:
            early: The bytes that each end has sent before.
        """
        if self._exchange is not None and await self._exchange.carry(self, early):
            return
        async with trio.open_nursery() as nursery:
            for way in (0, 1):
                nursery.start_soon(self._pump, way, early[way], nursery.cancel_scope)

    async def _pump(self, way: int, early: bytes, both: trio.CancelScope) -> None:
        """Carry the bytes of one direction until one end is gone."""
        source, sink = self.ends[way], self.ends[1 - way]
        with suppress(*TROUBLE):  # If one end is gone, the other one is closed, too.
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
        """Count a piece that has been read from one end and has to be taken by the other.

        Args:
            way: The direction, 0 or 1.
            size: Bytes of the piece.
            now: The time, on trio's clock.
        """
        self.carried += size
        self._passed = self._since[way] = now
        self._untaken[way] = True

    @property
    def is_spent(self) -> bool:
        """True if the pair has carried as many bytes as it may."""
        return self.carried >= self._most

    def taken(self, way: int) -> None:
        """Note that the other end has taken the piece of a direction.

        Args:
            way: The direction, 0 or 1.
        """
        self._untaken[way] = False

    async def _watch(self) -> None:
        """End the pair when nothing passes, or one end does not take its bytes ([L-34])."""
        while (due := self._due()) > trio.current_time():
            await trio.sleep_until(due)
        self._scope.cancel()

    def _due(self) -> float:
        """Return when the pair has to end, unless bytes pass until then."""
        began = [since for since, is_out in zip(self._since, self._untaken, strict=True) if is_out]
        return min([self._passed, *began]) + self._idle


AT_ONCE: Final[Quota] = 256
"""Sockets that are served before other tasks of the process have their turn."""


class Exchange:
    """Forwarding of many pairs in one task, with epoll."""

    def __init__(self) -> None:
        self._poll = select.epoll() if sys.platform == "linux" else None
        self._ends: dict[int, _End] = {}

    async def run(self) -> None:
        """Forward bytes until cancelled."""
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
        """Carry the bytes of a pair until one of its sockets is at its end or closed.

        Args:
            splice: The pair, which counts the bytes.
            early: The bytes that each end has sent before.

        Returns:
            False, at once, if the ends are no sockets or the system has no epoll. Otherwise True.
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
        except (OSError, ValueError):  # A socket is closed, or the system watches no more of them.
            return True
        finally:  # This has to precede their closing.
            for end in (one, other):
                known = self._ends.pop(end.number, None) is not None
                if known and not self._poll.closed:
                    with suppress(OSError):  # They are closed already if the whole relay ends.
                        self._poll.unregister(end.number)
        return True

    def listen(self, end: _End, new: bool = False) -> None:
        """Register with the system what an end waits for now.

        Args:
            end: The end.
            new: Whether it was not registered before.
        """
        if self._poll is not None:
            wanted = end.wanted()
            (self._poll.register if new else self._poll.modify)(end.number, wanted)


class _End:
    """A socket of a pair, with the bytes of the other end that it has not taken yet."""

    __slots__ = ("exchange", "number", "other", "over", "rest", "splice", "way")

    def __init__(
        self, number: int, splice: Splice, way: int, over: Callable[[], None], exchange: Exchange
    ) -> None:
        self.number, self.splice, self.way, self.over = number, splice, way, over
        self.exchange, self.other, self.rest = exchange, self, b""

    def wanted(self) -> int:
        """Return the events to wait for.

        Returns:
            Readable while the other end takes what comes, and writable while bytes are left.
        """
        reading = 0 if self.other.rest else select.EPOLLIN
        return reading | (select.EPOLLOUT if self.rest else 0)

    def act(self, events: int, now: float) -> None:
        """Write or read as the events of the system allow, or end the pair if the socket is broken.

        Args:
            events: The events of epoll.
            now: The time, on trio's clock.
        """
        try:
            if (
                self.rest and events & ~select.EPOLLIN
            ):  # An end that takes nothing is read all the same.
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
                self.over()  # The event would repeat, and nothing can follow.
        except BlockingIOError:
            return
        except OSError:
            self.over()

    def begin(self, piece: bytes) -> None:
        """Forward bytes that were read before.

        Args:
            piece: The bytes.
        """
        try:
            self._pass_on(piece, trio.current_time())
        except OSError:
            self.over()

    def _pass_on(self, piece: bytes, now: float) -> None:
        """Count a piece and write it to the other end."""
        self.splice.count(self.way, len(piece), now)
        self.other.write(piece)

    def write(self, piece: bytes) -> None:
        """Send a piece. While the system accepts only a part of it, no more is read for this end.

        Args:
            piece: The bytes.
        """
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
        """Register both ends again after what they wait for has changed."""
        self.exchange.listen(self)
        self.exchange.listen(self.other)
