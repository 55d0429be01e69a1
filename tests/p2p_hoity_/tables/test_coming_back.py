"""A player who walks away and comes back: asked anew for each absence, through changes of epoch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import trio
from p2p_hoity_.tables.test_leaving import goer, seat_of
from p2p_hoity_.tables.test_tables import Club, Thinker

from p2p_hoity.session import updates
from p2p_hoity.session.updates import Presence
from protocol.wire.header import Patience

TIMES = Patience(choice=90_000, step=60_000, grace=1000, cap=8000)
"""A choice is awaited for longer than one who has just sat down counts as there."""


class Walker(Thinker):
    """A player who gives no answer while away, and comes back when a key is struck."""

    def __init__(self) -> None:
        super().__init__()
        self.is_away, self.calls, self.key = False, 0, trio.Event()

    async def choose(self, view: Any, kind: Any, again: bool) -> Any:
        if self.is_away:
            await trio.sleep_forever()
        return await super().choose(view, kind, again)

    async def returning(self) -> None:
        self.calls += 1
        await self.key.wait()
        self.key, self.is_away = trio.Event(), False


async def test_who_walked_away_comes_back_by_a_key_and_each_time_anew(
    tmp_path: Path, autojump_clock: Any
) -> None:
    club = Club(tmp_path, 5, TIMES)
    for guest in club.guests:
        guest.player = Thinker()
    one, walker = club.guests[3], Walker()
    one.player = walker
    left = trio.Event()
    goer(club, 2, lambda update: left.is_set())

    async def walk() -> None:
        while not one.heard(updates.Happened):
            await trio.sleep(0.1)
        walker.is_away = True
        while not one.heard(updates.Away):
            await trio.sleep(0.1)
        left.set()  # one more change of epoch while this seat is absent
        seat = seat_of(club, 2)
        while not any(
            told.seats[seat] is Presence.ABSENT for told in one.heard(updates.Attendance)
        ):
            await trio.sleep(0.1)
        assert not one.heard(updates.Returned)
        walker.key.set()
        while not one.heard(updates.Returned):
            await trio.sleep(0.1)
        walker.is_away = True
        while len(one.heard(updates.Away)) < 2:
            await trio.sleep(0.1)
        await trio.sleep(200)  # nobody comes back for it
        assert len(one.heard(updates.Returned)) == 1
        walker.key.set()

    with trio.fail_after(3000):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(walk)
            nursery.start_soon(club.host)
            for number in range(1, 5):
                nursery.start_soon(club.join, number)
    assert [told for told in one.told if isinstance(told, updates.Away | updates.Returned)] == [
        updates.Away(),
        updates.Returned(),
        updates.Away(),
        updates.Returned(),
    ]
    assert walker.calls == 2
