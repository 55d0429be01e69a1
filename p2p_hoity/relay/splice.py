"""Two streams made one: bytes go through unread, both ways, until either end stops."""

from __future__ import annotations

import trio

from ..net.errors import TROUBLE
from ..net.link import CHUNK
from ..net.network import cut


class Splice:
    """Carries bytes between two streams; cut when idle too long or when a byte cap is reached."""

    def __init__(self, ends: tuple[trio.abc.Stream, trio.abc.Stream], idle: float, most: int):
        self._ends = ends
        self._idle = idle
        self._left = most
        self._scope = trio.CancelScope()

    async def run(self) -> None:
        """Returns when the splice is over and both streams are closed."""
        first, second = self._ends
        try:
            with self._scope:
                self._scope.deadline = trio.current_time() + self._idle
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._pump, first, second)
                    nursery.start_soon(self._pump, second, first)
        finally:
            await cut(first)
            await cut(second)

    async def _pump(self, source: trio.abc.Stream, sink: trio.abc.Stream) -> None:
        try:
            while self._left > 0 and (chunk := await source.receive_some(CHUNK)):
                self._left -= len(chunk)
                await sink.send_all(chunk)
                self._scope.deadline = trio.current_time() + self._idle
        except TROUBLE:
            pass  # one end is gone, so the other goes too
        self._scope.cancel()
