"""A player wishes as before until it has to go."""

from typing import Any

import trio

from cli.ui.going import Going
from p2p_hoity.table.playing.player_interface import BotPlayer
from p2p_hoity.table.playing.player_requests import LeaveForNow, PlayerRequest, WaitLonger


class Wishful(BotPlayer):
    """A bot whose player wishes what it is told."""

    def __init__(self) -> None:
        super().__init__()
        self.tell, self.told = trio.open_memory_channel[PlayerRequest](1)

    async def next_request(self) -> PlayerRequest:
        return await self.told.receive()


async def test_a_player_wishes_as_before_until_it_goes(autojump_clock: Any) -> None:
    player, going = Wishful(), trio.Event()
    both, wishes = Going(player, going), list[PlayerRequest]()
    await player.tell.send(WaitLonger())
    assert await both.next_request() == WaitLonger()

    async def hear() -> None:
        wishes.append(await both.next_request())

    async with trio.open_nursery() as nursery:
        nursery.start_soon(hear)
        await trio.sleep(60)
        assert wishes == []
        going.set()
    assert wishes == [LeaveForNow()]
    player.tell.send_nowait(WaitLonger())  # a request that waits is not lost
    assert await player.next_request() == WaitLonger()
    assert await both.next_request() == LeaveForNow()
    assert await both.again() is True
