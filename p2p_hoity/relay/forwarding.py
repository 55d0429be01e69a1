"""Forward bytes between two connections of a relay, which are the two ends of a call.

Each direction stores at most one chunk of bytes, and reads the next chunk after the other end has
accepted the stored one. So a slow reader slows down its own sender only ([L-33]). Direction 0 leads
from the first end to the second, and direction 1 back. The bytes that were already read from each
end, `early`, are forwarded first.

On systems with epoll, one task forwards the bytes of all pairs of connections. Elsewhere each
direction of a pair has a task of its own, which needs several times as much work.
"""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import trio

from protocol.units import Quota

from ..net.exception_reasons import TROUBLE
from ..net.transport import cut
from ..web.byte_stream import NotBytes, WebByteStream, WebMessages

PIECE = 1 << 14
"""The most bytes that are read at once. A link of 2 kB/s accepts them before the pair is idle."""

Ends = tuple[trio.abc.Stream, trio.abc.Stream]
"""The two streams between which a relay forwards bytes."""


class Splice:
    """Two streams between which a relay forwards bytes.

    Both are closed when nothing has passed for too long, or when they have carried as many bytes as
    allowed.

    Attributes:
        carried: The number of bytes that were forwarded so far, in both directions together.
    """

    def __init__(
        self,
        ends: Ends,
        idle: float,
        most: int,
        early: tuple[bytes, bytes] = (b"", b""),
        exchange: Exchange | None = None,
    ) -> None:
        """Make a pair of streams. Nothing is forwarded before `run`.

        Args:
            idle: Seconds without a byte after which both streams are closed.
            most: The most bytes that may be forwarded, in both directions together.
            exchange: The task that forwards the bytes of all pairs. If it is None or cannot serve
                this pair, each direction gets a task.
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
        """Forward bytes until a limit is reached or one end stops. Then close both streams."""
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
        """Forward bytes in both directions until one end stops."""
        if self._exchange is not None and await self._exchange.carry(self, early):
            return
        async with trio.open_nursery() as nursery:
            for way in (0, 1):
                nursery.start_soon(self._pump, way, early[way], nursery.cancel_scope)

    async def _pump(self, way: int, early: bytes, both: trio.CancelScope) -> None:
        """Forward the bytes of one direction until its end. Then cancel `both` directions."""
        source, sink = self.ends[way], self.ends[1 - way]
        with suppress(*TROUBLE):  # If one end is gone, the other one is closed, too.
            piece: bytes | bytearray = early or await source.receive_some(PIECE)
            while piece:
                # Before the sending, so that `_watch` sees a chunk that its end does not take.
                self.count(way, len(piece), trio.current_time())
                await sink.send_all(piece)
                self.taken(way)
                # Asked after the sending, so that no bytes are lost that were read and counted.
                if self.is_spent:
                    break
                piece = await source.receive_some(PIECE)
        both.cancel()

    def count(self, way: int, size: int, now: float) -> None:
        """Count a chunk that was read in a direction and will be written to the other end."""
        self.carried += size
        self._passed = self._since[way] = now
        self._untaken[way] = True

    @property
    def is_spent(self) -> bool:
        """True if as many bytes as allowed were forwarded."""
        return self.carried >= self._most

    def taken(self, way: int) -> None:
        """Note that the chunk that `count` has counted in a direction was completely written."""
        self._untaken[way] = False

    async def _watch(self) -> None:
        """End the forwarding once it has stalled for longer than the relay allows ([L-34]).

        It has stalled if no bytes pass, or if bytes wait for one end and this end does not take
        them.
        """
        while (due := self._due()) > trio.current_time():
            await trio.sleep_until(due)
        self._scope.cancel()

    def _due(self) -> float:
        """Return the time at which both streams are closed if no bytes pass."""
        # A chunk that one end does not take counts from its own beginning. The other direction must
        # not keep a stalled one open.
        began = [since for since, is_out in zip(self._since, self._untaken, strict=True) if is_out]
        return min([self._passed, *began]) + self._idle


MOST_REST: Final[Quota] = 4 * PIECE
"""The most bytes that wait to be written to one socket."""
AT_ONCE: Final[Quota] = 256
"""The most sockets that are served before other tasks of the process have their turn."""


class Exchange:
    """A single task that forwards the bytes of many pairs of connections, by epoll."""

    def __init__(self) -> None:
        self._poll = select.epoll() if sys.platform == "linux" else None
        self._ends: dict[int, _End] = {}

    async def run(self) -> None:
        """Forward bytes for all pairs until cancelled. Return at once on systems without epoll."""
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
        """Let `run`, in another task, forward the bytes of a pair until one end stops. Return True.

        Return False at once if an end is no plain socket or the system has no epoll.
        """
        sockets = [_plain(one) for one in splice.ends]
        if self._poll is None or None in sockets:
            return False
        over = trio.Event()
        one, other = (
            _End(made.socket.fileno(), splice, way, over.set, self, messages)
            for way, (made, messages) in enumerate(filter(None, sockets))
        )
        one.other, other.other = other, one
        try:
            # Both are registered before early bytes pass, because that modifies both entries.
            for end in (one, other):
                self.listen(end, new=True)
                self._ends[end.number] = end
            for end, begun in zip((one, other), early, strict=True):
                if begun:
                    end.begin(begun)
            await over.wait()
        except (OSError, ValueError):  # A socket is closed, or the system watches no more of them.
            return True
        finally:
            # Before they are closed: the system then gives their numbers to other sockets.
            for end in (one, other):
                known = self._ends.pop(end.number, None) is not None
                if known and not self._poll.closed:
                    with suppress(OSError):  # They are closed already if the whole relay ends.
                        self._poll.unregister(end.number)
        return True

    def listen(self, end: _End, new: bool = False) -> None:
        """Tell epoll for which events of a socket to wait now. A `new` socket is registered."""
        if self._poll is not None:
            wanted = end.wanted()
            (self._poll.register if new else self._poll.modify)(end.number, wanted)


def _plain(end: trio.abc.Stream) -> tuple[trio.SocketStream, WebMessages | None] | None:
    """Return the socket of an end, and what packs its messages. None if it is no plain socket."""
    if isinstance(end, WebByteStream):
        below = end.below
        return (below, end.messages) if isinstance(below, trio.SocketStream) else None
    return (end, None) if isinstance(end, trio.SocketStream) else None


class _End:
    """One socket of a pair, with the bytes that still have to be written to it."""

    __slots__ = ("exchange", "messages", "number", "other", "over", "rest", "splice", "way")

    def __init__(
        self,
        number: int,
        splice: Splice,
        way: int,
        over: Callable[[], None],
        exchange: Exchange,
        messages: WebMessages | None,
    ) -> None:
        self.number, self.splice, self.way, self.over = number, splice, way, over
        self.exchange, self.other, self.rest, self.messages = exchange, self, b"", messages

    def wanted(self) -> int:
        """Return the epoll events for which this socket has to wait."""
        # Nothing is read before the other socket has taken the last chunk, which bounds the memory
        # ([L-33]).
        reading = 0 if self.other.rest else select.EPOLLIN
        return reading | (select.EPOLLOUT if self.rest else 0)

    def act(self, events: int, now: float) -> None:
        """Read or write as epoll's events allow. Stop the pair if the socket is broken or ends."""
        try:
            # An end that takes nothing is read all the same.
            if self.rest and events & ~select.EPOLLIN:
                self.rest = self.rest[os.write(self.number, self.rest) :]
                if not self.rest:
                    self.splice.taken(1 - self.way)
                    self._listen_anew()
            if not events & ~select.EPOLLOUT:
                return
            # Epoll reports a broken socket even if it does not wait for anything to read.
            if not self.other.rest:
                piece = os.read(self.number, PIECE)
                is_over = not piece
                if self.messages is not None:
                    piece, back = self.messages.unpack(piece or None)
                    is_over = is_over or self.messages.is_over
                    if back:
                        self._send(back)
                if piece:
                    self._pass_on(piece, now)
                if is_over or self.splice.is_spent:
                    self.over()
            elif events & (select.EPOLLHUP | select.EPOLLERR):
                self.over()  # The event would repeat, and nothing can follow.
        except BlockingIOError:
            return
        except (OSError, NotBytes):
            self.over()

    def begin(self, piece: bytes) -> None:
        """Forward bytes that were already read from this socket."""
        try:
            self._pass_on(piece, trio.current_time())
        except (OSError, NotBytes):
            self.over()

    def _pass_on(self, piece: bytes, now: float) -> None:
        # Counted first: `write` may call `taken` at once, and the chunk would count as untaken.
        self.splice.count(self.way, len(piece), now)
        self.other.write(piece)

    def write(self, piece: bytes) -> None:
        """Write a chunk to this socket, and store what the system does not accept."""
        self._send(piece if self.messages is None else self.messages.pack(piece))
        if not self.rest:
            self.splice.taken(1 - self.way)

    def _send(self, data: bytes) -> None:
        """Write bytes to this socket behind those that wait."""
        if self.rest:
            # Answers to pings may wait here. Who reads none of them must not fill the memory.
            if len(self.rest) + len(data) > MOST_REST:
                raise NotBytes
            self.rest += data
            return
        try:
            sent = os.write(self.number, data)
        except BlockingIOError:
            sent = 0
        if sent < len(data):
            self.rest = data[sent:]
            self._listen_anew()

    def _listen_anew(self) -> None:
        self.exchange.listen(self)
        self.exchange.listen(self.other)
