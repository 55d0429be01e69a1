"""The classes of streams."""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType
from typing import TypeVar

R = TypeVar("R", bound="AsyncResource")


class AsyncResource(ABC):
    """Something that an `async with` block closes."""

    @abstractmethod
    async def aclose(self) -> None:
        """Close it, also if this is cancelled."""

    async def __aenter__(self: R) -> R:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()


class SendStream(AsyncResource):
    """A stream of bytes to another program."""

    @abstractmethod
    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Send bytes."""

    @abstractmethod
    async def wait_send_all_might_not_block(self) -> None:
        """Wait until bytes can probably be sent."""


class ReceiveStream(AsyncResource):
    """A stream of bytes from another program."""

    @abstractmethod
    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        """Receive some bytes. b"" at the end."""


class Stream(SendStream, ReceiveStream):
    """A stream of bytes in both directions."""
