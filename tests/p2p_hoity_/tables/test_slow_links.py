"""Tests of tables over links of 2 kB/s, in memory and on a virtual clock."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing
from p2p_hoity_.tables.test_tables import Club, past_round
from support.memory_network import MemoryNetwork

from p2p_hoity.net import link as links
from p2p_hoity.net.link import LinkCode
from p2p_hoity.session import updates
from protocol.wire import header
from protocol.wire.header import Patience

RATE = 2000.0


class Narrow(trio.abc.Stream):
    """A stream whose bytes take their time, and come in whole chunks as records of TLS do."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self.stream = stream

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        await trio.sleep(len(data) / RATE)
        await self.stream.send_all(data)

    async def wait_send_all_might_not_block(self) -> None:
        await self.stream.wait_send_all_might_not_block()

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        return await self.stream.receive_some(max_bytes)

    async def aclose(self) -> None:
        await self.stream.aclose()


def narrow_pair() -> tuple[trio.abc.Stream, trio.abc.Stream]:
    near, far = trio.testing.memory_stream_pair()
    return Narrow(near), Narrow(far)


def slow_club(path: Path, seats: int) -> Club:
    """A table with the times that a host gives unless it says otherwise."""
    club = Club(path, seats, Patience())
    club.network = MemoryNetwork(narrow_pair)
    return club


async def deal(club: Club) -> None:
    """Play until every seat's game has begun, or the table has ended."""
    begun = past_round(1)

    def all_begun() -> bool:
        return all(any(begun(update) for update in guest.told) for guest in club.guests)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(club.play)
        while not all_begun():
            assert not any(guest.heard(updates.Ended) for guest in club.guests)
            await trio.sleep(1)
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("seats", [3, 4])
async def test_links_of_2_kilobytes_a_second_can_deal(
    tmp_path: Path, autojump_clock: Any, seats: int
) -> None:
    club = slow_club(tmp_path, seats)
    await deal(club)
    for guest in club.guests:
        silent = [u for u in guest.heard(updates.Unlinked) if u.reason.code == LinkCode.SILENT]
        assert silent == []
        assert not guest.heard(updates.Late)


async def test_whole_frames_in_one_record_would_kill_such_a_link(
    tmp_path: Path, autojump_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(links, "RECORD", 1 << 16)
    club = slow_club(tmp_path, 3)
    with trio.move_on_after(300), suppress(AssertionError, BaseExceptionGroup):
        await deal(club)
    lost = [update.reason for guest in club.guests for update in guest.heard(updates.Unlinked)]
    assert any(reason.code == LinkCode.SILENT for reason in lost)


def test_the_host_sets_the_patience_of_every_step() -> None:
    from cli.commands.play import Ask, terms_of

    terms = terms_of(Ask(3, step_patience=90.0), bytes(32))
    assert terms.patience.step == 90_000
    assert header.Patience().step == 30_000
