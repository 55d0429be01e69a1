"""Tests of the clock that leaves out the sleep of the computer."""

import pytest
import trio
from trio.testing import MockClock

from p2p_hoity.table.playing.awake_clock import GAP, AwakeClock


def test_only_what_nobody_looked_at_is_left_out() -> None:
    clock = AwakeClock()
    looks = [10.0, 10.5, 12.5, 3612.5, 3613.0, 3613.0]
    assert [clock.time(look) for look in looks] == [10.0, 10.5, 12.5, 14.5, 15.0, 15.0]


async def test_time_in_which_nobody_looks_counts_no_more_than_the_gap(
    autojump_clock: MockClock,
) -> None:
    clock = AwakeClock()
    began = clock.now()
    for _ in range(10):
        await trio.sleep(GAP)
        clock.now()
    assert clock.now() - began == pytest.approx(10 * GAP)
    assert clock.slept == 0
    await trio.sleep(3600)
    assert clock.now() - began == pytest.approx(11 * GAP)
    assert clock.slept == pytest.approx(3600 - GAP)
