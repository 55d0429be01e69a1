"""A computer that sleeps while people think: clock up, no seat holds the sleep against another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import trio
from p2p_hoity_.tables.test_tables import past_round
from support.partitioned_network import USUAL, Absence, PartitionedClub

from p2p_hoity.session import updates
from p2p_hoity.session.awake_clock import AwakeClock


async def test_all_seats_of_a_computer_that_slept_an_hour_are_still_there(
    tmp_path: Path, autojump_clock: Any
) -> None:
    club = PartitionedClub(tmp_path, 3, USUAL, thinking=2.0)

    async def sleep() -> None:
        for number in (2, 3):
            await club.wait_for(1, past_round(number))
            await club.wait_for(1, lambda update: isinstance(update, updates.Choosing))
            autojump_clock.jump(3600.0)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(sleep)
        nursery.start_soon(club.play)
    (report,) = club.judge()
    assert trio.current_time() > 7200
    assert report.epochs == 0
    assert not any(guest.heard(updates.Late) for guest in club.guests)
    assert [Absence.of(guest) for guest in club.guests] == [Absence()] * 3


async def test_a_computer_that_slept_in_the_deal_blames_nobody(
    tmp_path: Path, autojump_clock: Any
) -> None:
    """It falls asleep while messages are on their way, which are read after it has woken up."""
    club = PartitionedClub(tmp_path, 3, USUAL, thinking=0.0)
    slept: list[str] = []

    def fall_asleep(update: updates.Update) -> bool:
        if isinstance(update, updates.Stepped) and not slept:
            slept.append(str(update.after.want.kind))
            club.partition.part((1,), (0, 2))
            autojump_clock.jump(3600.0)
        return False

    async def wake() -> None:
        while not slept:
            await trio.sleep(0.01)
        await trio.sleep(4)
        club.partition.heal()

    club.guests[1].cut = fall_asleep, trio.CancelScope()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(wake)
        nursery.start_soon(club.play)
    club.judge()
    assert slept == ["key.reveal"]
    assert not any(guest.heard(updates.Ended) for guest in club.guests)


def test_only_what_nobody_looked_at_is_left_out() -> None:
    clock = AwakeClock()
    looks = [10.0, 10.5, 12.5, 3612.5, 3613.0, 3613.0]
    assert [clock.time(look) for look in looks] == [10.0, 10.5, 12.5, 14.5, 15.0, 15.0]
