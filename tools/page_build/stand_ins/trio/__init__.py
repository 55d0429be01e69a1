"""What a page has in the place of trio: the part of it that a table and its links use, on asyncio.

In a page there is no `epoll` and no thread, so trio itself cannot run there. anyio interrupts the
tasks that wait. Whatever trio and anyio do differently is done here as trio does it. What a page
does not have, such as sockets, signals and processes, is missing, so that its use fails at once.
"""

from __future__ import annotations

from . import abc, lowlevel, to_thread
from ._channels import MemoryReceiveChannel, MemorySendChannel, open_memory_channel
from ._errors import (
    BrokenResourceError,
    Cancelled,
    ClosedResourceError,
    EndOfChannel,
    TooSlowError,
    WouldBlock,
)
from ._nursery import TASK_STATUS_IGNORED, Nursery, TaskStatus, open_nursery
from ._scopes import CancelScope, current_effective_deadline, current_time
from ._streams import SocketStream, SSLStream, aclose_forcefully
from ._timeouts import (
    fail_after,
    move_on_after,
    move_on_at,
    sleep,
    sleep_forever,
    sleep_until,
)
from ._turns import Event, Lock

__all__ = [
    "TASK_STATUS_IGNORED",
    "BrokenResourceError",
    "CancelScope",
    "Cancelled",
    "ClosedResourceError",
    "EndOfChannel",
    "Event",
    "Lock",
    "MemoryReceiveChannel",
    "MemorySendChannel",
    "Nursery",
    "SSLStream",
    "SocketStream",
    "TaskStatus",
    "TooSlowError",
    "WouldBlock",
    "abc",
    "aclose_forcefully",
    "current_effective_deadline",
    "current_time",
    "fail_after",
    "lowlevel",
    "move_on_after",
    "move_on_at",
    "open_memory_channel",
    "open_nursery",
    "sleep",
    "sleep_forever",
    "sleep_until",
    "to_thread",
]
