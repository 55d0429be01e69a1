"""What the program relies on of trio: small functions, each with its result.

They give the same above trio and above its stand-in in a page. `python -m support.trio_contracts`
prints the results above whatever `import trio` finds.
"""

from __future__ import annotations

import json
import math
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any

import outcome
import trio
import trio.abc
import trio.lowlevel
import trio.to_thread

from p2p_hoity.table.task_groups import beside
from p2p_hoity.table.task_groups import open_nursery as open_plain
from support import stand_in

Contract = Callable[[], Awaitable[Any]]
CONTRACTS: dict[str, tuple[Contract, Any]] = {}
"""Each contract by its name, with what it gives."""

SCOPE, EVENT, LOCK = trio.CancelScope(), trio.Event(), trio.Lock()
SEND, RECEIVE = trio.open_memory_channel[int](1)
"""They are made where no loop runs, as windows are."""


def gives(expected: Any) -> Callable[[Contract], Contract]:
    """Add a contract."""

    def add(contract: Contract) -> Contract:
        CONTRACTS[contract.__name__] = contract, expected
        return contract

    return add


async def result_of(contract: Contract) -> Any:
    """Return what a contract gives."""
    with trio.fail_after(1e6):
        return await contract()


def leaves(error: BaseException) -> list[str]:
    """Return the names of the errors in a group, sorted, as tasks end in any order."""
    if isinstance(error, BaseExceptionGroup):
        return sorted(name for one in error.exceptions for name in leaves(one))
    return ["Cancelled" if isinstance(error, trio.Cancelled) else type(error).__name__]


async def raised_by(act: Callable[[], Awaitable[Any]]) -> Any:
    """Return the name of the error that a function raises, else what it returns."""
    try:
        return await act()
    except trio.Cancelled:
        raise
    except BaseException as error:  # noqa: BLE001 - whatever is raised is the result
        return leaves(error) if isinstance(error, BaseExceptionGroup) else type(error).__name__


async def turns(number: int = 3) -> None:
    """Let all other tasks run."""
    for _ in range(number):
        await trio.lowlevel.checkpoint()


class Turns:
    """Counts in a task of its own how often others had a turn."""

    def __init__(self) -> None:
        self.number = 0

    async def run(self) -> None:
        while True:
            self.number += 1
            await trio.lowlevel.checkpoint()


# Scopes


@gives([True, False, True])
async def a_scope_that_is_cancelled_before_it_is_entered_ends_at_its_first_checkpoint() -> Any:
    scope, has_passed = trio.CancelScope(), False
    scope.cancel()
    with scope:
        await trio.lowlevel.checkpoint()
        has_passed = True
    return [scope.cancel_called, has_passed, scope.cancelled_caught]


@gives([True, True, False])
async def a_scope_without_a_checkpoint_runs_through() -> Any:
    scope, has_passed = trio.CancelScope(), False
    scope.cancel()
    with scope:
        has_passed = True
    return [scope.cancel_called, has_passed, scope.cancelled_caught]


@gives([False, True, False])
async def a_scope_that_is_over_is_cancelled_without_effect() -> Any:
    with trio.CancelScope() as scope:
        await trio.lowlevel.checkpoint()
    before = scope.cancel_called
    scope.cancel()
    await trio.lowlevel.checkpoint()
    return [before, scope.cancel_called, scope.cancelled_caught]


@gives("RuntimeError")
async def a_scope_is_for_one_block() -> Any:
    with trio.CancelScope() as scope:
        pass

    async def again() -> None:
        with scope:
            pass

    return await raised_by(again)


@gives([True, 1.0])
async def another_task_cancels_a_scope_that_waits() -> Any:
    scope = trio.CancelScope()

    async def wait() -> None:
        with scope:
            await trio.sleep_forever()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        began = trio.current_time()
        await trio.sleep(1)
        scope.cancel()
    return [scope.cancelled_caught, trio.current_time() - began]


@gives([True] * 9)
async def every_wait_of_a_cancelled_block_is_cancelled() -> Any:
    send, receive = trio.open_memory_channel[int](1)
    ready = trio.Event()
    ready.set()
    lock, lot, found = trio.Lock(), trio.lowlevel.ParkingLot(), []
    resources: list[Callable[[], Awaitable[Any]]] = [
        trio.lowlevel.checkpoint,
        lambda: trio.sleep(0),
        lambda: trio.sleep(5),
        trio.Event().wait,
        ready.wait,
        lambda: send.send(1),
        receive.receive,
        lot.park,
        lock.__aenter__,
    ]
    with trio.CancelScope() as scope:
        scope.cancel()
        for act in resources:
            try:
                await act()
                found.append(False)
            except trio.Cancelled:
                found.append(True)
    return found


@gives([3, False])
async def a_swallowed_cancellation_comes_again() -> Any:
    caught = 0
    with trio.move_on_after(1) as scope:
        for _ in range(3):
            try:
                await trio.sleep_forever()
            except trio.Cancelled:
                caught += 1
    return [caught, scope.cancelled_caught]


@gives([["cleaned"], True, 4.0])
async def a_shield_lets_a_cancelled_task_clean_up() -> Any:
    log, began = [], trio.current_time()
    with trio.move_on_after(1) as scope:
        try:
            await trio.sleep_forever()
        finally:
            with trio.CancelScope(shield=True):
                await trio.sleep(3)
                log.append("cleaned")
            await trio.lowlevel.checkpoint()
            log.append("not reached")
    return [log, scope.cancelled_caught, trio.current_time() - began]


@gives([True, True, 3.0])
async def a_shield_with_a_deadline_ends_at_it() -> Any:
    began = trio.current_time()
    with trio.move_on_after(1) as outer:
        try:
            await trio.sleep_forever()
        finally:
            with trio.move_on_after(2, shield=True) as inner:
                await trio.sleep_forever()
    return [outer.cancelled_caught, inner.cancelled_caught, trio.current_time() - began]


@gives([[True, False, 1.0], [False, True, 2.0], [True, False, 1.0]])
async def the_outermost_scope_whose_time_is_over_catches() -> Any:
    found = []
    for of_outer, of_inner in ((1, 2), (3, 2), (1, 1)):
        began = trio.current_time()
        with trio.move_on_after(of_outer) as outer, trio.move_on_after(of_inner) as inner:
            await trio.sleep_forever()
        found.append([outer.cancelled_caught, inner.cancelled_caught, trio.current_time() - began])
    return found


@gives([True, 1.0])
async def a_pause_as_long_as_its_scope_is_cancelled() -> Any:
    began = trio.current_time()
    with trio.move_on_after(1) as scope:
        await trio.sleep(1)
    return [scope.cancelled_caught, trio.current_time() - began]


@gives([2.0, 1.0, 0.0])
async def a_changed_deadline_counts() -> Any:
    found = []
    for seconds in (2, 1, -1):
        began = trio.current_time()
        with trio.move_on_after(1.5) as scope:
            scope.deadline = began + seconds
            await trio.sleep_forever()
        found.append(trio.current_time() - began)
    return found


@gives([True, 3.0])
async def another_task_changes_a_deadline() -> Any:
    scope, began = trio.CancelScope(), trio.current_time()

    async def wait() -> None:
        with scope:
            await trio.sleep_forever()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        await trio.sleep(1)
        scope.deadline = began + 3
    return [scope.cancelled_caught, trio.current_time() - began]


@gives([False, False, False])
async def a_deadline_of_a_scope_that_is_over_cancels_nothing() -> Any:
    with trio.CancelScope() as scope, trio.move_on_after(1) as in_time:
        await trio.lowlevel.checkpoint()
    scope.deadline = trio.current_time() + 1
    await trio.sleep(2)
    return [scope.cancel_called, scope.cancelled_caught, in_time.cancel_called]


@gives([True, True, True])
async def a_deadline_that_is_over_counts_as_a_call() -> Any:
    scope = trio.CancelScope(deadline=trio.current_time() - 1)
    before = scope.cancel_called
    with scope:
        return [before, scope.cancel_called, trio.current_effective_deadline() == -math.inf]


@gives([[True, 0.0], [True, 0.0], ["Cancelled", 0.0]])
async def a_time_that_is_over_ends_a_block_at_its_first_checkpoint() -> Any:
    found = []
    send, receive = trio.open_memory_channel[int](1)
    send.send_nowait(1)
    for scope in (trio.move_on_at(trio.current_time() - 5), trio.move_on_after(0)):
        began = trio.current_time()
        with scope:
            await trio.lowlevel.checkpoint()
        found.append([scope.cancelled_caught, trio.current_time() - began])
    caught = "received"
    with trio.move_on_after(0):
        try:
            await receive.receive()
        except trio.Cancelled:
            caught = "Cancelled"
    return [*found, [caught, trio.current_time() - began]]


@gives([True, True])
async def a_block_without_end_is_ended_by_a_call() -> Any:
    found = []
    for scope in (trio.move_on_after(math.inf), trio.CancelScope(deadline=math.inf)):
        async with trio.open_nursery() as nursery:
            with scope:
                nursery.start_soon(_cancel_later, scope)
                await trio.sleep(math.inf)
        found.append(scope.cancelled_caught)
    return found


async def _cancel_later(scope: trio.CancelScope) -> None:
    await trio.sleep(5)
    scope.cancel()


@gives(["ValueError"] * 4)
async def no_time_is_less_than_none() -> Any:
    async def moves() -> None:
        trio.move_on_after(-1)

    async def fails() -> None:
        with trio.fail_after(-1):
            pass

    async def is_none() -> None:
        trio.move_on_after(math.nan)

    acts: list[Callable[[], Awaitable[Any]]] = [moves, fails, is_none, lambda: trio.sleep(-1)]
    return [await raised_by(act) for act in acts]


@gives(["TooSlowError", "in time", "KeyError", [False, False]])
async def a_block_that_fails_after_a_time() -> Any:
    async def slow() -> None:
        with trio.fail_after(1):
            await trio.sleep(2)

    async def swift() -> str:
        with trio.fail_after(1):
            await trio.sleep(0.5)
        return "in time"

    async def broken() -> None:
        with trio.fail_after(1):
            try:
                await trio.sleep(2)
            finally:
                raise KeyError

    kinds = [issubclass(trio.TooSlowError, one) for one in (OSError, TimeoutError)]
    return [*[await raised_by(act) for act in (slow, swift, broken)], kinds]


@gives(["woken", "Cancelled"])
async def who_is_woken_is_cancelled_only_at_the_next_checkpoint() -> Any:
    event, scope, log = trio.Event(), trio.CancelScope(), []

    async def wait() -> None:
        with scope:
            await event.wait()
            log.append("woken")
            try:
                await trio.lowlevel.checkpoint()
            except trio.Cancelled:
                log.append("Cancelled")
                raise

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        await turns()
        event.set()
        scope.cancel()
    return log


@gives([True])
async def who_is_cancelled_is_not_woken_any_more() -> Any:
    event, scope = trio.Event(), trio.CancelScope()

    async def wait() -> None:
        with scope:
            await event.wait()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        await turns()
        scope.cancel()
        event.set()
    return [scope.cancelled_caught]


@gives([3.0, 2.0, True, True, 3.0, True])
async def the_effective_deadline_is_the_first_of_all_scopes_within_a_shield() -> Any:
    found: list[Any] = []
    began, before = trio.current_time(), trio.current_effective_deadline()
    with trio.move_on_at(began + 3):
        found.append(trio.current_effective_deadline() - began)
        with trio.move_on_at(began + 2):
            found.append(trio.current_effective_deadline() - began)
            with trio.CancelScope(shield=True):
                found.append(trio.current_effective_deadline() == math.inf)
        with trio.CancelScope() as inner:
            inner.cancel()
            found.append(trio.current_effective_deadline() == -math.inf)
        found.append(trio.current_effective_deadline() - began)
    return [*found, trio.current_effective_deadline() == before]


@gives([True, 5.0])
async def a_task_has_the_deadline_of_its_nursery() -> Any:
    began, found = trio.current_time(), list[Any]()

    async def look() -> None:
        found.append(trio.current_effective_deadline() - began)

    async def begin(nursery: trio.Nursery) -> None:
        with trio.move_on_at(began + 1), trio.CancelScope(shield=True):
            nursery.start_soon(look)
            await turns()

    with trio.move_on_at(began + 5):
        async with trio.open_nursery() as nursery:
            async with trio.open_nursery() as other:
                other.start_soon(begin, nursery)
            found.append(trio.current_effective_deadline() - began == 5)
    return sorted(found, key=str, reverse=True)


@gives(["KeyError", False])
async def another_error_passes_a_cancelled_scope() -> Any:
    scope = trio.CancelScope()

    async def act() -> None:
        with scope:
            scope.cancel()
            try:
                await trio.lowlevel.checkpoint()
            except trio.Cancelled:
                raise KeyError from None

    return [await raised_by(act), scope.cancelled_caught]


@gives([["KeyError"], True, "OSError"])
async def a_scope_takes_its_cancellation_out_of_a_group() -> Any:
    scope = trio.CancelScope()

    async def fail() -> None:
        try:
            await trio.sleep_forever()
        finally:
            raise KeyError from OSError()

    try:
        with scope:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(fail)
                nursery.start_soon(trio.sleep_forever)
                await turns()
                scope.cancel()
                await trio.sleep_forever()
    except BaseExceptionGroup as group:
        (error,) = group.exceptions
        while isinstance(error, BaseExceptionGroup):
            (error,) = error.exceptions
        return [leaves(group), scope.cancelled_caught, type(error.__cause__).__name__]


@contextmanager
def _waiting(scopes: list[trio.CancelScope]) -> Iterator[None]:
    with trio.move_on_after(math.inf) as scope:
        scopes.append(scope)
        try:
            yield
        finally:
            scopes.remove(scope)


@gives([["asked", "asked", "asked"], 2.0, []])
async def a_question_is_asked_again_after_its_scope_was_cancelled() -> Any:
    scopes: list[trio.CancelScope] = []
    log: list[str] = []

    async def answer() -> float:
        while True:
            with _waiting(scopes):
                log.append("asked")
                await trio.sleep(math.inf if len(log) < 3 else 0)
                return trio.current_time() - began

    async def turn() -> None:
        for _ in range(2):
            await trio.sleep(1)
            for scope in scopes:
                scope.cancel()

    began = trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(turn)
        found = await answer()
    return [log, found, scopes]


@gives([["begun", "begun", "hurried"], 3.0])
async def a_named_scope_cuts_a_pause_short() -> Any:
    log = []
    pausing = trio.CancelScope()
    pausing.cancel()  # As before any pause.

    async def hurry() -> None:
        await trio.sleep(2)
        log.append("hurried")
        pausing.cancel()

    began = trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(hurry)
        for _ in range(2):
            log.append("begun")
            with trio.CancelScope() as pausing:
                await trio.sleep(1 if len(log) == 1 else math.inf)
        await trio.sleep(1)
    return [log, trio.current_time() - began]


# Turns


@gives(["2", "1", "2", "1", "2", "1"][::-1])
async def tasks_take_turns() -> Any:
    log, is_there = [], trio.Event()

    async def speak(name: str) -> None:
        await is_there.wait()
        for _ in range(3):
            log.append(name)
            await trio.sleep(1)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(speak, "1")
        await trio.sleep(0.5)
        is_there.set()
        await trio.sleep(0.5)
        nursery.start_soon(speak, "2")
    return log


@gives(
    {
        "a checkpoint": True,
        "a pause of no time": True,
        "a pause until the past": True,
        "an event that is set": True,
        "a send with room": True,
        "a receive with a value": True,
        "the close of a channel": True,
        "a free lock": True,
        "a nursery without tasks": True,
        "a thread": True,
        "setting an event": False,
        "a send at once": False,
        "a receive at once": False,
        "a close at once": False,
        "a scope": False,
        "entering a nursery": False,
        "the release of a lock": False,
        "the beginning of a task": False,
    }
)
async def what_lets_others_run() -> Any:
    counter, found = Turns(), {}
    send, receive = trio.open_memory_channel[int](9)
    set_event, lock = trio.Event(), trio.Lock()
    set_event.set()

    async def nurse() -> None:
        async with trio.open_nursery():
            pass

    async def close() -> None:
        await trio.open_memory_channel[int](1)[0].aclose()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(counter.run)
        await turns()
        waits: dict[str, Callable[[], Awaitable[Any]]] = {
            "a checkpoint": trio.lowlevel.checkpoint,
            "a pause of no time": lambda: trio.sleep(0),
            "a pause until the past": lambda: trio.sleep_until(trio.current_time() - 1),
            "an event that is set": set_event.wait,
            "a send with room": lambda: send.send(1),
            "a receive with a value": receive.receive,
            "the close of a channel": close,
            "a free lock": lambda: trio.Lock().__aenter__(),
            "a nursery without tasks": nurse,
            "a thread": lambda: trio.to_thread.run_sync(int),
        }
        for name, act in waits.items():
            before = counter.number
            # Of two turns of one task the counter has one in between, in whatever order they run.
            await act()
            await act()
            found[name] = counter.number > before
        async with trio.open_nursery() as inner:
            send.send_nowait(1)
            async with lock:
                before = counter.number
            found["the release of a lock"] = counter.number > before
            before = counter.number
            trio.Event().set()
            found["setting an event"] = counter.number > before
            send.send_nowait(2)
            found["a send at once"] = counter.number > before
            receive.receive_nowait()
            found["a receive at once"] = counter.number > before
            trio.open_memory_channel[int](1)[0].close()
            found["a close at once"] = counter.number > before
            with trio.move_on_after(1):
                found["a scope"] = counter.number > before
            inner.start_soon(trio.lowlevel.checkpoint)
            found["the beginning of a task"] = counter.number > before
            async with trio.open_nursery():
                found["entering a nursery"] = counter.number > before
        nursery.cancel_scope.cancel()
    return found


@gives(True)
async def who_reads_a_full_channel_lets_others_run() -> Any:
    send, receive = trio.open_memory_channel[int](math.inf)
    counter = Turns()
    for number in range(20):
        send.send_nowait(number)
    send.close()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(counter.run)
        async for _ in receive:
            pass
        nursery.cancel_scope.cancel()
    return counter.number > 9


@gives([True, True])
async def who_is_woken_has_run_after_two_turns() -> Any:
    event, log = trio.Event(), list[str]()

    async def wait() -> None:
        await event.wait()
        log.append("ran")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        await turns()
        event.set()
        is_later = not log
        await turns(2)
        return [is_later, bool(log)]


# Nurseries


@gives([["KeyError"], ["cleaned"]])
async def a_task_that_fails_ends_the_others() -> Any:
    log = []

    async def wait() -> None:
        try:
            await trio.sleep_forever()
        finally:
            log.append("cleaned")

    async def fail() -> None:
        await turns()
        raise KeyError

    async def act() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(wait)
            nursery.start_soon(fail)
            await trio.sleep_forever()

    return [await raised_by(act), log]


@gives([["KeyError"], ["KeyError", "OSError"]])
async def the_error_of_a_block_is_in_a_group() -> Any:
    async def alone() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.sleep_forever)
            raise KeyError

    async def together() -> None:
        async def fail() -> None:
            try:
                await trio.sleep_forever()
            finally:
                raise OSError

        async with trio.open_nursery() as nursery:
            nursery.start_soon(fail)
            await turns()
            raise KeyError

    return [await raised_by(alone), await raised_by(together)]


@gives(["ExceptionGroup", "ExceptionGroup", "KeyError"])
async def groups_of_nested_nurseries_are_nested() -> Any:
    async def fail() -> None:
        raise KeyError

    try:
        async with trio.open_nursery(), trio.open_nursery() as inner:
            inner.start_soon(fail)
    except BaseException as error:  # noqa: BLE001 - what it is, is the question
        found = [type(error).__name__]
        while isinstance(error, BaseExceptionGroup):
            (error,) = error.exceptions
            found.append(type(error).__name__)
        return found


@gives([True, False, "quiet"])
async def the_cancellation_of_a_nursery_is_quiet() -> Any:
    async with trio.open_nursery() as busy:
        busy.start_soon(trio.sleep_forever)
        busy.cancel_scope.cancel()
    async with trio.open_nursery() as idle:
        idle.cancel_scope.cancel()
    return [busy.cancel_scope.cancelled_caught, idle.cancel_scope.cancelled_caught, "quiet"]


@gives([["goes on"], False])
async def whose_tasks_end_by_themselves_goes_on_although_it_is_cancelled() -> Any:
    log = []

    async def wait() -> None:
        with suppress(trio.Cancelled):
            await trio.sleep_forever()

    with trio.move_on_after(1) as scope:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(wait)
        log.append("goes on")
    return [log, scope.cancelled_caught]


@gives([[], True])
async def whose_task_is_cancelled_does_not_go_on() -> Any:
    log = list[str]()
    with trio.move_on_after(1) as scope:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.sleep_forever)
        log.append("goes on")
    return [log, scope.cancelled_caught]


@gives([["group", ["Cancelled", "Cancelled"]], ["block", ["Cancelled"]]])
async def a_cancellation_leaves_a_nursery_in_a_group() -> Any:
    found: list[Any] = []
    for has_task in (True, False):
        with trio.move_on_after(1):
            try:
                async with trio.open_nursery() as nursery:
                    if has_task:
                        nursery.start_soon(trio.sleep_forever)
                    await trio.sleep_forever()
            except trio.Cancelled:
                found.append("no group")
            except BaseExceptionGroup as group:
                found.append(["group" if has_task else "block", leaves(group)])
                raise
    return found


@gives(["KeyError", "ended", True, True])
async def a_nursery_of_the_table_raises_one_error() -> Any:
    async def fail() -> None:
        try:
            await trio.sleep_forever()
        finally:
            raise KeyError

    async def act() -> None:
        async with open_plain() as nursery:
            nursery.start_soon(fail)
            nursery.start_soon(trio.sleep_forever)
            await turns()
            nursery.cancel_scope.cancel()

    async def end() -> str:
        await trio.sleep(1)
        return "ended"

    with trio.move_on_after(1) as scope:
        async with open_plain() as nursery:
            nursery.start_soon(trio.sleep_forever)
            await trio.sleep_forever()
    with trio.move_on_after(1) as both:
        await beside(trio.sleep_forever, trio.sleep_forever())
    found = [await raised_by(act), await beside(trio.sleep_forever, end())]
    return [*found, scope.cancelled_caught, both.cancelled_caught]


@gives(["RuntimeError", ["first", "second"]])
async def a_nursery_takes_tasks_until_the_last_has_ended() -> Any:
    log = []

    async def first() -> None:
        await trio.sleep(1)
        log.append("first")
        nursery.start_soon(second)

    async def second() -> None:
        await trio.sleep(1)
        log.append("second")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(first)

    async def third() -> None:
        nursery.start_soon(second)

    return [await raised_by(third), log]


@gives([["begun", "cancelled", "shield over"], 1.0])
async def a_task_of_a_cancelled_nursery_runs_to_its_first_checkpoint() -> Any:
    log, ended = [], trio.Event()

    async def act() -> None:
        log.append("begun")
        try:
            await trio.sleep_forever()
        finally:
            log.append("cancelled")
            ended.set()

    began = trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.cancel_scope.cancel()
        with trio.CancelScope(shield=True):
            await trio.sleep(1)
            nursery.start_soon(act)
            await ended.wait()
            log.append("shield over")
    return [log, trio.current_time() - began]


@gives([2.0, True])
async def a_nursery_ends_at_its_deadline() -> Any:
    began = trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.cancel_scope.deadline = began + 2
        nursery.start_soon(trio.sleep_forever)
        await trio.sleep_forever()
    return [trio.current_time() - began, nursery.cancel_scope.cancelled_caught]


@gives(["not yet", [1, 2]])
async def a_task_begins_after_the_call_with_its_arguments() -> Any:
    found: list[Any] = []

    async def act(*args: int) -> None:
        found.append(list(args))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(act, 1, 2)
        found.append("not yet")
    return found


@gives([7, "KeyError", "RuntimeError", ["KeyError"], None])
async def a_task_tells_that_it_has_started() -> Any:
    async def act(how: str, task_status: trio.TaskStatus[int] = trio.TASK_STATUS_IGNORED) -> None:
        await turns()
        if how == "fails before":
            raise KeyError
        if how != "never tells":
            task_status.started(7)
        if how == "fails later":
            await turns()
            raise KeyError

    async def begun(how: str) -> Any:
        async with trio.open_nursery() as nursery:
            try:
                return await nursery.start(act, how)
            except KeyError:
                return "KeyError"
            except RuntimeError:
                return "RuntimeError"

    found = [await begun("tells"), await begun("fails before"), await begun("never tells")]
    return [*found, await raised_by(lambda: begun("fails later")), await act("by itself")]


@gives([["cleaned"], True, 3.0, "KeyError"])
async def who_is_cancelled_while_a_task_starts_waits_for_its_end() -> Any:
    log = []

    async def act(fails: bool, task_status: trio.TaskStatus[None]) -> None:
        try:
            await trio.sleep_forever()
        finally:
            with trio.CancelScope(shield=True):
                await trio.sleep(2)
            if fails:
                raise KeyError
            log.append("cleaned")

    async def begin() -> None:
        with trio.move_on_after(1):
            await nursery.start(act, True)

    began = trio.current_time()
    async with trio.open_nursery() as nursery:
        with trio.move_on_after(1) as scope:
            await nursery.start(act, False)
        seconds = trio.current_time() - began
        return [log, scope.cancelled_caught, seconds, await raised_by(begin)]


@gives([[1, 2], "closed"])
async def a_hub_closes_its_channel_when_it_is_cancelled() -> Any:
    send, receive = trio.open_memory_channel[int](5)

    async def hub(task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        async with send, trio.open_nursery() as nursery:
            nursery.start_soon(trio.sleep_forever)
            nursery.start_soon(send.send, 1)
            task_status.started()

    async with trio.open_nursery() as nursery:
        await nursery.start(hub)
        await turns()
        await send.send(2)
        nursery.cancel_scope.cancel()
    return [[value async for value in receive], "closed"]


@asynccontextmanager
async def _opened(log: list[str], is_plain: bool) -> AsyncIterator[int]:
    async with open_plain() if is_plain else trio.open_nursery() as nursery:
        nursery.start_soon(trio.sleep_forever)
        try:
            yield 7
        finally:
            log.append("closed")
            nursery.cancel_scope.cancel()


@gives([7, ["KeyError"], "KeyError", True, ["closed"] * 4])
async def a_nursery_in_a_context_manager() -> Any:
    log: list[str] = []

    async def failing(is_plain: bool) -> None:
        async with _opened(log, is_plain):
            await turns()
            raise KeyError

    async with _opened(log, False) as found:
        await turns()
    with trio.move_on_after(1) as scope:
        async with _opened(log, False):
            await trio.sleep_forever()
    errors = [await raised_by(lambda: failing(False)), await raised_by(lambda: failing(True))]
    return [found, *errors, scope.cancelled_caught, log]


@gives([True, "Cancelled"])
async def a_captured_cancellation_can_be_raised_again() -> Any:
    with trio.move_on_after(1) as scope:
        found = await outcome.acapture(trio.sleep_forever)
        match found:
            case outcome.Error(error=trio.Cancelled()):
                told = "Cancelled"
            case _:
                told = "another"
        found.unwrap()
    return [scope.cancelled_caught, told]


# Events, locks, and tasks that park


@gives([False, True, ["a", "b", "late"]])
async def an_event_wakes_all_who_wait() -> Any:
    event, log = trio.Event(), []

    async def wait(name: str) -> None:
        await event.wait()
        log.append(name)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait, "a")
        nursery.start_soon(wait, "b")
        await turns()
        before = event.is_set()
        event.set()
        event.set()
        await turns()
        await wait("late")
    return [before, event.is_set(), [*sorted(log[:2]), log[2]]]


@gives([1, 2, 3])
async def a_renewed_event_misses_nothing() -> Any:
    event, waiting, found = trio.Event(), list[int](), list[int]()

    async def put() -> None:
        for number in (1, 2, 3):
            waiting.append(number)
            event.set()
            await turns(number)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(put)
        while len(found) < 3:
            await event.wait()
            event = trio.Event()
            found += waiting
            waiting.clear()
    return found


@gives([True, True, 1, 0])
async def what_was_made_before_the_loop_works_in_it() -> Any:
    SCOPE.cancel()
    with SCOPE:
        await trio.sleep_forever()

    async def wait() -> None:
        await EVENT.wait()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        await turns()
        async with LOCK:
            EVENT.set()
    SEND.send_nowait(1)
    value = await RECEIVE.receive()
    left = RECEIVE.statistics().current_buffer_used
    return [SCOPE.cancelled_caught, EVENT.is_set(), value, left]


@gives([["a", "b"], ["late"]])
async def a_lot_wakes_who_is_parked() -> Any:
    lot, log = trio.lowlevel.ParkingLot(), list[str]()
    scope = trio.CancelScope()

    async def park(name: str) -> None:
        await lot.park()
        log.append(name)

    async def give_up() -> None:
        with scope:
            await park("cancelled")

    async with trio.open_nursery() as nursery:
        for name in "ab":
            nursery.start_soon(park, name)
        nursery.start_soon(give_up)
        await turns()
        scope.cancel()
        lot.unpark_all()
        nursery.start_soon(park, "late")
        await turns()
        first = sorted(log)
        log.clear()
        lot.unpark_all()
    return [first, log]


@gives([["a", "b", "c"], "RuntimeError", "free"])
async def a_lock_goes_to_who_has_waited_longest() -> Any:
    lock, log = trio.Lock(), []
    scope = trio.CancelScope()

    async def take(name: str) -> None:
        async with lock:
            log.append(name)
            await turns()

    async def give_up() -> None:
        with scope:
            await take("cancelled")

    async def fail() -> None:
        async with lock:
            raise KeyError

    async with trio.open_nursery() as nursery:
        async with lock:
            for task in ((take, "a"), (give_up,), (take, "b")):
                nursery.start_soon(*task)
                await turns()
            scope.cancel()
            again = await raised_by(lambda: take("again"))
        await take("c")
    await raised_by(fail)
    async with lock:
        return [log, again, "free"]


# Channels


@gives(["WouldBlock", 2, [1, 2], "EndOfChannel", "WouldBlock"])
async def a_channel_is_full_then_empty_then_at_its_end() -> Any:
    send, receive = trio.open_memory_channel[int](2)
    empty = await raised_by(_now(receive.receive_nowait))
    send.send_nowait(1)
    send.send_nowait(2)
    full = await raised_by(_now(send.send_nowait, 3))
    used = receive.statistics().current_buffer_used
    await send.aclose()
    values = [value async for value in receive]
    return [full, used, values, await raised_by(receive.receive), empty]


def _now(function: Callable[..., Any], *args: Any) -> Callable[[], Awaitable[Any]]:
    async def act() -> Any:
        return function(*args)

    return act


@gives(["WouldBlock", ["sent", 1, 2], 0])
async def a_channel_without_room_hands_over() -> Any:
    send, receive = trio.open_memory_channel[int](0)
    log: list[Any] = []

    async def give() -> None:
        await send.send(1)
        log.append("sent")

    async def take() -> None:
        log.append(await receive.receive())

    nobody = await raised_by(_now(send.send_nowait, 0))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(give)
        await turns()
        log.append(await receive.receive())
        await turns()
        log.sort(key=str, reverse=True)
        nursery.start_soon(take)
        await turns()
        send.send_nowait(2)
    return [nobody, log, receive.statistics().current_buffer_used]


@gives([[1, 2, 3, 4], ["1", "2", "3", "4"], [["a", 1], ["b", 2]]])
async def who_waits_longest_has_the_first_turn() -> Any:
    send, receive = trio.open_memory_channel[int](1)
    log, taken = list[str](), list[Any]()

    async def give(value: int) -> None:
        await send.send(value)
        log.append(str(value))

    async def take(name: str) -> None:
        taken.append([name, await receive.receive()])

    async with trio.open_nursery() as nursery:
        for value in (1, 2, 3, 4):
            nursery.start_soon(give, value)
            await turns()
        values = []
        for _ in range(4):
            values.append(await receive.receive())
            await turns()
        for name in "ab":
            nursery.start_soon(take, name)
            await turns()
        send.send_nowait(1)
        send.send_nowait(2)
    return [values, log, sorted(taken)]


@gives(["BrokenResourceError", "BrokenResourceError", "ClosedResourceError", 0])
async def nothing_is_sent_to_a_closed_end() -> Any:
    send, receive = trio.open_memory_channel[int](1)
    send.send_nowait(1)
    found: list[Any] = []

    async def give() -> None:
        found.append(await raised_by(lambda: send.send(2)))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(give)
        await turns()
        await receive.aclose()
        receive.close()
    found.append(await raised_by(lambda: send.send(3)))
    found.append(await raised_by(receive.receive))
    return [*found, receive.statistics().current_buffer_used]


@gives(["ClosedResourceError", "ClosedResourceError", [1], "ClosedResourceError"])
async def who_waits_at_an_end_that_is_closed_is_told() -> Any:
    send, receive = trio.open_memory_channel[int](1)
    send.send_nowait(1)
    found: list[Any] = []

    async def act(wait: Callable[[], Awaitable[Any]]) -> None:
        found.append(await raised_by(wait))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(act, lambda: send.send(2))
        await turns()
        send.close()
    found.append(await raised_by(_now(send.send_nowait, 3)))
    found.append([value async for value in receive])
    _open, other = trio.open_memory_channel[int](1)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(act, other.receive)
        await turns()
        other.close()
    return found


@gives(["EndOfChannel", [1]])
async def who_waits_for_a_value_is_told_of_the_end() -> Any:
    send, receive = trio.open_memory_channel[int](1)
    found: list[Any] = []

    async def take() -> None:
        found.append(await raised_by(receive.receive))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(take)
        await turns()
        with send:
            pass
    other, last = trio.open_memory_channel[int](1)
    async with other:
        await other.send(1)
    return [*found, [value async for value in last]]


@gives([[True, 5], [False, 6], [True, 1]])
async def a_cancelled_receive_loses_no_value() -> Any:
    found: list[Any] = []
    for is_given_first in (False, True):
        send, receive = trio.open_memory_channel[int](1)
        scope, got = trio.CancelScope(), list[int]()

        async def take(
            scope: trio.CancelScope = scope,
            got: list[int] = got,
            receive: trio.MemoryReceiveChannel[int] = receive,
        ) -> None:
            with scope:
                got.append(await receive.receive())

        async with trio.open_nursery() as nursery:
            nursery.start_soon(take)
            await turns()
            if is_given_first:
                send.send_nowait(6)
                scope.cancel()
            else:
                scope.cancel()
                send.send_nowait(5)
        found.append([scope.cancelled_caught, got[0] if got else receive.receive_nowait()])
    with trio.CancelScope() as scope:
        send.send_nowait(1)
        scope.cancel()
        await receive.receive()
    return [*found, [scope.cancelled_caught, receive.receive_nowait()]]


@gives([[1, False], ["sent", False]])
async def what_was_sent_or_received_is_not_cancelled_any_more() -> Any:
    send, receive = trio.open_memory_channel[int](1)
    send.send_nowait(1)
    found: list[Any] = []

    async def cancel(scope: trio.CancelScope) -> None:
        scope.cancel()

    for act in (receive.receive, lambda: send.send(2)):
        async with trio.open_nursery() as nursery:
            with trio.CancelScope() as scope:
                nursery.start_soon(cancel, scope)
                value = await act()
        found.append([value or "sent", scope.cancelled_caught])
    return found


@gives([True, "WouldBlock", True, 1])
async def a_cancelled_send_sends_nothing() -> Any:
    send, receive = trio.open_memory_channel[int](1)
    with trio.CancelScope() as early:
        early.cancel()
        await send.send(1)
    empty = await raised_by(_now(receive.receive_nowait))
    send.send_nowait(2)
    with trio.move_on_after(1) as late:
        await send.send(3)
    receive.receive_nowait()
    send.send_nowait(4)
    used = receive.statistics().current_buffer_used
    return [early.cancelled_caught, empty, late.cancelled_caught, used]


@gives([1, 0])
async def a_value_is_out_of_a_channel_before_its_reader_runs_on() -> Any:
    send, receive = trio.open_memory_channel[int](2)
    send.send_nowait(1)
    found = [receive.statistics().current_buffer_used]

    async def look() -> None:
        found.append(receive.statistics().current_buffer_used)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(look)
        await receive.receive()
    return found


@gives([True, "EndOfChannel"])
async def a_channel_is_closed_also_by_who_is_cancelled() -> Any:
    send, receive = trio.open_memory_channel[int](1)
    with trio.CancelScope() as scope:
        async with send:
            scope.cancel()
    return [scope.cancelled_caught, await raised_by(receive.receive)]


@gives([[], [1, 2], False])
async def a_box_is_emptied() -> Any:
    send, receive = trio.open_memory_channel[int](2)
    found: list[Any] = []
    for values in ((), (1, 2)):
        got = list[int]()
        for value in values:
            send.send_nowait(value)
        with suppress(trio.WouldBlock):
            while True:
                got.append(receive.receive_nowait())
        found.append(got)
    send.send_nowait(1)
    send.send_nowait(1)
    has_room = True
    try:
        send.send_nowait(1)
    except trio.WouldBlock:
        has_room = False
    return [*found, has_room]


@gives("ended")
async def a_rest_of_the_words_is_read_to_the_end() -> Any:
    send, receive = trio.open_memory_channel[int](2)
    send.close()
    with suppress(trio.EndOfChannel):
        return await receive.receive()
    return "ended"


# Time


@gives([1.5, 0.0, 2.0, ["a", "b", "c"]])
async def pauses_take_their_time() -> Any:
    found, log = list[Any](), list[str]()
    for act in (
        lambda: trio.sleep(1.5),
        lambda: trio.sleep_until(trio.current_time() - 3),
        lambda: trio.sleep_until(trio.current_time() + 2),
    ):
        began = trio.current_time()
        await act()
        found.append(trio.current_time() - began)

    async def say(seconds: float, name: str) -> None:
        await trio.sleep(seconds)
        log.append(name)

    async with trio.open_nursery() as nursery:
        for seconds, name in ((3, "c"), (1, "a"), (2, "b")):
            nursery.start_soon(say, seconds, name)
    return [*found, log]


@gives([True, True])
async def who_has_slept_until_a_time_finds_it_over() -> Any:
    found = []
    for seconds in (0.1, 1 / 3):
        due = trio.current_time() + seconds
        await trio.sleep_until(due)
        found.append(trio.current_time() >= due)
    return found


# Threads and streams


@gives([7, 3, "KeyError", [False, True]])
async def a_function_runs_in_a_thread() -> Any:
    called: list[bool] = []

    def fail() -> None:
        raise KeyError

    with trio.CancelScope() as scope:
        scope.cancel()
        await trio.to_thread.run_sync(called.append, True)
    found = [
        await trio.to_thread.run_sync(lambda: 7),
        await trio.to_thread.run_sync(max, 1, 3, abandon_on_cancel=True),
        await raised_by(lambda: trio.to_thread.run_sync(fail)),
    ]
    return [*found, [bool(called), scope.cancelled_caught]]


class Pipe(trio.abc.Stream):
    """A stream that waits when it is closed."""

    def __init__(self) -> None:
        self.log: list[str] = []

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        self.log.append("sent")

    async def wait_send_all_might_not_block(self) -> None:
        await trio.lowlevel.checkpoint()

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        return b""

    async def aclose(self) -> None:
        self.log.append("closing")
        try:
            await trio.sleep(5)
        finally:
            self.log.append("closed")


@gives([["closing", "closed"], 0.0, ["closing", "closed"], True, False])
async def a_stream_is_closed_by_force() -> Any:
    one, two, began = Pipe(), Pipe(), trio.current_time()
    await trio.aclose_forcefully(one)
    with trio.CancelScope() as scope:
        scope.cancel()
        with suppress(OSError), trio.CancelScope(shield=True):
            await trio.aclose_forcefully(two)
        await trio.lowlevel.checkpoint()
    is_tls = isinstance(one, trio.SSLStream)
    return [one.log, trio.current_time() - began, two.log, scope.cancelled_caught, is_tls]


@gives([["closing", "closed"], 5.0, "TypeError"])
async def a_stream_is_closed_by_its_block_and_has_all_methods() -> Any:
    class Half(trio.abc.ReceiveStream):
        async def aclose(self) -> None:
            pass

    stream, began = Pipe(), trio.current_time()
    async with stream:
        pass
    return [stream.log, trio.current_time() - began, await raised_by(_now(Half))]


@gives([True] * 8)
async def kinds_are_written_with_the_types_of_what_they_carry() -> Any:
    kinds: list[Any] = [
        trio.SSLStream[trio.abc.Stream],
        trio.MemorySendChannel[bytes],
        trio.MemoryReceiveChannel[bytes | str],
        trio.TaskStatus[None],
        trio.open_memory_channel[tuple[int, str]],
        trio.SocketStream | None,
        trio.Nursery | None,
        trio.CancelScope | trio.Event | trio.lowlevel.ParkingLot,
    ]
    return [kind is not None for kind in kinds]


@gives(["BaseExceptionGroup", "ExceptionGroup"])
async def a_group_of_errors_is_itself_an_error_without_a_cancellation() -> Any:
    found = []
    for seconds in (1.0, math.inf):
        with trio.move_on_after(seconds):
            try:
                async with trio.open_nursery() as nursery:
                    if seconds == math.inf:
                        raise KeyError
                    nursery.start_soon(trio.sleep_forever)
            except BaseExceptionGroup as group:
                found.append(type(group).__name__)
                if seconds == 1.0:
                    raise
    return found


@gives(["Exception"] * 5 + ["BaseException"])
async def the_kinds_of_errors() -> Any:
    kinds = (
        trio.BrokenResourceError,
        trio.ClosedResourceError,
        trio.EndOfChannel,
        trio.TooSlowError,
        trio.WouldBlock,
        trio.Cancelled,
    )
    bases = (OSError, LookupError, ValueError, RuntimeError, Exception, BaseException)
    return [next(base.__name__ for base in bases if issubclass(kind, base)) for kind in kinds]


# Parts of the program


class Page:
    """The socket of a page that takes some time for each text."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    async def send(self, text: str) -> None:
        await trio.sleep(1)
        self.texts.append(json.loads(text)["type"])

    async def receive(self) -> str:
        await trio.sleep_forever()

    async def close(self, code: int) -> None:
        await trio.lowlevel.checkpoint()


@gives([True, ["ask", "settled", "ask", "settled", "bye"], True, False, 5.0])
async def a_page_is_asked_and_told() -> Any:
    # Here, because the other contracts need none of the packages that these import.
    from cli.ui.web.outbox import Outbox
    from cli.ui.web.page_questions import PageQuestions
    from p2p_hoity.presentation.table_messages import AskForm
    from p2p_hoity.presentation.window_messages import Bye

    page, began = Page(), trio.current_time()
    outbox = Outbox(page, list)

    def send(found: Iterable[Any]) -> None:
        for message in found:
            outbox.put(message)

    questions = PageQuestions(send)

    async def answer() -> None:
        await trio.sleep(1)
        questions.reply(1, True)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(outbox.send_all)
        nursery.start_soon(answer)
        found = await questions.ask(AskForm.AGREE, "Sit down?")
        with trio.move_on_after(1) as scope:
            await questions.ask(AskForm.LEAVE, "Leave?")
        outbox.put(Bye(""))
        await outbox.is_empty.wait()
        nursery.cancel_scope.cancel()
    seconds, is_open = trio.current_time() - began, bool(list(questions.open()))
    return [found, page.texts, scope.cancelled_caught, is_open, seconds]


def main() -> None:
    """Print what each contract gives."""
    found = {}
    for name, (contract, _) in CONTRACTS.items():
        try:
            found[name] = stand_in.run(lambda contract=contract: result_of(contract))
        except Exception as error:  # noqa: BLE001 - it is the result
            found[name] = f"raises {error!r}"
    print(json.dumps(found))


if __name__ == "__main__":
    main()
