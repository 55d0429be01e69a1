"""Clocks that jump and processes that are stopped: nobody is harmed by the time of one machine."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.going_table import TIMES, Table
from support.player_table import PlayerTable
from support.room import Room, make_table, toy_choice
from support.sim.cheap import cheap_blocks
from support.toy_game import ToyGame

from p2p_hoity.session import updates

DAY = 86_400.0
HOUR = 3600.0
JUMPING = """
import random, time
honest = time.time
die = random.Random(__file__)
time.time = lambda: honest() + die.choice((-1, 0, 1)) * 86400
"""
"""A `sitecustomize`: in such a process the clock on the wall jumps with every look at it."""


async def test_a_jumping_wall_clock_changes_nothing_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    assert not table.heard(updates.Late)
    assert [guest.absences for guest in table.guests] == [(0, 0)] * 3


def test_processes_whose_wall_clocks_jump_end_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jumping = tmp_path / "jumping"
    jumping.mkdir()
    (jumping / "sitecustomize.py").write_text(JUMPING)
    monkeypatch.setenv("PYTHONPATH", f"{jumping}{os.pathsep}{os.getcwd()}")
    with Table(tmp_path, 2, {0: ()}) as table:
        table.fill()
        table.running[1].read_until("round", 2)
        table.kill(1)
        table.resume(1)
        found = table.judge([0, 1])
    assert found["epochs"] == [0]
    assert found["late"] == []
    assert found["away"] == 0


def test_the_clocks_of_that_test_do_jump(tmp_path: Path) -> None:
    space: dict[str, Any] = {"__file__": "x"}
    honest = time.time
    try:
        exec(compile(JUMPING, "sitecustomize.py", "exec"), space)
        looks = [time.time() - honest() for _ in range(50)]
    finally:
        time.time = honest
    assert max(looks) > DAY / 2
    assert min(looks) < -DAY / 2


def stop_a_seat(path: Path, number: int) -> dict[str, Any]:
    """One of four is stopped until the others play without it, then let run again."""
    habits = dict.fromkeys(range(4), ("think=0.5",))
    with Table(path, 4, {**habits, 0: (TIMES, "think=0.5")}) as table:
        table.fill()
        other = 1 if number != 1 else 2
        table.running[number].read_until("round", 2)
        table.running[number].process.send_signal(signal.SIGSTOP)
        stopped = time.monotonic()
        table.running[other].read_until("type", "late")
        table.running[other].read_until("round", None)
        table.running[number].process.send_signal(signal.SIGCONT)
        away = time.monotonic() - stopped
        found = table.judge([0, 1, 2, 3])
        assert table.seat_of(number) in found["late"]
        assert table.seen(number, "away")
        assert len(table.seen(number, "away")) == len(table.seen(number, "back"))
        return {"stopped": round(away, 1), **found}


@pytest.mark.nightly
@pytest.mark.parametrize("number", [0, 3])
def test_a_stopped_seat_wakes_up_and_plays_on(tmp_path: Path, number: int) -> None:
    print(number, stop_a_seat(tmp_path, number))


@pytest.mark.parametrize("leap", [HOUR, -HOUR])
@pytest.mark.parametrize("seats", [3, 4, 6])
def test_a_machine_whose_own_clock_leaps_makes_nobody_absent(seats: int, leap: float) -> None:
    """Alone it has no quorum, so that its impatience is nobody's harm."""
    with cheap_blocks():
        leap_in_a_room(seats, leap)


def leap_in_a_room(seats: int, leap: float) -> None:
    table, who = make_table(ToyGame(seats, 2), seats)
    room = Room(table, who, toy_choice)
    room.start()
    hasty = room.places[1].machine
    while not hasty.has_begun:
        assert room.deliver()
    began = hasty.tip.step
    for name in ("tick", "receive", "choose"):
        setattr(hasty, name, ahead(getattr(hasty, name), leap))
    hasty.tick(room.now)
    room.run(120.0)
    assert room.done()
    assert began < hasty.tip.step
    assert len({place.machine.tip.digest for place in room.places}) == 1
    assert all(place.machine.tip.present == table.everyone for place in room.places)
    assert all(place.machine.core.proofs == {} for place in room.places)


def ahead(method: Callable[..., None], leap: float) -> Callable[..., None]:
    """A machine's method on a clock of its own: its first or second word is the time."""

    def leaping(first: Any, *rest: Any) -> None:
        if not rest:
            method(first + leap)
        else:
            method(first, rest[0] + leap, *rest[1:])

    return leaping
