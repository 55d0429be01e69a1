"""Leaving a running table: from the keyboard's interrupt, or from whatever ends the input."""

from __future__ import annotations

import signal
from collections.abc import Callable

import trio

from p2p_hoity import rules
from p2p_hoity.session.player import LeaveForNow, Player, Wish

from ..words.lingo import _


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
    """Leave at the first Ctrl-C; the second one ends the program as ever. Where the system has it
    ignored, it stays ignored.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        task_status.started()
        return
    with trio.open_signal_receiver(signal.SIGINT) as signals:
        task_status.started()
        async for _number in signals:
            break
    leave(_("Interrupted"))
