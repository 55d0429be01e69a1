"""One live link to one peer: frames in and out, heartbeats, and which frames are under way.

A link keeps the order of what it carries and loses nothing while it lives, so that nothing need be
sent again that is under way: on a slow link the answers to a question that is asked each second
would else pile up in the buffers of the system, where nobody sees them, until heartbeats come too
late.

SPEC: [L-3], [L-9], [L-24].
"""

from __future__ import annotations

import hashlib
import random
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from typing import Final, NamedTuple

import trio

from protocol.bounds import Quota, Seconds

from ..coded_errors import Code, Reason, because
from .link_limits import Bucket, Limits
from .network_errors import TROUBLE, NetError, why
from .transport import HEADER, MARK, OVERHEAD, FrameBuffer, cut, encode_frame, encode_read

MOST: Final[Quota] = 4096
"""Frames of one link that are remembered once they are out; an older one may be sent again."""


class UnderWay:
    """The frames of one link that were not known to be read yet, by name.

    SPEC: [L-24].
    """

    def __init__(self) -> None:
        self._names: set[bytes] = set()
        self._out: deque[tuple[int, bytes]] = deque()
        self._written = 0
        self._known = 0

    def enter(self, data: bytes) -> bytes | None:
        """The name of a frame that is about to be queued; None if it is under way already."""
        name = hashlib.blake2b(data, digest_size=16).digest()
        if name in self._names:
            return None
        self._names.add(name)
        return name

    def write(self, size: int, names: Iterable[bytes]) -> None:
        """So many bytes go out now, and in them the frames of these names."""
        self._written += size
        for name in names:
            self._out.append((self._written, name))
            if len(self._out) > MOST:
                self._names.discard(self._out.popleft()[1])

    def acknowledge(self, read: int) -> None:
        """The other end has read so many bytes, modulo MARK; more than were written says nothing,
        nor fewer than it has said before."""
        more = (read - self._known) % MARK
        if more <= self._written - self._known:
            self._known += more
            while self._out and self._out[0][0] <= self._known:
                self._names.discard(self._out.popleft()[1])


CHUNK = 1 << 16
"""Bytes read at once."""
RECORD = 2048
"""Bytes written at once, as one record of TLS: nothing of a record is heard before its end, so on a
slow link a longer one would be silence."""
UNHURRIED: Final[tuple[Seconds, Seconds]] = (0.01, 0.04)
"""Seconds, as the lot has it, for which frames are collected on a link that is in no hurry: what is
queued for forty onlookers at once is not written at once, while seats wait."""


Opened = Callable[[], Awaitable[None]]
Deliver = Callable[[bytes], Awaitable[None]]
Charge = Callable[[float], float]
"""Charges whoever sends so many bytes, and returns for how many seconds it must wait."""


class LinkCode(Code):
    """Why a link has ended; besides these what `NetError` says, and what `Hub.drop` is given."""

    CLOSED = "link-closed", "it closed the link"
    CLOSED_HERE = "link-closed-here", "we closed it"
    TOO_SLOW = "link-too-slow", "it does not read as fast as we have to send"
    SILENT = "link-silent", "nothing was heard of it for {seconds} s"
    UNREAD = "link-unread", "it read nothing we sent for {seconds} s"
    REPLACED = "link-replaced", "a better link to the same peer took its place"
    MADE_ROOM = "link-made-room", "it made room for another"


class QueuedFrame(NamedTuple):
    """A frame that waits, its name while it is under way if it has one, and how many bytes were
    heeded when it was made."""

    data: bytes
    name: bytes | None
    heeded: int


class Link:
    """Frames in both directions over one authenticated stream, until either side ends it.

    SPEC: [L-3], [L-9], [L-24].
    """

    def __init__(
        self,
        stream: trio.abc.Stream,
        limits: Limits,
        first: bytes = b"",
        acknowledges: bool = False,
        is_caught_up: Callable[[], bool] = lambda: True,
    ) -> None:
        """`first`: frames, as they travel, that go out before all that counts. `acknowledges`: both
        ends tell how much they have read. `is_caught_up`: whether all that was delivered is heeded,
        and so in what is posted now; only then it counts as read."""
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
        self._delivering = True
        self.is_unhurried = False
        self.reason: Reason | None = None
        self._first = first
        self._acknowledges = acknowledges

    def post(self, data: bytes, once: bool = False) -> bool:
        """Queue one frame; False when the link is closed, or closes because it cannot keep up.

        `once`: unless the same one, posted so, is under way, and its order does not matter.
        Raises ValueError for an empty frame or one above the limit, a mistake of the caller.
        """
        if self.reason is not None:
            return False
        if not 0 < len(data) <= self._limits.frame:
            raise ValueError(f"a frame holds 1 to {self._limits.frame} bytes, not {len(data)}")
        name = self._under_way.enter(data) if once else None
        if once and name is None:
            return True
        frames, size = len(self._queue) + 1, self._queued_bytes + len(data)
        if frames > self._limits.queue_frames or size > self._limits.queue_bytes:
            self.close(because(LinkCode.TOO_SLOW))
            return False
        self._queue.append(QueuedFrame(data, name, self._heeded()))
        self._queued_bytes = size
        self._more.set()
        return True

    def close(self, reason: Reason) -> None:
        """End the link; the first reason given stays."""
        if self.reason is None:
            self.reason = reason
            self._queue.clear()
            self._drained.set()
            self._scope.cancel()

    async def drained(self) -> None:
        """Wait until all that is queued was handed to the system, or the link is closed."""
        while self.reason is None and self._queued_bytes:
            if self._drained.is_set():
                self._drained = trio.Event()
            await self._drained.wait()

    async def run(self, opened: Opened, deliver: Deliver, charge: Charge | None = None) -> Reason:
        """Carry frames until the link ends and return why.

        Args:
            opened: runs before the first frame is delivered.
            deliver: takes one frame. Both may wait, and then nothing more is read, which slows the
                peer down and is not held against it.
            charge: charges the sender; None: this link has an allowance of its own.
        """
        self._heard = trio.current_time()
        charge = charge or self._own_allowance()
        try:
            with self._scope:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._guarded, self._write)
                    nursery.start_soon(self._watch)
                    nursery.start_soon(self._guarded, self._read, opened, deliver, charge)
        finally:
            self.close(because(LinkCode.CLOSED_HERE))
            await cut(self._stream)
        return self.reason or because(LinkCode.CLOSED_HERE)

    async def _guarded(self, task: Callable[..., Awaitable[None]], *args: object) -> None:
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
        """Deliver what comes, at the pace that its sender is allowed.

        SPEC: [L-25].
        """
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
            self._read_bytes += len(chunk)
            self._listen_again()
        self.close(because(LinkCode.CLOSED))

    def _listen_again(self) -> None:
        self._delivering = False
        self._heard = trio.current_time()

    async def _watch(self) -> None:
        """Close the link when the peer is silent; our own pauses are not counted as its silence.

        SPEC: [L-3].
        """
        while True:
            due = self._heard + self._limits.silence
            await trio.sleep_until(due)
            late = trio.current_time() - due
            if self._delivering or late > self._limits.heartbeat / 2:
                self._heard = trio.current_time()
            elif self._heard + self._limits.silence <= due:
                self.close(because(LinkCode.SILENT, seconds=self._limits.silence))

    async def _write(self) -> None:
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
            while self._queue:  # collected once: who comes late has much to read
                await self._write_some()
            self._more = trio.Event()
            self._drained.set()

    async def _write_some(self) -> None:
        """What goes out next, or a heartbeat; before it what was read, if that is news."""
        batch = self._next()
        news = self._news(batch[0].heeded if batch else self._heeded())
        framed = news + b"".join(encode_frame(one.data) for one in batch) or encode_frame(b"")
        self._under_way.write(len(framed), (one.name for one in batch if one.name is not None))
        await self._send(framed)
        self._queued_bytes -= sum(len(one.data) for one in batch)

    def _heeded(self) -> int:
        """How many bytes were read of which all that is posted now may tell."""
        if self._is_caught_up():
            self._heeded_bytes = self._read_bytes
        return self._heeded_bytes

    def _news(self, heeded: int) -> bytes:
        if not self._acknowledges or heeded == self._told_bytes:
            return b""
        self._told_bytes = heeded
        return encode_read(heeded)

    def _next(self) -> list[QueuedFrame]:
        """The frames that go out next: as many as fit one record, or a longer one."""
        batch, room = list[QueuedFrame](), RECORD - HEADER
        while self._queue and (not batch or len(self._queue[0].data) + HEADER <= room):
            batch.append(self._queue.popleft())
            room -= len(batch[-1].data) + HEADER
        return batch

    async def _send(self, framed: bytes) -> None:
        """In records short enough to be heard one by one ([L-9])."""
        for start in range(0, len(framed), RECORD):
            with trio.move_on_after(self._limits.stalled) as waiting:
                await self._stream.send_all(framed[start : start + RECORD])
            if waiting.cancelled_caught:  # half a record may be out: nothing can follow it
                self.close(because(LinkCode.UNREAD, seconds=self._limits.stalled))
                return


async def _wait(seconds: float) -> None:
    if seconds > 0:
        await trio.sleep(seconds)
