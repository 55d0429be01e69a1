"""Tasks that run beside a test, and end with it."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import trio


@asynccontextmanager
async def running(*tasks: Callable[[], Awaitable[Any]]) -> AsyncIterator[trio.Nursery]:
    """Run these until the block ends, and yield their nursery."""
    async with trio.open_nursery() as nursery:
        for task in tasks:
            nursery.start_soon(task)
        yield nursery
        nursery.cancel_scope.cancel()
