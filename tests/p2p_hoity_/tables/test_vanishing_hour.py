"""Seats that come back after an hour, in memory on a virtual clock, with the usual patience."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio
from p2p_hoity_.tables.test_tables import past_round
from support.partitioned_network import USUAL, Absence, PartitionedClub, round_of

from p2p_hoity import game_port
from p2p_hoity.session import driver, updates
from p2p_hoity.tables import resuming
from protocol.transcript import verifier

HOUR = 3600.0
GONE = 3


class Hour:
    """A table of four whose last seat is away for an hour from the second round on."""

    def __init__(self, path: Path) -> None:
        self.club = PartitionedClub(path, 4, USUAL)
        self.rounds: list[int] = []

    async def pass_by(self) -> None:
        """An hour in which people think for minutes; keep which round the three others are in."""
        self.rounds.append(round_of(self.club, 0))
        self.club.think(250.0)
        await trio.sleep(HOUR)
        self.club.think(1.0)
        self.rounds.append(round_of(self.club, 0))

    async def killed(self) -> None:
        """Its process dies; after an hour it is restored from its journal."""
        guest, scope = self.club.guests[GONE], trio.CancelScope()
        guest.cut = past_round(2), scope
        with scope:
            await self.club.join(GONE)
        guest.cut = None
        await self.pass_by()
        await self.club.resume(GONE)

    async def cut_off(self) -> None:
        """Its process lives; its links are dead for an hour."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.club.join, GONE)
            await self.club.wait_for(GONE, past_round(2))
            self.club.partition.part((0, 1, 2), (GONE,))
            await self.pass_by()
            self.club.partition.heal()

    async def play(self, last: Callable[[], Awaitable[None]]) -> None:
        """All four until the end."""
        async with trio.open_nursery() as nursery:
            for number in range(3):
                nursery.start_soon(self.club.sit, number)
            nursery.start_soon(last)


@pytest.fixture
def seldom(monkeypatch: pytest.MonkeyPatch) -> None:
    """Machines look at their clocks once in two seconds: an hour has many."""
    monkeypatch.setattr(driver, "TICK", 2.0)


@pytest.mark.parametrize("way", ["killed", pytest.param("cut_off", marks=pytest.mark.nightly)])
async def test_a_seat_comes_back_after_an_hour(
    tmp_path: Path, autojump_clock: Any, seldom: None, way: str
) -> None:
    hour = Hour(tmp_path)
    await hour.play(getattr(hour, way))
    club = hour.club
    reports = club.judge()
    print(way, hour.rounds, [(report.steps, report.epochs) for report in reports])
    assert hour.rounds[0] < hour.rounds[1]
    assert Absence.of(club.guests[GONE]) == Absence(1, 1)
    assert all(Absence.of(club.guests[n]) == Absence() for n in range(3))


class PowerCut:
    """All seats die in one moment, whichever is told of the next round first."""

    def __init__(self) -> None:
        self.scopes = [trio.CancelScope() for _ in range(3)]

    def cancel(self) -> None:
        for scope in self.scopes:
            scope.cancel()


async def test_all_are_gone_for_an_hour_and_take_their_seats_again(
    tmp_path: Path, autojump_clock: Any, seldom: None
) -> None:
    club, late, gone = PartitionedClub(tmp_path, 3, USUAL), trio.Event(), PowerCut()

    async def leave_and_come_back(number: int) -> None:
        scope, guest = gone.scopes[number], club.guests[number]
        guest.cut = past_round(2), gone
        with scope:
            await club.sit(number)
        assert scope.cancelled_caught
        guest.cut = None
        await trio.sleep(HOUR)
        if number == 2:  # the last one is later still, within the patience of any step
            await trio.sleep(15)
            late.set()
        await club.resume(number)

    async with trio.open_nursery() as nursery:
        for number in range(3):
            nursery.start_soon(leave_and_come_back, number)
    (report,) = club.judge()
    assert late.is_set()
    print("all gone", trio.current_time(), report.steps, report.epochs)
    assert [Absence.of(guest) for guest in club.guests] == [Absence()] * 3


async def test_who_comes_back_when_the_others_are_done_saves_what_it_has(
    tmp_path: Path, autojump_clock: Any
) -> None:
    club, scope = PartitionedClub(tmp_path, 3), trio.CancelScope()
    gone = club.guests[2]
    gone.cut = past_round(2), scope

    async def leave() -> None:
        with scope:
            await club.join(2)

    async with trio.open_nursery() as nursery:
        for task in (club.host, leave, partial(club.join, 1)):
            nursery.start_soon(task)
    assert scope.cancelled_caught
    gone.cut = None
    with trio.move_on_after(600) as waiting:
        await club.resume(2)
    assert waiting.cancelled_caught
    assert not gone.heard(updates.Finished)
    report = verifier.verify(resuming.claim_game(gone.seat, None).read_bytes(), game_port.read_game)
    assert report.unfinished
    assert report.faults == ()
    club.guests.pop()
    club.judge()
