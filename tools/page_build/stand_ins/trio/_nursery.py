"""Nurseries: tasks that end with a block.

anyio begins the tasks. Their errors are gathered here, because anyio leaves cancellations out.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from types import TracebackType
from typing import Any, Generic, TypeVar

import anyio

from ._errors import Cancelled
from ._scopes import CancelScope, innermost, let_others_run
from ._turns import Event, ParkingLot

T = TypeVar("T")


class TaskStatus(Generic[T]):
    """What a task tells who has begun it by `Nursery.start`. This one tells nobody."""

    def started(self, value: T | None = None) -> None:
        """Tell that the task has started, with a value for the caller of `start`."""


TASK_STATUS_IGNORED: TaskStatus[Any] = TaskStatus()


class _Starting(TaskStatus[T]):
    """Tells the caller of `start`.

    Attributes:
        scope: The scope of the task.
        told: Set when the task has started, or ended before.
        ended: Set when the task has ended.
        error: What it has raised before it had started.
    """

    def __init__(self) -> None:
        self.scope, self.told, self.ended = CancelScope(), Event(), Event()
        self.is_started = False
        self.value: T | None = None
        self.error: BaseException | None = None

    def started(self, value: T | None = None) -> None:
        self.is_started, self.value = True, value
        self.told.set()


class Nursery:
    """Tasks that end with an `async with` block. If one fails, all are cancelled.

    Attributes:
        cancel_scope: The scope of the block and of all tasks.
    """

    def __init__(self) -> None:
        self.cancel_scope = CancelScope()
        self._errors: list[BaseException] = []
        self._running = 0
        self._is_ending = self._is_closed = False
        self._closed = ParkingLot()

    async def __aenter__(self) -> Nursery:
        self.cancel_scope.__enter__()
        self._group = anyio.create_task_group()
        await self._group.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if error is not None:
            self._fail(error)
        self._is_ending = True
        self._close_if_empty()
        if self._is_closed:
            await let_others_run()
        else:
            # Shielded: the tasks are cancelled, and nobody stops waiting for them.
            with CancelScope(shield=True):
                await self._closed.park()
        # It has no tasks any more, but anyio hears of the end of a task a turn later.
        with suppress(Cancelled):
            await self._group.__aexit__(None, None, None)
        errors = self._errors
        group = BaseExceptionGroup("errors of a nursery", errors) if errors else None
        if self.cancel_scope.__exit__(None if group is None else type(group), group, None):
            return True
        if group is not None:
            raise group from None
        return False

    def start_soon(self, function: Callable[..., Awaitable[object]], *args: Any) -> None:
        """Begin a task, which runs at the next checkpoint of this one.

        Raises:
            RuntimeError: If the block and all tasks have ended.
        """
        if self._is_closed:
            raise RuntimeError("this nursery is closed")
        self._group.start_soon(self._run, function, *args)
        self._running += 1

    async def start(self, function: Callable[..., Awaitable[object]], *args: Any) -> Any:
        """Begin a task, and return the value with which it tells that it has started.

        Until then its errors are raised here, and who cancels this cancels the task.
        """
        status = _Starting[Any]()
        self.start_soon(self._run_starting, status, function, *args)
        try:
            await status.told.wait()
        except Cancelled:
            status.scope.cancel()
            with CancelScope(shield=True):
                await status.ended.wait()
            if status.error is None:
                raise
        if status.error is not None:
            raise status.error
        if not status.is_started:
            raise RuntimeError("the task has ended without telling that it had started")
        return status.value

    async def _run(self, function: Callable[..., Awaitable[object]], *args: Any) -> None:
        """Run a task of this nursery."""
        innermost.set(self.cancel_scope)
        try:
            await function(*args)
        except BaseException as error:  # noqa: BLE001 - the nursery raises what it is
            self._fail(error)
        finally:
            self._running -= 1
            self._close_if_empty()

    async def _run_starting(
        self, status: _Starting[Any], function: Callable[..., Awaitable[object]], *args: Any
    ) -> None:
        """Run a task that is to tell when it has started."""
        try:
            with status.scope:
                await function(*args, task_status=status)
        except BaseException as error:
            if status.is_started:
                raise
            status.error = error
        finally:
            status.told.set()
            status.ended.set()

    def _fail(self, error: BaseException) -> None:
        self._errors.append(error)
        self.cancel_scope.cancel()

    def _close_if_empty(self) -> None:
        if self._is_ending and not self._running:
            self._is_closed = True
            self._closed.unpark_all()


def open_nursery() -> Nursery:
    """Return a nursery for an `async with` block."""
    return Nursery()
