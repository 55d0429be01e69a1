"""Six seats, two of them split from the four others for a while, in memory on a virtual clock."""

from pathlib import Path

from support.player_table import PlayerTable, past_round
from support.sampling import AWAY

pytestmark = AWAY

FOUR, TWO = (0, 1, 2, 3), (4, 5)


async def test_two_split_from_four_and_heal(tmp_path: Path) -> None:
    """They part in the second round, and heal as soon as the four have played on for a round."""
    table = PlayerTable(tmp_path, 6, thinking=1.0, parted=True)
    parted: list[int] = []
    healed: list[int] = []

    def rounds() -> list[int]:
        return [guest.round for guest in table.guests]

    async def split() -> None:
        await table.wait_for(0, past_round(2))
        table.partition.part(FOUR, TWO)
        parted.extend(rounds())
        await table.until(lambda: all(rounds()[n] > parted[n] for n in FOUR))
        healed.extend(rounds())
        table.partition.heal()

    await table.play({}, split)
    table.judge()
    assert all(healed[n] <= parted[n] for n in TWO)
    assert [guest.absences for guest in table.guests] == [(0, 0)] * 4 + [(1, 1)] * 2
