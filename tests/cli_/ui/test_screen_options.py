"""What waits for a player or the node is bounded, and comes in its order."""

import os

import pytest
import trio
import trio.testing
from support.at_prompt import is_in_vain, prompt_window

from cli import printing
from cli.ui.screen_options import (
    MOST_REQUESTS,
    MOST_WAITING,
    Box,
    ScreenOptions,
    uses_full_screen,
)
from p2p_hoity.table.playing.player_requests import WaitLonger


@pytest.mark.parametrize(
    ("size", "plain", "full"),
    [((79, 24), False, False), ((80, 24), False, True), ((60, 20), True, False)],
)
def test_a_terminal_that_is_too_small_is_told_so_unless_lines_are_wanted(
    size: tuple[int, int],
    plain: bool,
    full: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(printing, "_can_be_full", lambda plain: not plain)
    monkeypatch.setattr(printing, "terminal_size", lambda: os.terminal_size(size))
    assert uses_full_screen(plain) is full
    said = capsys.readouterr().out
    assert ("79 × 24 cells" in said) is (not plain and not full)
    assert said.count("\n") == ("80 × 24" in said)


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
