"""What waits for a player or the node is bounded, and comes in its order."""

import trio
import trio.testing
from support.at_prompt import is_in_vain, prompt_window

from cli.ui.screen_options import MOST_REQUESTS, MOST_WAITING, Box, ScreenOptions
from p2p_hoity.table.playing.player_interface import WaitLonger


async def test_too_many_wishes_are_forgotten(autojump_clock: trio.testing.MockClock) -> None:
    seat = prompt_window(ScreenOptions([].append)).seat
    for number in range(MOST_REQUESTS + 5):
        assert seat.request(WaitLonger()) is (number < MOST_REQUESTS)
    for _ in range(MOST_REQUESTS):
        await seat.next_request()
    assert await is_in_vain(seat.next_request)


async def test_a_box_holds_what_it_has_room_for_in_its_order() -> None:
    box = Box[int](2)
    assert [box.put(number) for number in range(3)] == [True, True, False]
    assert await box.next() == 0
    assert box.put(3)
    assert [await box.next(), await box.next()] == [1, 3]


async def test_an_emptied_box_has_room_and_nothing_to_give(
    autojump_clock: trio.testing.MockClock,
) -> None:
    box = Box[int]()
    assert all(box.put(number) for number in range(MOST_WAITING))
    assert not box.put(0)
    box.empty()
    assert await is_in_vain(box.next)
    assert box.put(7)
    assert await box.next() == 7
