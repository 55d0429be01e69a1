"""Streams of a slow network in memory, whose system takes in much more than has left."""

from __future__ import annotations

from collections import deque

import trio


class DeepStream(trio.abc.Stream):
    """One end: what is sent is gone from here as long as the buffer has room, as with TCP, and
    comes in chunks, as records do, each at its time."""

    def __init__(self, rate: float, buffer: int) -> None:
        """`rate` in bytes a second each way, `buffer` in bytes."""
        self._rate, self._buffer = rate, buffer
        self._coming: deque[tuple[float, bytes]] = deque()
        self._changed = trio.Event()
        self._free = 0.0
        self._is_closed = False
        self._other = self

    def join(self, other: DeepStream) -> None:
        """What goes in at one comes out at the other."""
        self._other, other._other = other, self

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Waits while the buffer is full."""
        await trio.lowlevel.checkpoint()
        while not self._is_broken() and self._other._waiting() + len(data) > self._buffer:
            await self._other._changed.wait()
        if self._is_broken():
            raise trio.BrokenResourceError
        self._free = max(self._free, trio.current_time()) + len(data) / self._rate
        self._other._coming.append((self._free, bytes(data)))
        self._other._change()

    async def wait_send_all_might_not_block(self) -> None:
        """Not asked for by anyone here."""
        await trio.lowlevel.checkpoint()

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        """The next chunk, or so much of it; nothing once the other end is closed and all came."""
        await trio.lowlevel.checkpoint()
        while not self._coming:
            if self._is_broken():
                return b""
            await self._changed.wait()
        when, chunk = self._coming[0]
        await trio.sleep_until(when)
        self._change()
        self._coming.popleft()
        if max_bytes is not None and len(chunk) > max_bytes:
            self._coming.appendleft((when, chunk[max_bytes:]))
        return chunk[:max_bytes]

    async def aclose(self) -> None:
        """Both ends hear of it."""
        self._is_closed = True
        self._change()
        self._other._change()
        await trio.lowlevel.checkpoint()

    def _is_broken(self) -> bool:
        return self._is_closed or self._other._is_closed

    def _waiting(self) -> int:
        return sum(len(chunk) for _, chunk in self._coming)

    def _change(self) -> None:
        self._changed.set()
        self._changed = trio.Event()


def deep_pair(rate: float, buffer: int) -> tuple[DeepStream, DeepStream]:
    """Both ends of one stream."""
    near, far = DeepStream(rate, buffer), DeepStream(rate, buffer)
    near.join(far)
    return near, far
