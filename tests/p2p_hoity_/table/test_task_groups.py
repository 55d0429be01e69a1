"""Tests of nurseries that raise one error, and of a task beside an act."""

import pytest
import trio
from support.cases import ends_in

from p2p_hoity.table.task_groups import beside, never, open_nursery


async def fail(error: Exception, after: float = 0.0) -> None:
    await trio.sleep(after)
    raise error


async def test_the_first_error_of_a_task_or_of_the_block_is_raised_alone() -> None:
    async def waiting() -> None:
        async with open_nursery() as nursery:
            nursery.start_soon(fail, KeyError("task"))
            await never()

    async def failing() -> None:
        async with open_nursery() as nursery:
            nursery.start_soon(never)
            raise ValueError("block")

    await ends_in(KeyError, "task", waiting())
    await ends_in(ValueError, "block", failing())


async def test_an_error_inside_a_nursery_of_a_task_is_raised_alone_too() -> None:
    async def inner() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(fail, KeyError("deep"))

    with pytest.raises(KeyError):
        async with open_nursery() as nursery:
            nursery.start_soon(inner)


async def test_a_cancellation_is_no_error_and_hides_none() -> None:
    with trio.move_on_after(1) as scope:
        async with open_nursery() as nursery:
            nursery.start_soon(never)
    assert scope.cancelled_caught

    async def fail_when_cancelled() -> None:
        try:
            await never()
        finally:
            raise KeyError("behind")

    with pytest.raises(KeyError), trio.move_on_after(1):
        async with open_nursery() as nursery:
            nursery.start_soon(fail_when_cancelled)


async def test_a_task_beside_an_act_ends_with_it_and_its_error_ends_the_act() -> None:
    ended: list[str] = []

    async def task() -> None:
        try:
            await never()
        finally:
            ended.append("task")

    async def act() -> int:
        await trio.sleep(1)
        return 7

    assert await beside(task, act()) == 7
    assert ended == ["task"]

    async def failing() -> None:
        await fail(KeyError("beside"), 0.5)

    async def long_act() -> None:
        try:
            await never()
        finally:
            ended.append("act")

    with pytest.raises(KeyError):
        await beside(failing, long_act())
    assert ended == ["task", "act"]
    with pytest.raises(ValueError, match="act"):
        await beside(task, fail(ValueError("act")))
    assert ended == ["task", "act", "task"]
