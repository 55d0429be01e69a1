"""Whole tables reached through relays that lie: a game stalls at worst, and nobody is accused."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio
from support.hostile_relay import TRICKS, Hostile
from support.partitioned_network import NetworkNode
from support.player_table import USUAL, PlayerTable
from support.relays import serve_relay
from support.sampling import sample

from p2p_hoity.net.addresses import Address
from p2p_hoity.net.errors import NetCode, NetError
from p2p_hoity.relay import calls
from p2p_hoity.session import updates

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


@pytest.fixture
def relayed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., PlayerTable]:
    """Make a table whose players reach each other through these relays alone; some will lie."""

    def make(hostile: Hostile, *relays: str) -> PlayerTable:
        hostile.lies = False
        monkeypatch.setattr(calls, "splice_of", hostile.splice_of)
        table = PlayerTable(tmp_path, 3, USUAL, thinking=1.0)
        table.relays = relays
        table.node = lambda number: Walled(table.partition, f"node{number}")
        return table

    return make


@pytest.mark.parametrize("trick", sample(TRICKS, 2, "tricks of relays"))
async def test_a_game_outlives_its_only_relays_lies(relayed: Any, trick: str) -> None:
    """It may stall while the relay lies, and says so; then it goes on, and nobody is accused."""
    hostile = Hostile(trick)
    table = relayed(hostile, "relay:1")
    async with trio.open_nursery() as nursery:
        await nursery.start(hostile.serve, "relay", table.network)

        async def lie() -> None:
            await table.until_heard(updates.Started)
            hostile.lies = True
            await trio.sleep(LIES)
            hostile.lies = False

        nursery.start_soon(lie)
        table.think(4.0)  # so that the game is longer than the lies
        with trio.fail_after(LONGEST):
            await table.play()
        nursery.cancel_scope.cancel()
    table.judge()
    assert not hostile.lies
    assert hostile.played > 0
    assert trick == "delay" or table.heard(updates.Unlinked)


@pytest.mark.parametrize("trick", ["drop", "inject"])
async def test_another_relay_is_taken_while_one_lies_all_the_time(relayed: Any, trick: str) -> None:
    hostile = Hostile(trick, seldom=0.2)
    table = relayed(hostile, "relay-that-lies:1", "relay:1")
    async with trio.open_nursery() as nursery:
        await nursery.start(hostile.serve, "relay-that-lies", table.network)
        await nursery.start(partial(serve_relay, "relay", 1, network=table.network))
        nursery.start_soon(table.play)
        await table.until_heard(updates.Started)
        hostile.lies = True
        with trio.fail_after(LONGEST):
            await table.until_heard(updates.Finished)
        nursery.cancel_scope.cancel()
    table.judge()
    assert hostile.played > 0


async def test_a_relay_that_carries_nothing_stalls_the_game_and_it_says_so(relayed: Any) -> None:
    hostile = Hostile("drop", seldom=1.0)
    table = relayed(hostile, "relay:1")
    async with trio.open_nursery() as nursery:
        await nursery.start(hostile.serve, "relay", table.network)
        nursery.start_soon(table.play)
        await table.until_heard(updates.Started)
        await trio.sleep(5)
        hostile.lies = True
        await trio.sleep(20)
        rounds = len(table.heard(updates.Happened))
        assert len(table.heard(updates.Unlinked)) >= 6  # each seat has lost both others
        await trio.sleep(30)
        assert len(table.heard(updates.Happened)) == rounds
        assert table.heard(updates.Accused) == table.heard(updates.Ended) == []
        nursery.cancel_scope.cancel()
