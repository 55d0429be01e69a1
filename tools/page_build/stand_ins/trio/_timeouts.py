"""Pauses, and blocks with a deadline."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from ._errors import TooSlowError
from ._scopes import CancelScope, checkpoint, checkpoint_if_cancelled, current_time


def move_on_at(deadline: float) -> CancelScope:
    """Return a scope that is cancelled at a time."""
    return CancelScope(deadline=deadline)


def move_on_after(seconds: float, *, shield: bool = False) -> CancelScope:
    """Return a scope that is cancelled after some seconds."""
    return CancelScope(deadline=_later(seconds), shield=shield)


@contextmanager
def fail_after(seconds: float) -> Iterator[CancelScope]:
    """Cancel the block after some seconds.

    Raises:
        TooSlowError: If the block was cancelled.
    """
    with move_on_after(seconds) as scope:
        yield scope
    if scope.cancelled_caught:
        raise TooSlowError


async def sleep_forever() -> NoReturn:
    """Wait until cancelled."""
    await checkpoint_if_cancelled()
    await asyncio.get_running_loop().create_future()
    raise AssertionError("nobody ends this wait")


async def sleep_until(deadline: float) -> None:
    """Wait until a time. Others have a turn also if that is over."""
    with move_on_at(deadline):
        await sleep_forever()


async def sleep(seconds: float) -> None:
    """Wait for some seconds. Others have a turn also for 0."""
    if seconds == 0:
        await checkpoint()
    else:
        await sleep_until(_later(seconds))


def _later(seconds: float) -> float:
    """Return the time in so many seconds."""
    if not seconds >= 0:
        raise ValueError(f"{seconds} seconds are no time to wait")
    return current_time() + seconds if seconds < math.inf else math.inf
