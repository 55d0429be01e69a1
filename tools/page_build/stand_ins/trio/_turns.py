"""Tasks that wait for another one: events, locks, and what they are made of."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Any, Generic, TypeVar

from ._scopes import checkpoint, checkpoint_if_cancelled, let_others_run

T = TypeVar("T")
Turn = asyncio.Future[Any]


class Turns(Generic[T]):
    """The tasks that wait, in the order in which they came, each with a value."""

    def __init__(self) -> None:
        self._waiting: dict[Turn, T] = {}

    async def wait(self, value: T) -> Any:
        """Wait until somebody takes the turn of this task and sets its result, and return that."""
        await checkpoint_if_cancelled()
        turn: Turn = asyncio.get_running_loop().create_future()
        self._waiting[turn] = value
        try:
            return await turn
        finally:
            self._waiting.pop(turn, None)

    def take(self) -> tuple[Turn, T] | None:
        """Take the first turn, with the value of its task. None if nobody waits."""
        while self._waiting:
            turn = next(iter(self._waiting))
            value = self._waiting.pop(turn)
            # A task that is being cancelled waits no more, although it has not run since.
            if not turn.done():
                return turn, value
        return None

    def end(self, error: type[Exception]) -> None:
        """Raise an error in all tasks that wait."""
        while (found := self.take()) is not None:
            found[0].set_exception(error())


class ParkingLot:
    """Tasks that wait until all are woken together."""

    def __init__(self) -> None:
        self._turns = Turns[None]()

    async def park(self) -> None:
        """Wait until woken."""
        await self._turns.wait(None)

    def unpark_all(self) -> None:
        """Wake all tasks that wait now."""
        while (found := self._turns.take()) is not None:
            found[0].set_result(None)


class Event:
    """Something that happens once."""

    def __init__(self) -> None:
        self._is_set, self._lot = False, ParkingLot()

    def is_set(self) -> bool:
        """Return whether it has happened."""
        return self._is_set

    def set(self) -> None:
        """Let it happen, also outside of any task."""
        self._is_set = True
        self._lot.unpark_all()

    async def wait(self) -> None:
        """Wait until it happens. Others have a turn also if it has."""
        if self._is_set:
            await checkpoint()
        else:
            await self._lot.park()


class Lock:
    """A lock that one task has at a time, for `async with`. It goes to who has waited longest."""

    def __init__(self) -> None:
        self._owner: object = None
        self._turns = Turns[None]()

    async def __aenter__(self) -> None:
        await checkpoint_if_cancelled()
        task = asyncio.current_task()
        if self._owner is task:
            raise RuntimeError("this task has the lock already")
        if self._owner is None:
            self._owner = task
            await let_others_run()
        else:
            await self._turns.wait(None)
            self._owner = task

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # It is handed over: in between it is nobody's, and not free.
        self._owner = found = self._turns.take()
        if found is not None:
            found[0].set_result(None)
