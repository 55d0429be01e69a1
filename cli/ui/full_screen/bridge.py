"""The bridge from Textual's loop into trio: what the screen says is done and heard there."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Generic, TypeVar

import trio

T = TypeVar("T")


class Box(Generic[T]):
    """What comes from the screen, in its order."""

    def __init__(self) -> None:
        self._send, self._receive = trio.open_memory_channel[T](64)

    def put(self, value: T) -> None:
        """Put it in; what nobody takes is left out."""
        with contextlib.suppress(trio.WouldBlock):
            self._send.send_nowait(value)

    def empty(self) -> None:
        """Forget what came before."""
        with contextlib.suppress(trio.WouldBlock):
            while True:
                self._receive.receive_nowait()

    async def get(self) -> T:
        """The next one."""
        return await self._receive.receive()


class Bridge:
    """Leads into one run of trio, once that has begun."""

    def __init__(self) -> None:
        self._token: trio.lowlevel.TrioToken | None = None

    def open(self) -> None:
        """Lead into the run that calls this."""
        self._token = trio.lowlevel.current_trio_token()

    def do(self, act: Callable[[], object]) -> None:
        """Do something in trio; nothing before it has begun, or behind its end."""
        if self._token is not None:
            with contextlib.suppress(trio.RunFinishedError):
                self._token.run_sync_soon(act)
