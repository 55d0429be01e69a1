"""Cancel scopes and checkpoints: what is cancelled, where, and which scope catches it.

anyio interrupts what a cancelled task waits for. A scope keeps its own deadline, though. The timers
of a page come a little early. anyio then sets another one for the rest, and if the rest is over
meanwhile, the loop of a page raises an error and the deadline is lost.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator
from contextvars import ContextVar
from types import TracebackType

import anyio
import anyio.lowlevel

from ._errors import Cancelled


class CancelScope:
    """A block that can be cancelled, by a call or at a deadline.

    Attributes:
        cancelled_caught: Whether the block was ended by its cancellation.
        _waits: The scope of anyio around the block. None before the block.
    """

    def __init__(self, *, deadline: float = math.inf, shield: bool = False) -> None:
        """Prepare a block, also where no loop runs.

        Args:
            shield: Whether the scopes around this one cannot cancel the block.
        """
        self._deadline, self._shield = deadline, shield
        self._parent: CancelScope | None = None
        self._waits: anyio.CancelScope | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._is_cancelled = self._is_over = False
        self.cancelled_caught = False

    def __enter__(self) -> CancelScope:
        if self._waits is not None:
            raise RuntimeError("a CancelScope is for a single `with` block")
        self._waits = anyio.CancelScope(shield=self._shield)
        self._parent = innermost.get()
        innermost.set(self)
        self._waits.__enter__()
        if self._is_cancelled:
            self._waits.cancel()
        else:
            self._look()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        self._is_over = True
        self._stop()
        innermost.set(self._parent)
        if self._waits is not None:
            # Without the error: by anyio a group of errors may be caught whole.
            self._waits.__exit__(None, None, None)
        is_for_outer = not self._shield and is_cancelled()
        if error is None or not self._is_cancelled or is_for_outer:
            return False
        if isinstance(error, BaseExceptionGroup):
            caught, rest = error.split(Cancelled)
            self.cancelled_caught = caught is not None
            if caught is not None and rest is not None:
                raise rest from rest.__cause__
            return rest is None
        self.cancelled_caught = isinstance(error, Cancelled)
        return self.cancelled_caught

    def cancel(self) -> None:
        """Cancel the block, or its beginning if it is not entered yet."""
        if not self._is_cancelled:
            self._is_cancelled = True
            self._stop()
            if self._waits is not None:
                self._waits.cancel()

    @property
    def cancel_called(self) -> bool:
        """Whether the block was cancelled, or its time is over."""
        if not self._is_over and self._deadline < math.inf and self._deadline <= current_time():
            self.cancel()
        return self._is_cancelled

    @property
    def deadline(self) -> float:
        """The time at which the block is cancelled."""
        return self._deadline

    @deadline.setter
    def deadline(self, deadline: float) -> None:
        self._deadline = deadline
        if self._waits is not None:
            self._set_timer()

    def _look(self) -> None:
        """Cancel the block if its time is over, else look again later: timers may come early."""
        if self._deadline <= current_time():
            self.cancel()
        else:
            self._set_timer()

    def _set_timer(self) -> None:
        self._stop()
        if not (self._is_cancelled or self._is_over) and self._deadline < math.inf:
            left = max(0.0, self._deadline - current_time())
            self._timer = asyncio.get_running_loop().call_later(left, self._look)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _seen(self) -> Iterator[CancelScope]:
        """Yield this scope and those around it that can cancel the block, from the inside out."""
        scope: CancelScope | None = self
        while scope is not None:
            yield scope
            scope = None if scope._shield else scope._parent

    @property
    def _own_deadline(self) -> float:
        """The deadline, −∞ if the block was cancelled."""
        return -math.inf if self._is_cancelled else self._deadline


innermost: ContextVar[CancelScope | None] = ContextVar("innermost", default=None)
"""The scope in which a task is. None outside of all."""


def current_time() -> float:
    """Return the time of the loop, which never goes back, in seconds."""
    return asyncio.get_running_loop().time()


def current_effective_deadline() -> float:
    """Return when the running task is cancelled: ∞ for never, −∞ if it is."""
    scope = innermost.get()
    if scope is None:
        return math.inf
    return min(one._own_deadline for one in scope._seen())


def is_cancelled() -> bool:
    """Return whether the running task is cancelled. A deadline counts once the loop has seen it."""
    return current_effective_deadline() == -math.inf


async def let_others_run() -> None:
    """Give all other tasks a turn. This is not cancelled."""
    await anyio.lowlevel.cancel_shielded_checkpoint()


async def checkpoint() -> None:
    """Give all other tasks a turn.

    Raises:
        Cancelled: If the task is cancelled, also meanwhile.
    """
    await let_others_run()
    # What is due may be called a turn later than the tasks.
    while current_effective_deadline() <= current_time():
        if is_cancelled():
            raise Cancelled
        await let_others_run()


async def checkpoint_if_cancelled() -> None:
    """Do nothing unless the task is cancelled.

    Raises:
        Cancelled: If it is, after all other tasks have had a turn.
    """
    if is_cancelled():
        await let_others_run()
        raise Cancelled
