"""A computer that sleeps while people think: clock up, no seat holds the sleep against another."""

from pathlib import Path

import trio
from support.player_table import USUAL, PlayerTable, past_round
from support.sampling import AWAY
from trio.testing import MockClock

from p2p_hoity.presentation import screen_updates as updates

pytestmark = AWAY


def sleep_an_hour() -> None:
    clock = trio.lowlevel.current_clock()
    assert isinstance(clock, MockClock)
    clock.jump(3600.0)


async def test_all_seats_of_a_computer_that_slept_an_hour_are_still_there(tmp_path: Path) -> None:
    table = PlayerTable(tmp_path, 3, USUAL, thinking=2.0, parted=True)

    async def sleep() -> None:
        for number in (2, 3):
            await table.wait_for(1, past_round(number))
            await table.wait_for(1, lambda update: isinstance(update, updates.Choosing))
            sleep_an_hour()

    await table.play({}, sleep)
    (report,) = table.judge()
    assert trio.current_time() > 7200
    assert report.epochs == 0
    assert not table.heard(updates.SeatsTimedOut)
    assert [guest.absences for guest in table.guests] == [(0, 0)] * 3


async def test_a_computer_that_slept_in_the_deal_blames_nobody(tmp_path: Path) -> None:
    """It falls asleep while messages are on their way, which are read after it has woken up."""
    table = PlayerTable(tmp_path, 3, USUAL, thinking=0.0, parted=True)
    slept: list[str] = []

    def fall_asleep(update: updates.Update) -> None:
        if isinstance(update, updates.ChainGrew) and not slept:
            slept.append(str(update.after.want.kind))
            table.partition.part((1,), (0, 2))
            sleep_an_hour()

    async def wake() -> None:
        while not slept:
            await trio.sleep(0.01)
        await trio.sleep(4)
        table.partition.heal()

    table.guests[1].listener = fall_asleep
    await table.play({}, wake)
    table.judge()
    assert slept == ["key.reveal"]
    assert not table.heard(updates.Ended)
