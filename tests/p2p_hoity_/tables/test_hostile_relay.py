"""Whole tables reached through relays that lie: a game stalls at worst, and nobody is accused."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio
from support.hostile_relay import TRICKS, Hostile
from support.partitioned_network import USUAL, NetworkNode, PartitionedClub
from support.relays import serve_relay

from p2p_hoity import tables
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


class RelayedClub(PartitionedClub):
    """A club whose members reach each other through these relays alone."""

    def __init__(self, path: Path, seats: int, *relays: str) -> None:
        super().__init__(path, seats, USUAL)
        self.relays = relays

    def node(self, number: int) -> Walled:
        return Walled(self.partition, f"node{number}")

    def reach(self, number: int) -> tables.Reach:
        return tables.Reach(f"node{number}:0", self.relays, network=self.node(number))


def heard(club: RelayedClub, kind: type[Any]) -> int:
    """How often the screens of all seats together were told this."""
    return sum(len(guest.heard(kind)) for guest in club.guests)


async def until_started(club: RelayedClub) -> None:
    while not all(guest.heard(updates.Started) for guest in club.guests):
        await trio.sleep(0.1)


async def until_ended(club: RelayedClub) -> None:
    with trio.fail_after(LONGEST):
        while not all(guest.heard(updates.Finished) for guest in club.guests):
            await trio.sleep(0.1)


@pytest.mark.parametrize("trick", TRICKS)
async def test_a_game_outlives_its_only_relays_lies(
    tmp_path: Path, autojump_clock: Any, monkeypatch: pytest.MonkeyPatch, trick: str
) -> None:
    """It may stall while the relay lies, and says so; then it goes on, and nobody is accused."""
    hostile = Hostile(trick)
    hostile.lies = False
    monkeypatch.setattr(calls, "splice_of", hostile.splice_of)
    club = RelayedClub(tmp_path, 3, "relay:1")
    async with trio.open_nursery() as nursery:
        await nursery.start(hostile.serve, "relay", club.partition.network)

        async def lie() -> None:
            await until_started(club)
            hostile.lies = True
            await trio.sleep(LIES)
            hostile.lies = False

        nursery.start_soon(lie)
        club.think(4.0)  # so that the game is longer than the lies
        with trio.fail_after(LONGEST):
            await club.play()
        nursery.cancel_scope.cancel()
    club.judge()
    assert not hostile.lies
    assert hostile.played > 0
    assert trick == "delay" or heard(club, updates.Unlinked) > 0


@pytest.mark.parametrize("trick", ["drop", "inject"])
async def test_another_relay_is_taken_while_one_lies_all_the_time(
    tmp_path: Path, autojump_clock: Any, monkeypatch: pytest.MonkeyPatch, trick: str
) -> None:
    hostile = Hostile(trick, seldom=0.2)
    monkeypatch.setattr(calls, "splice_of", hostile.splice_of)
    club = RelayedClub(tmp_path, 3, "relay-that-lies:1", "relay:1")
    async with trio.open_nursery() as nursery:
        network = club.partition.network
        await nursery.start(hostile.serve, "relay-that-lies", network)
        await nursery.start(partial(serve_relay, "relay", 1, network=network))
        hostile.lies = False
        nursery.start_soon(club.play)
        await until_started(club)
        hostile.lies = True
        await until_ended(club)
        nursery.cancel_scope.cancel()
    club.judge()
    assert hostile.played > 0


async def test_a_relay_that_carries_nothing_stalls_the_game_and_it_says_so(
    tmp_path: Path, autojump_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    hostile = Hostile("drop", seldom=1.0)
    hostile.lies = False
    monkeypatch.setattr(calls, "splice_of", hostile.splice_of)
    club = RelayedClub(tmp_path, 3, "relay:1")
    async with trio.open_nursery() as nursery:
        await nursery.start(hostile.serve, "relay", club.partition.network)
        nursery.start_soon(club.play)
        await until_started(club)
        await trio.sleep(5)
        hostile.lies = True
        await trio.sleep(20)
        rounds = heard(club, updates.Happened)
        assert heard(club, updates.Unlinked) >= 6  # each seat has lost both others
        await trio.sleep(30)
        assert heard(club, updates.Happened) == rounds
        assert heard(club, updates.Accused) == heard(club, updates.Ended) == 0
        nursery.cancel_scope.cancel()
