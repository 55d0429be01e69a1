"""Two streams made one: bytes go through unread, both ways, until either end stops.

Each direction holds one piece at most, and takes the next when the other end has taken that: a slow
reader slows who writes to it, and nobody else ([L-33]).
"""

from __future__ import annotations

import trio

from ..net.errors import TROUBLE
from ..net.network import cut

PIECE = 1 << 14
"""Bytes read at once: on a link of 2 kB/s they are taken long before idleness is over."""

Ends = tuple[trio.abc.Stream, trio.abc.Stream]


class Splice:
    """Carries bytes between two streams; cut when idle too long or when a byte cap is reached.

    A way is 0 from the first end to the second, 1 from the second to the first; `early` is what
    came from each end before the splice began; `carried` counts all bytes.
    """

    def __init__(
        self, ends: Ends, idle: float, most: int, early: tuple[bytes, bytes] = (b"", b"")
    ) -> None:
        self.ends = ends
        self._early = early
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
        """Pass bytes on until one end stops; with nothing but streams, a task for each way."""
        async with trio.open_nursery() as nursery:
            for way in (0, 1):
                nursery.start_soon(self._pump, way, early[way], nursery.cancel_scope)

    async def _pump(self, way: int, early: bytes, both: trio.CancelScope) -> None:
        source, sink = self.ends[way], self.ends[1 - way]
        try:
            piece: bytes | bytearray = early or await source.receive_some(PIECE)
            while piece:
                self.count(way, len(piece), trio.current_time())
                await sink.send_all(piece)
                self.taken(way)
                if self.is_spent:
                    break
                piece = await source.receive_some(PIECE)
        except TROUBLE:
            pass  # one end is gone, so the other goes too
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
