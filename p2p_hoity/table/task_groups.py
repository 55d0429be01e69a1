"""Nurseries that raise one error, not an exception group."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import NoReturn, TypeVar

import trio

T = TypeVar("T")


@asynccontextmanager
async def open_nursery() -> AsyncIterator[trio.Nursery]:
    """Open a trio nursery that raises a single error instead of an exception group.

    It is the first error of a task or of the block that is not a cancellation.
    """
    first: BaseException | None = None
    try:
        async with trio.open_nursery() as nursery:
            yield nursery
    except BaseExceptionGroup as group:
        first = group.split(trio.Cancelled)[1]
        # Only cancellations: the scope that was cancelled has to receive them.
        if first is None:
            raise
        while isinstance(first, BaseExceptionGroup):
            first = first.exceptions[0]
    # Raised outside the handler, so that the group is not shown as the error's context.
    if first is not None:
        raise first


async def beside(task: Callable[[], Awaitable[object]], act: Awaitable[T]) -> T:
    """Return the result of `act`, while a task runs beside it that is cancelled at the end.

    If either fails, the other one is cancelled.
    """
    async with open_nursery() as nursery:
        nursery.start_soon(task)
        found = await act
        nursery.cancel_scope.cancel()
    return found


async def never() -> NoReturn:
    """Wait until cancelled."""
    await trio.sleep_forever()
