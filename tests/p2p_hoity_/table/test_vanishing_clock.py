"""Clocks that jump and processes that are stopped: nobody is harmed by the time of one machine."""

import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.inspection import inspect
from support.machine_table import MachineTable, make_table, toy_choice
from support.player_table import PlayerTable
from support.sim.cheap import cheap_blocks
from support.toy_game import ToyGame

from p2p_hoity.presentation import screen_updates as updates

DAY = 86_400.0
HOUR = 3600.0


async def test_jumping_clocks_do_no_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    honest, die, looks = time.time, random.Random(1), []

    def jumping() -> float:
        looks.append(die.choice((-1, 1)) * DAY)
        return honest() + looks[-1]

    monkeypatch.setattr(time, "time", jumping)
    table = PlayerTable(tmp_path, 3, thinking=1.0, parted=True)
    await table.play()
    (report,) = table.judge()
    assert looks
    assert report.epochs == 0
    assert not table.heard(updates.SeatsTimedOut)
    assert [guest.absences for guest in table.guests] == [(0, 0)] * 3


@pytest.mark.sampled(2)
@pytest.mark.parametrize("leap", [HOUR, -HOUR])
@pytest.mark.parametrize("seats", [3, 4, 6])
@cheap_blocks()
def test_a_machine_whose_own_clock_leaps_makes_nobody_absent(seats: int, leap: float) -> None:
    """Alone it has no quorum, so that its early timeouts harm nobody."""
    table, who = make_table(ToyGame(seats, 2), seats)
    machines = MachineTable(table, who, toy_choice)
    machines.start()
    leaping = machines.places[1].machine
    while not leaping.has_begun:
        assert machines.deliver()
    began = leaping.tip.step
    for name in ("tick", "receive", "choose"):
        setattr(leaping, name, ahead(getattr(leaping, name), leap))
    leaping.tick(machines.now)
    machines.run(120.0)
    assert machines.done()
    assert began < leaping.tip.step
    assert len({place.machine.tip.digest for place in machines.places}) == 1
    assert all(place.machine.tip.present == table.everyone for place in machines.places)
    assert all(inspect(place.machine).proofs == {} for place in machines.places)


def ahead(method: Callable[..., None], leap: float) -> Callable[..., None]:
    """A machine's method on a clock of its own: its first or second word is the time."""

    def leaping(first: Any, *rest: Any) -> None:
        if not rest:
            method(first + leap)
        else:
            method(first, rest[0] + leap, *rest[1:])

    return leaping
