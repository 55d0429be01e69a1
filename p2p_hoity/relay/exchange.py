"""All splices between sockets in one task: one poll for all that is there, one read and one write.

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

from .splice import PIECE, Splice

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

    def takes(self, ends: tuple[trio.abc.Stream, trio.abc.Stream]) -> bool:
        """Whether it can carry between these."""
        return self._poll is not None and all(isinstance(one, trio.SocketStream) for one in ends)

    def enter(
        self,
        splice: Splice,
        numbers: tuple[int, int],
        early: tuple[bytes, bytes],
        over: Callable[[], None],
    ) -> None:
        """Carry for this splice between two non-blocking sockets until `leave`; `over` when one of
        them is at its end, or is closed already. `early` was read from each before."""
        one, other = (_End(number, splice, way, over, self) for way, number in enumerate(numbers))
        one.other, other.other = other, one
        try:
            for end in (one, other):
                self.listen(end, new=True)
                self._ends[end.number] = end
        except (OSError, ValueError):  # closed, or the system watches over no more
            over()
            return
        for end, begun in zip((one, other), early, strict=True):
            if begun:
                end.begin(begun)

    def listen(self, end: _End, new: bool = False) -> None:
        """Ask the system to tell of an end what it waits for now."""
        if self._poll is not None:
            wanted = end.wanted()
            (self._poll.register if new else self._poll.modify)(end.number, wanted)

    def leave(self, numbers: tuple[int, int]) -> None:
        """Carry between these no more; before they are closed."""
        for number in numbers:
            known = self._ends.pop(number, None) is not None
            if known and self._poll is not None and not self._poll.closed:
                with suppress(OSError):  # closed already, when all of the relay ends at once
                    self._poll.unregister(number)


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
                self._write_rest()
            if not events & ~select.EPOLLOUT:
                return
            if not self.other.rest:
                self._read(now)
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

    def _read(self, now: float) -> None:
        piece = os.read(self.number, PIECE)
        if piece:
            self._pass_on(piece, now)
        if not piece or self.splice.is_spent:
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

    def _write_rest(self) -> None:
        self.rest = self.rest[os.write(self.number, self.rest) :]
        if not self.rest:
            self.splice.taken(1 - self.way)
            self._listen_anew()

    def _listen_anew(self) -> None:
        self.exchange.listen(self)
        self.exchange.listen(self.other)
