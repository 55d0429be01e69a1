"""A live link to one peer: frames in and out, heartbeats, and reports how much was read.

A link keeps the order of its frames and loses nothing while it lives. So a frame that the other end
has not read yet need not be sent again. Frames sent again would delay heartbeats on a slow link. A
frame posted with `once` is skipped while an equal one may be unread. A report says how many bytes
its sender has read and processed.

SPEC: [L-3], [L-9], [L-24].
"""

from __future__ import annotations

import hashlib
import random
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from typing import Final, NamedTuple

import trio

from protocol.units import Quota, Seconds

from ..coded_errors import Reason, because
from .channel import MOST_CONTENT
from .exception_reasons import TROUBLE, why
from .link_limits import Bucket, Limits
from .network_errors import LinkCode, NetError
from .transport import HEADER, MARK, OVERHEAD, FrameBuffer, cut, encode_frame, encode_read

MOST: Final[Quota] = 4096
"""The most frames of one link that are remembered after sending. Older ones may be sent again."""


class UnderWay:
    """The frames of one link that were queued or sent, and may not have been read yet ([L-24])."""

    def __init__(self) -> None:
        self._names: set[bytes] = set()
        self._out: deque[tuple[int, bytes]] = deque()
        self._written = 0
        self._known = 0

    def enter(self, data: bytes) -> bytes | None:
        """Return a frame's name, its hash of 16 bytes. None if an equal one is on its way."""
        name = hashlib.blake2b(data, digest_size=16).digest()
        if name in self._names:
            return None
        self._names.add(name)
        return name

    def write(self, size: int, names: Iterable[bytes]) -> None:
        """Note that bytes are being sent, which contain the frames of these names."""
        self._written += size
        for name in names:
            self._out.append((self._written, name))
            # A peer that never reports what it has read must not fill the memory.
            if len(self._out) > MOST:
                self._names.discard(self._out.popleft()[1])

    def acknowledge(self, read: int) -> None:
        """Forget the frames that the other end has read.

        Args:
            read: The number of all bytes that the other end has read on this link, modulo MARK. It
                is ignored if it is higher than what was sent, or lower than an earlier one.
        """
        # A report above what was sent is a lie, or an old one, and must not release frames.
        more = (read - self._known) % MARK
        if more <= self._written - self._known:
            self._known += more
            while self._out and self._out[0][0] <= self._known:
                self._names.discard(self._out.popleft()[1])


CHUNK = 1 << 16
"""The most bytes that are read at once."""
RECORD: Final = MOST_CONTENT
"""The most bytes that are written at once, as one record.

The peer can read nothing of a record before its end. So on a slow link a longer record would look
like silence.
"""
UNHURRIED: Final[tuple[Seconds, Seconds]] = (0.01, 0.04)
"""The least and most seconds for which a link with `is_unhurried` collects frames before sending.

The time is random, so that frames for forty onlookers are not all written while seats wait.
"""


Opened = Callable[[], Awaitable[None]]
"""A function that a link calls before it delivers the first frame."""
Deliver = Callable[[bytes], Awaitable[None]]
Charge = Callable[[float], float]
"""A function that charges a sender for bytes, and returns how many seconds it has to wait."""


class QueuedFrame(NamedTuple):
    """A frame that waits to be sent.

    Attributes:
        name: The hash of the frame if it was posted with `once`, else None.
        heeded: The bytes of the peer that this program had processed when the frame was queued.
    """

    data: bytes
    name: bytes | None
    heeded: int


class Link:
    """An authenticated stream that carries frames in both directions, until either side ends it.

    Attributes:
        is_unhurried: Whether frames are collected for some hundredths of a second before they are
            sent.
        reason: The reason why the link has ended. None while it lives.
    """

    def __init__(
        self,
        stream: trio.abc.Stream,
        limits: Limits,
        first: bytes = b"",
        acknowledges: bool = False,
        is_caught_up: Callable[[], bool] = lambda: True,
    ) -> None:
        """Make a link with an empty queue.

        Args:
            first: Encoded frames to send first. They are left out of the counts of read bytes.
            acknowledges: Whether both ends report to each other how many bytes they have read.
            is_caught_up: Returns whether the user of the link has processed all delivered frames.
                Only then are their bytes reported as read.
        """
        self._stream = stream
        self._limits = limits
        self._queue: deque[QueuedFrame] = deque()
        self._under_way = UnderWay()
        self._read_bytes = self._heeded_bytes = self._told_bytes = 0
        self._is_caught_up = is_caught_up
        self._queued_bytes = len(first)
        self._more = trio.Event()
        self._drained = trio.Event()
        self._scope = trio.CancelScope()
        self._heard = 0.0
        # Nothing is read before `opened` has returned, and this must not count as silence.
        self._delivering = True
        self.is_unhurried = False
        self.reason: Reason | None = None
        self._first = first
        self._acknowledges = acknowledges

    def post(self, data: bytes, once: bool = False) -> bool:
        """Queue a frame.

        Return False if the link is closed, or has to be closed now because the peer reads too
        slowly.

        Args:
            once: Use this for frames whose order does not matter.

        Raises:
            ValueError: If the frame is empty or too long, which is a mistake of the caller.
        """
        if self.reason is not None:
            return False
        if not 0 < len(data) <= self._limits.frame:
            raise ValueError(f"a frame holds 1 to {self._limits.frame} bytes, not {len(data)}")
        name = self._under_way.enter(data) if once else None
        # The equal frame is still on its way to the peer, so this one counts as posted.
        if once and name is None:
            return True
        frames, size = len(self._queue) + 1, self._queued_bytes + len(data)
        if frames > self._limits.queue_frames or size > self._limits.queue_bytes:
            self.close(because(LinkCode.TOO_SLOW))
            return False
        # A frame goes out after the report of what was processed when it was made, not when it is
        # sent: a `sync` that does not name a reported message shows that it was lost.
        self._queue.append(QueuedFrame(data, name, self._heeded()))
        self._queued_bytes = size
        self._more.set()
        return True

    def close(self, reason: Reason) -> None:
        """End the link. If this is called more than once, the first reason counts."""
        # Closing makes the tasks of the link fail, and these errors are not the cause.
        if self.reason is None:
            self.reason = reason
            self._queue.clear()
            # Nothing is sent any more, so who waits in `drained` would wait for ever.
            self._drained.set()
            self._scope.cancel()

    async def drained(self) -> None:
        """Wait until all queued frames were given to the system, or the link is closed."""
        while self.reason is None and self._queued_bytes:
            if self._drained.is_set():
                self._drained = trio.Event()
            await self._drained.wait()

    async def run(self, opened: Opened, deliver: Deliver, charge: Charge | None = None) -> Reason:
        """Carry frames until the link ends, and return why it has ended.

        While `opened` or `deliver` waits, nothing more is read. This slows the peer down and does
        not count as silence.

        Args:
            charge: None to give this link a token bucket of its own.
        """
        self._heard = trio.current_time()
        charge = charge or self._own_allowance()
        try:
            with self._scope:
                async with trio.open_nursery() as nursery:
                    # If one of the tasks closes the link, it cancels the scope and so the other
                    # two.
                    nursery.start_soon(self._guarded, self._write)
                    nursery.start_soon(self._watch)
                    nursery.start_soon(self._guarded, self._read, opened, deliver, charge)
        finally:
            # Also after a cancellation from outside: whoever holds the link must see that it has
            # ended.
            self.close(because(LinkCode.CLOSED_HERE))
            await cut(self._stream)
        return self.reason or because(LinkCode.CLOSED_HERE)

    async def _guarded(self, task: Callable[..., Awaitable[None]], *args: object) -> None:
        """Run a task of the link. If it fails because of the network, close the link."""
        try:
            await task(*args)
        except NetError as error:
            self.close(error.reason)
        except TROUBLE as error:
            self.close(why(error))

    def _own_allowance(self) -> Charge:
        own = Bucket(self._limits.bytes_read)
        return lambda amount: own.take(trio.current_time(), amount)

    async def _read(self, opened: Opened, deliver: Deliver, charge: Charge) -> None:
        """Call `opened`, then read frames for `deliver`, until the stream ends ([L-25])."""
        told_read = self._under_way.acknowledge if self._acknowledges else None
        frames = FrameBuffer(self._limits.frame, told_read, self._limits.longest)
        await opened()
        self._listen_again()
        while chunk := await self._stream.receive_some(CHUNK):
            self._delivering = True
            await _wait(charge(OVERHEAD + len(chunk)))
            for data in frames.feed(chunk):
                await _wait(charge(OVERHEAD))
                if data:
                    await deliver(data)
            # Only now, after all frames of the chunk were delivered, may a report name these bytes.
            self._read_bytes += len(chunk)
            self._listen_again()
        self.close(because(LinkCode.CLOSED))

    def _listen_again(self) -> None:
        self._delivering = False
        self._heard = trio.current_time()

    async def _watch(self) -> None:
        """Close the link when nothing has come for `Limits.silence` seconds ([L-3])."""
        while True:
            due = self._heard + self._limits.silence
            await trio.sleep_until(due)
            late = trio.current_time() - due
            # A process that was paused itself, for example by sleep of the machine, has not
            # listened.
            if self._delivering or late > self._limits.heartbeat / 2:
                self._heard = trio.current_time()
            # While this slept, something may have come, which sets a later time.
            elif self._heard + self._limits.silence <= due:
                self.close(because(LinkCode.SILENT, seconds=self._limits.silence))

    async def _write(self) -> None:
        """Send the queued frames. If there are none for a while, send heartbeats."""
        if self._first:
            await self._send(self._first)
            self._queued_bytes -= len(self._first)
            self._drained.set()
        while True:
            with trio.move_on_after(self._limits.heartbeat):
                await self._more.wait()
            if self.is_unhurried:
                await trio.sleep(random.uniform(*UNHURRIED))
            await self._write_some()
            # Frames are collected only once: a peer that lags behind has much to read.
            while self._queue:
                await self._write_some()
            # No await since the queue was empty: a frame that came in between would wake nobody.
            self._more = trio.Event()
            self._drained.set()

    async def _write_some(self) -> None:
        """Send a report if there is news, and the next queued frames, or else a heartbeat."""
        batch = self._next()
        # That of the first frame: a later one would claim messages that this frame does not name.
        news = self._news(batch[0].heeded if batch else self._heeded())
        framed = news + b"".join(encode_frame(one.data) for one in batch) or encode_frame(b"")
        # Before the sending: the peer may report these bytes as read while it still goes on.
        self._under_way.write(len(framed), (one.name for one in batch if one.name is not None))
        await self._send(framed)
        # Only now: until they are sent they take memory, and `drained` has to wait for them.
        self._queued_bytes -= sum(len(one.data) for one in batch)

    def _heeded(self) -> int:
        """Return the number of bytes from the peer that were read and fully processed so far."""
        if self._is_caught_up():
            self._heeded_bytes = self._read_bytes
        return self._heeded_bytes

    def _news(self, heeded: int) -> bytes:
        """Return the encoded report of `heeded` bytes, b"" if it is no news or reports are off."""
        if not self._acknowledges or heeded == self._told_bytes:
            return b""
        self._told_bytes = heeded
        return encode_read(heeded)

    def _next(self) -> list[QueuedFrame]:
        """Remove as many frames from the queue as fit into one record, or one longer frame."""
        batch, room = list[QueuedFrame](), RECORD - HEADER
        # A frame that is longer than a record has to go out, too, so the first one always fits.
        while self._queue and (not batch or len(self._queue[0].data) + HEADER <= room):
            batch.append(self._queue.popleft())
            room -= len(batch[-1].data) + HEADER
        return batch

    async def _send(self, framed: bytes) -> None:
        """Send bytes in records that are short enough to be read one by one ([L-9], [L-84]).

        If a record cannot be sent within `Limits.stalled` seconds, the link is closed.
        """
        for start in range(0, len(framed), RECORD):
            with trio.move_on_after(self._limits.stalled) as waiting:
                await self._stream.send_all(framed[start : start + RECORD])
            # Half a record may be sent, after which nothing can follow.
            if waiting.cancelled_caught:
                self.close(because(LinkCode.UNREAD, seconds=self._limits.stalled))
                return


async def _wait(seconds: float) -> None:
    if seconds > 0:
        await trio.sleep(seconds)
