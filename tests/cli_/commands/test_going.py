"""Leaving from outside of the screen: the event, the first Ctrl-C, and what stays ignored."""

from __future__ import annotations

import os
import signal
from typing import Any

import trio
import trio.testing

from cli.commands.going import Going, interrupted
from p2p_hoity.session.player import BotPlayer, LeaveForNow, WaitLonger, Wish


class Wishful(BotPlayer):
    """A bot whose player wishes what it is told."""

    def __init__(self) -> None:
        super().__init__()
        self.tell, self.told = trio.open_memory_channel[Wish](1)

    async def wish(self) -> Wish:
        return await self.told.receive()


async def test_a_player_wishes_as_before_until_it_goes(autojump_clock: Any) -> None:
    player, going = Wishful(), trio.Event()
    both = Going(player, going)
    await player.tell.send(WaitLonger())
    assert await both.wish() == WaitLonger()
    with trio.move_on_after(60) as scope:
        await both.wish()
    assert scope.cancelled_caught
    going.set()
    assert await both.wish() == LeaveForNow()
    assert await both.again() is True


async def test_a_wish_that_waits_is_not_lost_when_it_goes(autojump_clock: Any) -> None:
    player, going = Wishful(), trio.Event()
    both, wishes = Going(player, going), list[Wish]()

    async def hear() -> None:
        wishes.append(await both.wish())

    async with trio.open_nursery() as nursery:
        nursery.start_soon(hear)
        await trio.testing.wait_all_tasks_blocked()
        going.set()
    assert wishes == [LeaveForNow()]
    player.tell.send_nowait(WaitLonger())
    assert await player.wish() == WaitLonger()


async def test_the_first_interrupt_leaves_and_the_next_is_the_systems() -> None:
    reasons: list[str] = []
    before = signal.getsignal(signal.SIGINT)
    async with trio.open_nursery() as nursery:
        await nursery.start(interrupted, reasons.append)
        assert signal.getsignal(signal.SIGINT) is not before
        os.kill(os.getpid(), signal.SIGINT)
        while not reasons:
            await trio.sleep(0)
    assert reasons == ["Interrupted"]
    assert signal.getsignal(signal.SIGINT) is before


async def test_where_interrupts_are_ignored_they_stay_so() -> None:
    reasons: list[str] = []
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        async with trio.open_nursery() as nursery:
            await nursery.start(interrupted, reasons.append)
            os.kill(os.getpid(), signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)
    assert reasons == []
