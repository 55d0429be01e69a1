"""Nurseries whose one failure comes out as itself, not in a group."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import NoReturn

import trio


def _leaves(group: BaseExceptionGroup[BaseException]) -> Iterator[BaseException]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _leaves(error)
        else:
            yield error


@asynccontextmanager
async def open_nursery() -> AsyncIterator[trio.Nursery]:
    """A nursery; of several failures at once the first that is no cancellation comes out."""
    first: BaseException | None = None
    try:
        async with trio.open_nursery() as nursery:
            yield nursery
    except BaseExceptionGroup as group:
        errors = [e for e in _leaves(group) if not isinstance(e, trio.Cancelled)]
        if not errors:
            raise
        first = errors[0]
    if first is not None:
        raise first


async def never() -> NoReturn:
    """What never comes."""
    await trio.sleep_forever()
