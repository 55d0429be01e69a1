"""A seat that is gone when the deck is to be confirmed: nobody waits for it for ever."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import trio
from support.partitioned_network import PartitionedClub

from p2p_hoity import tables
from p2p_hoity.session import updates
from protocol.chain.state import Kind

GONE = 0
"""The host, who shuffles first: what it has shuffled is out when it goes."""


async def confirm_without_one(club: PartitionedClub) -> list[tables.Seat]:
    """A seat is cut off before its word on the deck is out; all others have said theirs."""
    scopes = [trio.CancelScope() for _ in club.guests]

    def cut(update: updates.Update) -> bool:
        return isinstance(update, updates.Stepped) and update.after.want.kind is Kind.DECK_OK

    async def sit(number: int) -> None:
        with scopes[number]:
            await club.sit(number)

    club.guests[GONE].cut = cut, scopes[GONE]
    with trio.fail_after(3600):
        async with trio.open_nursery() as nursery:
            for number in range(len(club.guests)):
                nursery.start_soon(sit, number)
    assert scopes[GONE].cancelled_caught
    return [club.guests[n].seat for n in range(len(club.guests)) if n != GONE]


async def test_the_others_are_told_and_leave(tmp_path: Path, autojump_clock: Any) -> None:
    club = PartitionedClub(tmp_path, 3)
    for seat in await confirm_without_one(club):
        assert tables.open_games(seat.home)
    for number in (1, 2):
        guest = club.guests[number]
        assert guest.outcome is not None
        (ended,) = guest.heard(updates.Ended)
        (started,) = guest.heard(updates.Started)
        assert ended.seat == started.table.ids.index(club.guests[GONE].me.identity.public)
        assert guest.outcome.code == ended.code
        assert ended.code == "silent-seat"
        assert not guest.heard(updates.Accused)


async def test_they_can_still_be_called_back_to_the_table(
    tmp_path: Path, autojump_clock: Any
) -> None:
    club = PartitionedClub(tmp_path, 3)
    await confirm_without_one(club)
    club.guests[GONE].cut = None
    async with trio.open_nursery() as nursery:
        for number in range(3):
            nursery.start_soon(club.resume, number)
    club.judge()


async def test_whoever_resumes_alone_is_told_again(tmp_path: Path, autojump_clock: Any) -> None:
    club = PartitionedClub(tmp_path, 3)
    await confirm_without_one(club)
    with trio.fail_after(3600):
        await club.resume(2)
    assert len(club.guests[2].heard(updates.Ended)) == 2
