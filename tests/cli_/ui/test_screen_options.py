"""What waits for a player or the node is bounded, and comes in its order."""

import trio
from support.at_prompt import is_in_vain, prompt_window

from cli.ui.screen_options import MOST_REQUESTS, ScreenOptions
from p2p_hoity.table.playing.player_interface import WaitLonger


async def test_too_many_wishes_are_forgotten(autojump_clock: trio.testing.MockClock) -> None:
    seat = prompt_window(ScreenOptions([].append)).seat
    for number in range(MOST_REQUESTS + 5):
        assert seat.request(WaitLonger()) is (number < MOST_REQUESTS)
    for _ in range(MOST_REQUESTS):
        await seat.next_request()
    assert await is_in_vain(seat.next_request)
