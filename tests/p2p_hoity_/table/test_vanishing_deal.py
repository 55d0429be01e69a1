"""A seat that is gone when the deck is to be confirmed: nobody waits for it for ever."""

from pathlib import Path

import trio
from support.player_table import PlayerTable
from support.sampling import AWAY

from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.table.beside_game.unfinished_games import open_games
from protocol.chain.chain_state import Kind

pytestmark = AWAY

GONE = 0
"""The host, who shuffles first: what it has shuffled is out when it goes."""


async def test_the_others_are_told_and_leave_and_can_still_be_called_back(tmp_path: Path) -> None:
    """The seat is gone before it can confirm the deck, and all others confirm it.

    Whoever resumes alone is told again.
    """
    table = PlayerTable(tmp_path, 3, thinking=1.0, parted=True)

    def cut(update: updates.Update) -> bool:
        if not isinstance(update, updates.ChainGrew):
            return False
        # While the last one shuffles: the word on the deck follows without a pause.
        want = update.after.want
        return want.kind is Kind.SHUFFLE and want.speakers == {2}

    async def vanish() -> None:
        assert await table.sit_until(GONE, cut)

    with trio.fail_after(3600):
        await table.play({GONE: vanish})
    for guest in table.guests[1:]:
        assert open_games(guest.home)
        (ended,) = guest.heard(updates.Ended)
        (started,) = guest.heard(updates.Started)
        assert ended.seat == started.table.ids.index(table.guests[GONE].key.public)
        assert guest.end.code == ended.code
        assert ended.code == "deck-unconfirmed"
        assert not guest.heard(updates.Accused)
    with trio.fail_after(3600):
        await table.resume(2)
    assert len(table.guests[2].heard(updates.Ended)) == 2
    async with trio.open_nursery() as nursery:
        for number in range(3):
            nursery.start_soon(table.resume, number)
    table.judge()
