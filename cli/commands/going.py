"""Leaving a running table: at Ctrl-C, or at a signal that ends the program."""

from __future__ import annotations

import math
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

import trio

from p2p_hoity import rules
from p2p_hoity.session.player import LeaveForNow, Player, Wish
from protocol.bounds import Seconds

from ..words.lingo import _

ENDING: Final = (signal.SIGINT, signal.SIGTERM)
"""Ctrl-C, and being ended by the system."""
LATEST: Final[Seconds] = 6
"""Seconds after which a process without its terminal is ended by the system."""


class Going:
    """A player who leaves for now once `going` is set, whatever its screen wishes."""

    def __init__(self, player: Player, going: trio.Event) -> None:
        self._player, self._going = player, going

    async def choose(self, view: rules.View, kind: rules.Kind, again: bool) -> rules.Choice:
        """As the player does."""
        return await self._player.choose(view, kind, again)

    async def returning(self) -> None:
        """As the player does."""
        await self._player.returning()

    async def again(self) -> bool:
        """As the player does."""
        return await self._player.again()

    async def wish(self) -> Wish:
        """What the player wishes, or to leave."""
        wish: Wish = LeaveForNow()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._until_it_goes, nursery.cancel_scope)
            wish = await self._player.wish()
            nursery.cancel_scope.cancel()
        return wish

    async def _until_it_goes(self, scope: trio.CancelScope) -> None:
        await self._going.wait()
        scope.cancel()


async def interrupted(
    leave: Callable[[str], None],
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Leave at the first Ctrl-C, or when the system ends the program or its terminal is closed; the
    second time ends the program as ever. What the system has ignored, as by nohup, stays ignored.

    A full screen that was killed without this would leave the terminal unusable.
    """
    wanted = [one for one in ENDING if signal.getsignal(one) is not signal.SIG_IGN]
    if not wanted:
        task_status.started()
        return
    with trio.open_signal_receiver(*wanted) as signals, _hangup_is(wanted[0]):
        task_status.started()
        async for _number in signals:
            break
    leave(_("Interrupted"))


@contextmanager
def _hangup_is(number: int) -> Iterator[None]:
    """Inside, a terminal that is closed counts as this signal. Writing there would fail, or hold up
    this very loop: so what is written is thrown away at once, and the system ends this process if
    it has not gone by itself.
    """
    name = getattr(signal, "SIGHUP", None)
    if name is None or signal.getsignal(name) is signal.SIG_IGN:
        yield
        return
    streams = [stream for stream in (0, 1, 2) if os.isatty(stream)]

    def gone(_number: int, _frame: FrameType | None) -> None:
        null = os.open(os.devnull, os.O_RDWR)
        for stream in streams:
            os.dup2(null, stream)
        os.close(null)
        signal.alarm(math.ceil(LATEST))
        signal.raise_signal(number)

    before = signal.signal(name, gone)
    try:
        yield
    finally:
        signal.signal(name, before)
