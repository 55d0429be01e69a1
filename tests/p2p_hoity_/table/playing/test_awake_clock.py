"""Tests of the clock that leaves out the sleep of the computer."""

from p2p_hoity.table.playing.awake_clock import AwakeClock


def test_only_what_nobody_looked_at_is_left_out() -> None:
    clock = AwakeClock()
    looks = [10.0, 10.5, 12.5, 3612.5, 3613.0, 3613.0]
    assert [clock.time(look) for look in looks] == [10.0, 10.5, 12.5, 14.5, 15.0, 15.0]
