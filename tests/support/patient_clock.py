"""A virtual clock that does not run on while a thread works: what a thread does takes no time."""

import inspect
import math
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest
import trio
from trio.testing import MockClock


def patient_clock(patch: pytest.MonkeyPatch) -> MockClock:
    """A clock that jumps as soon as nothing is left to do, in a thread neither.

    That of trio jumps while tasks wait for threads: with a slow disk a seat that waits for its
    journal would let minutes pass for all others.
    """
    clock, run, busy = MockClock(autojump_threshold=0), trio.to_thread.run_sync, list[object]()

    async def held(work: Callable[..., Any], *given: Any, **options: Any) -> Any:
        busy.append(work)
        clock.autojump_threshold = math.inf
        try:
            return await run(work, *given, **options)
        finally:
            busy.pop()
            clock.autojump_threshold = math.inf if busy else 0

    patch.setattr(trio.to_thread, "run_sync", held)
    return clock


def virtual_time(
    test: Callable[[], Awaitable[None]], clock: Any = None, instruments: Sequence[Any] = ()
) -> None:
    """Run a test on a virtual clock of its own."""
    with pytest.MonkeyPatch.context() as patch:
        trio.run(test, clock=clock or patient_clock(patch), instruments=instruments)


def run_on_virtual_time(item: pytest.Item) -> None:
    """Let a collected test run on a virtual clock, if it is asynchronous."""
    if inspect.iscoroutinefunction(getattr(item, "obj", None)):
        item.add_marker(pytest.mark.trio(run=virtual_time))
