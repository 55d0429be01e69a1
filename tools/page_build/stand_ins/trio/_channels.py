"""Channels within the program."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from types import TracebackType
from typing import Generic, TypeVar, cast

from ._errors import BrokenResourceError, ClosedResourceError, EndOfChannel, WouldBlock
from ._scopes import checkpoint, checkpoint_if_cancelled, let_others_run
from ._turns import Turns
from .abc import AsyncResource

T = TypeVar("T")


@dataclass(frozen=True)
class MemoryChannelStatistics:
    """How full a channel is.

    Attributes:
        current_buffer_used: The number of values in it.
    """

    current_buffer_used: int


@dataclass(eq=False)
class _Channel(Generic[T]):
    """What both ends share. The tasks that send wait with their values."""

    room: float
    values: deque[T] = field(default_factory=deque)
    senders: Turns[T] = field(default_factory=Turns)
    receivers: Turns[None] = field(default_factory=Turns)
    is_sent_to: bool = True
    is_received_from: bool = True


class _End(AsyncResource, Generic[T]):
    """One end of a channel, which a `with` block closes."""

    def __init__(self, channel: _Channel[T]) -> None:
        self._channel = channel

    def close(self) -> None:
        """Close this end."""
        raise NotImplementedError

    async def aclose(self) -> None:
        """Close this end, and give other tasks a turn."""
        self.close()
        await checkpoint()

    def __enter__(self) -> _End[T]:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class MemorySendChannel(_End[T]):
    """The end of a channel that sends."""

    def send_nowait(self, value: T) -> None:
        """Send a value.

        Raises:
            WouldBlock: If the channel is full.
            ClosedResourceError: If this end is closed.
            BrokenResourceError: If the other end is closed.
        """
        channel = self._channel
        if not channel.is_sent_to:
            raise ClosedResourceError
        if not channel.is_received_from:
            raise BrokenResourceError
        if (found := channel.receivers.take()) is not None:
            found[0].set_result(value)
        elif len(channel.values) < channel.room:
            channel.values.append(value)
        else:
            raise WouldBlock

    async def send(self, value: T) -> None:
        """Send a value, as soon as there is room for it."""
        await checkpoint_if_cancelled()
        try:
            self.send_nowait(value)
        except WouldBlock:
            await self._channel.senders.wait(value)
        else:
            # It was sent, so this is not cancelled any more.
            await let_others_run()

    def close(self) -> None:
        """Send nothing more. What was sent can still be received."""
        self._channel.is_sent_to = False
        self._channel.senders.end(ClosedResourceError)
        self._channel.receivers.end(EndOfChannel)


class MemoryReceiveChannel(_End[T]):
    """The end of a channel that receives."""

    def statistics(self) -> MemoryChannelStatistics:
        """Return how full the channel is."""
        return MemoryChannelStatistics(len(self._channel.values))

    def receive_nowait(self) -> T:
        """Receive a value.

        Raises:
            WouldBlock: If there is none.
            EndOfChannel: If there will be none.
            ClosedResourceError: If this end is closed.
        """
        channel = self._channel
        if not channel.is_received_from:
            raise ClosedResourceError
        if (found := channel.senders.take()) is not None:
            turn, value = found
            turn.set_result(None)
            channel.values.append(value)
        if channel.values:
            return channel.values.popleft()
        raise WouldBlock if channel.is_sent_to else EndOfChannel

    async def receive(self) -> T:
        """Receive a value, as soon as there is one."""
        await checkpoint_if_cancelled()
        try:
            value = self.receive_nowait()
        except WouldBlock:
            return cast(T, await self._channel.receivers.wait(None))
        # It was taken out, so this is not cancelled any more.
        await let_others_run()
        return value

    def close(self) -> None:
        """Receive nothing more. What was sent is lost."""
        channel = self._channel
        channel.is_received_from = False
        channel.receivers.end(ClosedResourceError)
        channel.senders.end(BrokenResourceError)
        channel.values.clear()

    def __aiter__(self) -> MemoryReceiveChannel[T]:
        return self

    async def __anext__(self) -> T:
        try:
            return await self.receive()
        except EndOfChannel:
            raise StopAsyncIteration from None


class open_memory_channel(tuple[MemorySendChannel[T], MemoryReceiveChannel[T]]):
    """Open a channel for so many values. A class, so that it can be called with a type in `[]`."""

    def __new__(  # type: ignore[misc]  # What it makes is a plain pair.
        cls, max_buffer_size: float
    ) -> tuple[MemorySendChannel[T], MemoryReceiveChannel[T]]:
        """Return both ends, first the one that sends."""
        channel = _Channel[T](max_buffer_size)
        return MemorySendChannel(channel), MemoryReceiveChannel(channel)
