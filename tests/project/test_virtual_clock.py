"""The clock of the tests in memory: what threads do takes none of its time."""

import time
from functools import partial
from typing import Any

import trio
from support.running import running

REST = 0.05
"""Seconds on the clock of the wall for which a thread rests."""


async def test_threads_take_no_virtual_time_until_the_last_has_ended(autojump_clock: Any) -> None:
    began = trio.current_time()
    async with running(partial(trio.sleep, 3600)):
        await trio.to_thread.run_sync(time.sleep, REST)
        assert trio.current_time() == began
    began = trio.current_time()
    async with running(partial(trio.sleep, 3600)):
        async with trio.open_nursery() as threads:
            for rest in (REST, 2 * REST):
                threads.start_soon(trio.to_thread.run_sync, time.sleep, rest)
        assert trio.current_time() == began


async def test_after_the_threads_the_clock_jumps_again(autojump_clock: Any) -> None:
    began = trio.current_time()
    await trio.to_thread.run_sync(time.sleep, REST)
    await trio.sleep(3600)
    assert trio.current_time() == began + 3600
    began = trio.current_time()
    with trio.CancelScope() as scope:
        scope.cancel()
        await trio.to_thread.run_sync(time.sleep, REST, abandon_on_cancel=True)
    await trio.sleep(3600)
    assert trio.current_time() == began + 3600
