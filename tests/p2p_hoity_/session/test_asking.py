"""Who was declared absent: asked to come back, unless it has only just sat down."""

from __future__ import annotations

from typing import Any, cast

import trio
import trio.testing

from p2p_hoity.session.asking import FRESH, Asking
from p2p_hoity.session.player import BotPlayer


class Absentee(BotPlayer):
    """A player who comes back when `key` is struck."""

    def __init__(self) -> None:
        super().__init__()
        self.key = trio.Event()

    async def returning(self) -> None:
        """Not before the key."""
        await self.key.wait()


async def _back_after(seconds: float) -> tuple[bool, bool]:
    """Whether one who is declared absent so long after sitting down is back without a key, and
    with it."""
    player = Absentee()
    nothing = cast(Any, None)
    async with trio.open_nursery() as nursery:
        asking = Asking(nothing, player, nothing, nothing, trio.current_time, nothing, nursery)
        await trio.sleep(seconds)
        back = trio.Event()

        async def come_back() -> None:
            await asking.returning(player)
            back.set()

        nursery.start_soon(come_back)
        await trio.testing.wait_all_tasks_blocked()
        at_once = back.is_set()
        player.key.set()
        await trio.testing.wait_all_tasks_blocked()
        return at_once, back.is_set()


async def test_who_has_just_taken_its_seat_is_back_without_being_asked(
    autojump_clock: Any,
) -> None:
    assert await _back_after(FRESH - 1) == (True, True)


async def test_who_was_absent_while_at_the_table_says_when_it_is_back(autojump_clock: Any) -> None:
    assert await _back_after(FRESH) == (False, True)
