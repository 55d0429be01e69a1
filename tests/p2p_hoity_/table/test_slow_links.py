"""Tests of tables over links of 2 kB/s, in memory and on a virtual clock."""

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import trio
import trio.testing
from support.deep_stream import DeepStream, deep_pair
from support.memory_network import MemoryNetwork
from support.player_table import PlayerTable, past_round, short_track
from support.sampling import sample

from cli.commands.options import MAX_TIMEOUT, TableOptions
from cli.commands.play import checked_terms
from p2p_hoity.net import peer_link as links
from p2p_hoity.net.network_errors import LinkCode
from p2p_hoity.net.transport import FrameBuffer
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.table.playing import session
from p2p_hoity.table.playing.frame_kinds import kind_of
from protocol.wire import table_header
from protocol.wire.table_header import Timeouts

pytestmark = pytest.mark.sampled(1)

RATE = 2000.0
PRODUCT_TICK = session.TICK


@pytest.fixture(autouse=True)
def exact_ticks(cheap_table: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let sessions look at their clocks as often as in the product: these tests are about time."""
    monkeypatch.setattr(session, "TICK", PRODUCT_TICK)


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


def slow_table(path: Path, seats: int) -> PlayerTable:
    """Return a table with a whole deck, and the times that a host gives by default."""
    table = PlayerTable(path, seats, Timeouts(), short_track())
    table.network = MemoryNetwork(narrow_pair)
    return table


async def deal(table: PlayerTable) -> None:
    """Play until every seat's game has begun, or the table has ended."""
    begun = past_round(1)

    def all_begun() -> bool:
        assert not table.heard(updates.Ended)
        return all(any(begun(update) for update in guest.told) for guest in table.guests)

    await table.play_until(all_begun)


@pytest.mark.parametrize("seats", sample([3, 4], 1, "slow links"))
async def test_links_of_2_kilobytes_a_second_can_deal(tmp_path: Path, seats: int) -> None:
    table = slow_table(tmp_path, seats)
    await deal(table)
    for guest in table.guests:
        silent = [u for u in guest.heard(updates.Unlinked) if u.reason.code == LinkCode.SILENT]
        assert silent == []
        assert not guest.heard(updates.SeatsTimedOut)


@pytest.mark.parametrize("seats", sample([2, 3], 1, "deep buffers"))
async def test_nothing_piles_up_behind_itself_in_the_buffers_of_the_system(
    tmp_path: Path, seats: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A whole game; over no link a message comes twice."""
    came: Counter[tuple[FrameBuffer, bytes]] = Counter()
    feed = FrameBuffer.feed

    def counted(link: FrameBuffer, chunk: bytes | bytearray) -> Iterator[bytes]:
        for data in feed(link, chunk):
            came[link, data] += kind_of(data).is_spread
            yield data

    monkeypatch.setattr(FrameBuffer, "feed", counted)
    table = slow_table(tmp_path, seats)
    table.network = MemoryNetwork(lambda: deep_pair(RATE, int(60 * RATE)))  # a minute's worth
    await table.play()
    assert len(set(table.transcripts())) == 1
    assert set(came.values()) <= {0, 1}
    assert len(came) > 40  # the deal alone has more
    for guest in table.guests:
        lost = {update.reason.code for update in guest.heard(updates.Unlinked)}
        assert not lost & {LinkCode.SILENT, LinkCode.UNREAD, LinkCode.TOO_SLOW}
        assert not guest.heard(updates.SeatsTimedOut)


async def test_what_was_under_way_on_a_lost_link_is_sent_over_the_next(tmp_path: Path) -> None:
    """While the shuffles are under way every link is cut, twice."""
    table = slow_table(tmp_path, 3)
    streams: list[DeepStream] = []

    def pair() -> tuple[DeepStream, DeepStream]:
        streams.extend(made := deep_pair(RATE, int(60 * RATE)))
        return made

    table.network = MemoryNetwork(pair)

    async def cut() -> None:
        for _ in range(2):
            await trio.sleep(9)
            assert not table.guests[0].heard(updates.Happened)
            for stream in streams:
                await stream.aclose()

    await table.play({}, cut)
    assert table.ended_alike()
    lost = {update.reason.code for update in table.heard(updates.Unlinked)}
    assert LinkCode.CLOSED in lost


async def test_long_records_kill_a_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(links, "RECORD", 1 << 16)
    table = slow_table(tmp_path, 6)
    with trio.move_on_after(300), suppress(AssertionError, BaseExceptionGroup):
        await deal(table)
    assert any(one.reason.code == LinkCode.SILENT for one in table.heard(updates.Unlinked))


def test_the_host_sets_the_patience_of_every_step() -> None:
    terms = checked_terms(TableOptions(3, step_patience=90.0), bytes(32))
    assert terms.timeouts.step == 90_000
    assert table_header.Timeouts().step == 30_000
    longest = TableOptions(3, patience=float(MAX_TIMEOUT), step_patience=float(MAX_TIMEOUT))
    times = checked_terms(longest, bytes(32)).timeouts
    assert (times.choice, times.step) == (2_592_000_000, 2_592_000_000)
