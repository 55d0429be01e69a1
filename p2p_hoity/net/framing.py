"""Length-prefixed frames on a byte stream: four bytes, big-endian; an empty one is a heartbeat.

Four bytes with the highest bit set are no length: they say how much their sender has read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import trio

from ..errors import Code
from .errors import NetError

HEADER = 4
HEAD: Final = 16
"""Bytes at the beginning of a frame that say of which kind it is, and so how long it may be."""
OVERHEAD: Final = 1024
"""Bytes for which each read, frame, heartbeat and mark counts beside its own: each of them takes a
reader about as much time as so many bytes do."""
MARK: Final = 1 << 31
"""Above every length: what is added to the bytes that were read, which are counted modulo it."""


class FrameCode(Code):
    """What can go wrong while frames are read."""

    OVERSIZED = "frame-too-large", "length", "most"
    ENDED = "connection-ended"


class OversizedFrame(NetError):
    """A frame longer than the cap was announced."""


def encode_frame(data: bytes) -> bytes:
    """The frame that carries data; empty data make a heartbeat."""
    return len(data).to_bytes(HEADER, "big") + data


def encode_read(read: int) -> bytes:
    """What tells the other end that so many bytes of it were read ([L-24])."""
    return (MARK + read % MARK).to_bytes(HEADER, "big")


def _checked_length(header: bytes | bytearray, most: int) -> int:
    length = int.from_bytes(header[:HEADER], "big")
    if length > most:
        raise OversizedFrame(FrameCode.OVERSIZED, length=length, most=most)
    return length


class FrameBuffer:
    """Cuts a byte stream into frames; holds at most one unfinished frame and one chunk ([L-3])."""

    def __init__(
        self,
        most: int,
        told_read: Callable[[int], object] | None = None,
        longest: Callable[[bytes], int] | None = None,
    ) -> None:
        """Begin with no bytes.

        Args:
            most: the longest frame of all, in bytes.
            told_read: is given what the other end says that it has read; None: it may not.
            longest: returns the longest length, in bytes, of a frame that begins with these bytes.
        """
        self._most = most
        self._told_read = told_read
        self._longest = longest
        self._bytes = bytearray()

    def feed(self, chunk: bytes | bytearray) -> Iterator[bytes]:
        """Yield every frame that chunk completes, and b"" for each heartbeat and each mark.

        Run the iterator to its end before feeding again.

        Raises:
            OversizedFrame: a frame is longer than any may be, or than one of its kind may be. That
                is found before the rest of the frame is here.
        """
        self._bytes += chunk
        while len(self._bytes) >= HEADER:
            if self._told_read is not None and self._bytes[0] & 0x80:
                self._told_read(int.from_bytes(self._bytes[:HEADER], "big") - MARK)
                del self._bytes[:HEADER]
                yield b""
                continue
            end = HEADER + _checked_length(self._bytes, self._most)
            if self._longest is not None and len(self._bytes) >= min(end, HEADER + HEAD):
                head = bytes(self._bytes[HEADER : min(end, HEADER + HEAD)])
                _checked_length(self._bytes, self._longest(head))
            if len(self._bytes) < end:
                return
            data = bytes(self._bytes[HEADER:end])
            del self._bytes[:end]
            yield data


async def read_frame(stream: trio.abc.ReceiveStream, most: int) -> bytes:
    """Exactly one frame and no byte beyond it; NetError when the stream ends or it is too long."""
    header = await _read_exactly(stream, HEADER)
    return await _read_exactly(stream, _checked_length(header, most))


async def _read_exactly(stream: trio.abc.ReceiveStream, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        chunk = await stream.receive_some(size - len(data))
        if not chunk:
            raise NetError(FrameCode.ENDED)
        data += chunk
    return bytes(data)
