"""Whole tables reached through relays that lie: a game stalls at worst, and nobody is accused."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path

import pytest
import trio
from support.hostile_relay import TRICKS, Hostile
from support.partitioned_network import NetworkNode
from support.player_table import USUAL, PlayerTable
from support.relays import serve_relay
from support.sampling import sample

from p2p_hoity.net.addresses import Address
from p2p_hoity.net.network_errors import NetCode, NetError
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.relay import rendezvous

pytestmark = pytest.mark.sampled(1)

LONGEST = 1200.0
"""Seconds, of the same clock, in which a game ends."""
LIES = 30.0
"""Seconds, of the game's own clock, for which a relay lies."""


class Walled(NetworkNode):
    """A node that can dial relays and nothing else."""

    async def open(self, address: Address) -> trio.abc.Stream:
        if not address.host.startswith("relay"):
            await trio.lowlevel.checkpoint()
            raise NetError(NetCode.NO_WAY_TO_MACHINE)
        return await super().open(address)


Relayed = Callable[..., AbstractAsyncContextManager[PlayerTable]]


@pytest.fixture
def relayed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Relayed:
    """Run a table whose players reach each other through these relays alone; the first will lie."""

    @asynccontextmanager
    async def run(hostile: Hostile, *honest: str) -> AsyncIterator[PlayerTable]:
        hostile.lies = False
        monkeypatch.setattr(rendezvous, "Splice", hostile.splice)
        table = PlayerTable(tmp_path, 3, USUAL, thinking=1.0)
        table.relays = ("relay-that-lies:1", *(f"{name}:1" for name in honest))
        table.node = lambda number: Walled(table.partition, f"node{number}")
        async with trio.open_nursery() as nursery:
            await nursery.start(hostile.serve, "relay-that-lies", table.network)
            for name in honest:
                await nursery.start(partial(serve_relay, name, 1, network=table.network))
            nursery.start_soon(table.play)
            await table.until_heard(updates.Started)
            yield table
            nursery.cancel_scope.cancel()

    return run


@pytest.mark.parametrize("trick", sample(TRICKS, 1, "tricks of relays"))
async def test_a_game_outlives_its_only_relays_lies(relayed: Relayed, trick: str) -> None:
    """It may stall while the relay lies, and says so; then it goes on, and nobody is accused."""
    hostile = Hostile(trick)
    async with relayed(hostile) as table:
        table.think(4.0)  # so that the game is longer than the lies
        hostile.lies = True
        await trio.sleep(LIES)
        hostile.lies = False
        with trio.fail_after(LONGEST):
            await table.until(lambda: all(guest.outcome for guest in table.guests))
    table.judge()
    assert hostile.played > 0
    assert trick == "delay" or table.heard(updates.Unlinked)


@pytest.mark.parametrize("trick", sample(["drop", "inject"], 1, "tricks beside a relay"))
async def test_another_relay_is_taken_while_one_lies(relayed: Relayed, trick: str) -> None:
    hostile = Hostile(trick, seldom=0.2)
    async with relayed(hostile, "relay") as table:
        hostile.lies = True
        with trio.fail_after(LONGEST):
            await table.until(lambda: all(guest.outcome for guest in table.guests))
    table.judge()
    assert hostile.played > 0


async def test_a_relay_that_carries_nothing_stalls_the_game_which_is_said(relayed: Relayed) -> None:
    hostile = Hostile("drop", seldom=1.0)
    async with relayed(hostile) as table:
        await trio.sleep(5)
        hostile.lies = True
        await trio.sleep(20)
        rounds = len(table.heard(updates.Happened))
        assert len(table.heard(updates.Unlinked)) >= 6  # each seat has lost both others
        await trio.sleep(30)
        assert len(table.heard(updates.Happened)) == rounds
        assert table.heard(updates.Accused) == table.heard(updates.Ended) == []
