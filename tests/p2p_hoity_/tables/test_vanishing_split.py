"""Six seats, two of them split from the four others for a while, in memory on a virtual clock."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import trio
from p2p_hoity_.tables.test_tables import past_round
from support.partitioned_network import Absence, PartitionedClub, round_of

FOUR, TWO = (0, 1, 2, 3), (4, 5)


async def split(
    club: PartitionedClub, left: tuple[int, ...], right: tuple[int, ...]
) -> dict[str, Any]:
    """Part them in the second round, heal as soon as the four have played on for a round."""
    seen: dict[str, Any] = {}
    await club.wait_for(0, past_round(2))
    club.partition.part(left, right)
    seen["parted"] = {n: round_of(club, n) for n in (*left, *right)}
    while not all(round_of(club, n) >= seen["parted"][n] + 1 for n in left):
        await trio.sleep(0.5)
    seen["healed"] = {n: round_of(club, n) for n in (*left, *right)}
    club.partition.heal()
    return seen


async def test_two_split_from_four_and_heal(tmp_path: Path, autojump_clock: Any) -> None:
    club = PartitionedClub(tmp_path, 6)
    seen: dict[str, Any] = {}

    async def interfere() -> None:
        seen.update(await split(club, FOUR, TWO))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(interfere)
        for number in range(6):
            nursery.start_soon(club.sit, number)
    reports = club.judge()
    print(seen, [(report.steps, report.epochs) for report in reports])
    assert all(seen["healed"][n] <= seen["parted"][n] for n in TWO)
    assert [Absence.of(club.guests[n]) for n in TWO] == [Absence(1, 1)] * 2
    assert [Absence.of(club.guests[n]) for n in FOUR] == [Absence(0, 0)] * 4
