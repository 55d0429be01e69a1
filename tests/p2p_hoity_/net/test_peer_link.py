"""Tests of one link over memory streams: order, silence, slow readers, and what is under way."""

from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import partial

import pytest
import trio
import trio.testing
from support.running import running
from support.street import Stuck

from p2p_hoity.coded_errors import Reason, because
from p2p_hoity.net.link_limits import Limits
from p2p_hoity.net.network_errors import LinkCode, NetCode
from p2p_hoity.net.peer_link import MOST, RECORD, UNHURRIED, Link, UnderWay
from p2p_hoity.net.transport import MARK, OVERHEAD, FrameCode, encode_frame, encode_read

LIMITS = Limits(frame=1000, queue_frames=5, queue_bytes=3000)

ONE, TWO = b"one", b"two"


class Ended:
    """A running link: what it delivered, and why it ended."""

    def __init__(self, stream, limits=LIMITS, opened=trio.lowlevel.checkpoint):
        self.link = Link(stream, limits, acknowledges=True)
        self.delivered = []
        self.reason = None
        self._opened = opened

    async def run(self):
        self.reason = await self.link.run(self._opened, self.deliver)

    async def deliver(self, data):
        await trio.lowlevel.checkpoint()
        self.delivered.append(data)


@asynccontextmanager
async def one_link():
    """A running link, and the far end of its stream."""
    near, far = trio.testing.memory_stream_pair()
    ended = Ended(near)
    async with running(ended.run):
        yield ended, far


@asynccontextmanager
async def pair():
    """Both ends of one link, which runs."""
    a, b = (Ended(stream) for stream in trio.testing.memory_stream_pair())
    async with running(a.run, b.run):
        yield a, b


async def test_frames_come_whole_in_order_and_as_often_as_they_are_posted_both_ways(autojump_clock):
    a, b = (Ended(stream) for stream in trio.testing.memory_stream_pair())
    async with trio.open_nursery() as nursery:
        nursery.start_soon(a.run)
        nursery.start_soon(b.run)
        for sender in (a, b):
            for data in (b"one", b"two", b"one"):
                assert sender.link.post(data)
        await trio.testing.wait_all_tasks_blocked()
        assert a.delivered == b.delivered == [b"one", b"two", b"one"]
        a.link.close(Reason("we have had enough"))
    assert a.reason == Reason("we have had enough")
    assert b.reason == because(LinkCode.CLOSED)


async def test_an_idle_link_stays_up_by_heartbeats_and_a_silent_peer_is_given_up(autojump_clock):
    async with pair() as (a, b):
        await trio.sleep(3600)
        assert a.link.reason is None
        assert b.link.reason is None
        assert a.delivered == b.delivered == []  # heartbeats are not delivered
    near, _far = trio.testing.memory_stream_pair()
    ended = Ended(near)
    began = trio.current_time()
    await ended.run()
    assert trio.current_time() - began == pytest.approx(LIMITS.silence)
    assert ended.reason == because(LinkCode.SILENT, seconds=6)


async def test_a_stop_of_our_own_is_not_the_peers_silence(mock_clock):
    async with pair() as (a, b):
        await trio.testing.wait_all_tasks_blocked()
        mock_clock.jump(60)  # the machine slept
        await trio.testing.wait_all_tasks_blocked()
        assert a.link.reason is None
        assert b.link.reason is None


async def test_neither_a_slow_peer_nor_a_slow_owner_is_taken_for_silence(autojump_clock):
    near, far = trio.testing.memory_stream_pair()
    ended = Ended(near)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(ended.run)
        for byte in encode_frame(b"slow but here"):
            await trio.sleep(LIMITS.silence - 1)
            await far.send_all(bytes([byte]))
        await trio.testing.wait_all_tasks_blocked()
        assert ended.delivered == [b"slow but here"]
        await far.aclose()
    assert ended.reason == because(LinkCode.CLOSED)
    near, far = trio.testing.memory_stream_pair()
    ended = Ended(near, opened=lambda: trio.sleep(100))
    async with running(ended.run):
        await far.send_all(encode_frame(b"early"))
        await trio.sleep(101)
        assert ended.delivered == [b"early"]


async def test_a_peer_that_never_reads_is_given_up(autojump_clock):
    near, far = trio.testing.lockstep_stream_pair()  # sending waits for the reader
    ended = Ended(near)

    async def talk_without_reading():
        with suppress(trio.BrokenResourceError):  # until it is cut off
            while True:
                await trio.sleep(1)
                await far.send_all(encode_frame(b""))

    async with running(talk_without_reading):
        began = trio.current_time()
        ended.link.post(b"read me")
        await ended.run()
        assert trio.current_time() - began == pytest.approx(LIMITS.stalled)
    assert ended.reason == because(LinkCode.UNREAD, seconds=30)


@pytest.mark.parametrize(("size", "accepted"), [(1, 5), (900, 3)])
async def test_a_queue_that_overflows_by_number_or_size_closes_the_link(size, accepted):
    near, far = trio.testing.memory_stream_pair()
    ended = Ended(near)
    for wrong in (0, LIMITS.frame + 1):
        with pytest.raises(ValueError, match="1 to 1000 bytes"):
            ended.link.post(bytes(wrong))
    for _ in range(accepted):
        assert ended.link.post(bytes(size))
    assert ended.link._queued_bytes == accepted * size
    assert not ended.link.post(bytes(size))
    await ended.run()
    assert ended.reason == because(LinkCode.TOO_SLOW)
    assert not ended.link.post(b"too late")
    assert await far.receive_some() == b""


async def test_a_link_ends_in_words_and_closes_its_stream(autojump_clock):
    near, _far = trio.testing.memory_stream_pair()
    near.receive_stream.close_hook = None

    async def fail():
        raise trio.BrokenResourceError from ConnectionResetError(104, "Connection reset by peer")

    near.receive_stream.receive_some_hook = fail
    ended = Ended(near)
    await ended.run()
    assert ended.reason == because(NetCode.CUT)
    near, far = trio.testing.memory_stream_pair()
    ended = Ended(near)
    await far.send_all(encode_frame(b"fine") + (LIMITS.frame + 1).to_bytes(4, "big"))
    await ended.run()
    assert ended.delivered == [b"fine"]
    assert ended.reason == because(FrameCode.OVERSIZED, length=1001, most=1000)
    near, far = trio.testing.memory_stream_pair()
    async with running(Ended(near).run):
        await trio.testing.wait_all_tasks_blocked()
    assert await far.receive_some() == b""


async def test_a_frame_longer_than_its_kind_ends_the_link_before_all_of_it_is_there(autojump_clock):
    near, far = trio.testing.memory_stream_pair()
    ended = Ended(near, replace(LIMITS, longest=lambda head: 500 if head[:1] == b"s" else 1000))
    async with running(ended.run):
        for sound in (b"s" * 500, b"t" * 1000):
            await far.send_all(encode_frame(sound))
        await far.send_all(encode_frame(b"s" * 501)[:100])
        await trio.testing.wait_all_tasks_blocked()
        assert [len(data) for data in ended.delivered] == [500, 1000]
        assert ended.reason == because(FrameCode.OVERSIZED, length=501, most=500)


FLOODS = {
    "heartbeats": [encode_frame(b"") * 500],
    "marks": [encode_read(0) * 500],
    "small frames": [encode_frame(b"a") * 500],
    "large frames": [encode_frame(b"a" * 1000)] * 500,
    "one byte after the other": [bytes([byte]) for byte in encode_frame(bytes(496))],
}


@pytest.mark.parametrize("flood", FLOODS.values(), ids=FLOODS)
async def test_whatever_a_peer_sends_is_read_at_a_pace_and_its_link_lives(autojump_clock, flood):
    """[L-25]"""
    limits = replace(LIMITS, bytes_read=(100 * OVERHEAD, 50.0 * OVERHEAD))
    near, far = trio.testing.memory_stream_pair()
    ended = Ended(near, limits)
    async with running(ended.run):
        began = trio.current_time()
        for part in flood:  # each is read before the next one comes
            await far.send_all(part)
            await trio.testing.wait_all_tasks_blocked()
            while ended.link._delivering:
                await trio.sleep(0.1)
        assert trio.current_time() - began > 400 / 50 - 1
        assert ended.link.reason is None
        await far.send_all(encode_frame(b"and a word"))
        await trio.sleep(1)
        assert ended.delivered[-1] == b"and a word"


async def test_all_that_was_posted_is_out_when_drained_but_of_a_closed_link(autojump_clock):
    async with one_link() as (ended, far):
        ended.link.post(b"last words")
        await ended.link.drained()
        assert ended.link._queued_bytes == 0
        assert await far.receive_some() == encode_frame(b"last words")
    near, _far = trio.testing.memory_stream_pair()
    link = Link(near, LIMITS)
    link.post(b"never sent")
    link.close(Reason("enough"))
    await link.drained()


async def test_a_first_frame_is_out_when_drained_and_all_who_wait_are_told(autojump_clock):
    near, far = trio.testing.memory_stream_pair()
    link = Link(near, LIMITS, encode_frame(b"welcome"))
    async with running(partial(link.run, trio.lowlevel.checkpoint, Ended(near).deliver)):
        await link.drained()
        assert trio.current_time() < LIMITS.heartbeat
        assert await far.receive_some() == encode_frame(b"welcome")
    near, _far = trio.testing.memory_stream_pair()
    ended, told = Ended(near), []

    async def wait():
        await ended.link.drained()
        told.append(trio.current_time())

    async with running() as nursery:
        ended.link.post(b"last words")
        nursery.start_soon(wait)
        nursery.start_soon(wait)
        await trio.testing.wait_all_tasks_blocked()
        nursery.start_soon(ended.run)
        await trio.testing.wait_all_tasks_blocked()
        assert len(told) == 2


class Tap(Stuck):
    """Notes how much is sent at once."""

    def __init__(self, stream):
        super().__init__(stream)
        self.sizes = []

    async def send_all(self, data):
        self.sizes.append(len(data))
        await super().send_all(data)


async def test_a_long_frame_goes_out_in_records_in_time_and_small_ones_in_one(autojump_clock):
    near, far = trio.testing.memory_stream_pair()
    tap = Tap(near)
    a, b = Ended(tap, Limits()), Ended(far, Limits())
    async with running(a.run, b.run):
        a.link.post(bytes(100_000))
        await trio.testing.wait_all_tasks_blocked()
        assert b.delivered == [bytes(100_000)]
    assert max(tap.sizes) == RECORD
    assert Limits().silence / 2 > RECORD / 2000
    near, far = trio.testing.memory_stream_pair()
    tap, limits = Tap(near), Limits(queue_bytes=1 << 20)
    ended, other = Ended(tap, limits), Ended(far, limits)
    frames = [bytes([number]) * 300 for number in range(1, 11)] + [b"x" * 5000, b"last"]
    async with running(other.run) as nursery:
        for data in frames:
            assert ended.link.post(data)
        nursery.start_soon(ended.run)
        await trio.sleep(1)
        assert other.delivered == frames
        assert max(tap.sizes) <= RECORD
        assert len(tap.sizes) == 2 + 3 + 1


@pytest.mark.parametrize("size", [1, 3000])
async def test_what_is_under_way_is_not_sent_again_before_it_is_read(autojump_clock, size):
    near, far = trio.testing.memory_stream_pair()
    a, b = Ended(near, Limits()), Ended(far, Limits())
    same = bytes(size)
    async with running(a.run) as nursery:
        await trio.testing.wait_all_tasks_blocked()
        for _ in range(3):  # the first one waits, then the system has it
            assert a.link.post(same, once=True)
            assert a.link.post(b"x" + same, once=True)
            await trio.sleep(1)
        nursery.start_soon(b.run)
        await trio.sleep(0.1)
        assert b.delivered == [same, b"x" + same]
        a.link.post(same, once=True)
        await trio.sleep(0.1)
        assert b.delivered.count(same) == 1  # nothing has come back yet
        b.link.post(b"asked")
        await trio.sleep(0.1)
        a.link.post(same, once=True)
        a.link.post(same, once=True)
        await trio.sleep(0.1)
        assert b.delivered == [same, b"x" + same, same]
    assert a.link._queued_bytes == 0


async def test_what_was_read_is_told_before_what_goes_out_after(autojump_clock):
    """A question shows how far the asker had read, and a heartbeat does where none is asked."""
    async with one_link() as (ended, far):
        await far.send_all(encode_frame(b"said"))
        await trio.testing.wait_all_tasks_blocked()
        ended.link.post(b"asked")
        ended.link.post(b"more")
        await trio.testing.wait_all_tasks_blocked()
        told = encode_read(8) + encode_frame(b"asked") + encode_frame(b"more")
        assert await far.receive_some() == told
        await far.send_all(encode_read(len(told)) + encode_frame(b""))
        await trio.sleep(LIMITS.heartbeat)
        assert await far.receive_some() == encode_read(16)
        await trio.sleep(LIMITS.heartbeat)
        assert await far.receive_some() == encode_frame(b"")


async def test_what_is_not_heeded_yet_is_not_said_to_be_read(autojump_clock):
    """A frame tells of what was read when it was made, and no more."""
    near, far = trio.testing.memory_stream_pair()
    heeded = []
    link = Link(near, LIMITS, b"", True, lambda: bool(heeded))
    async with running(partial(link.run, trio.lowlevel.checkpoint, Ended(near).deliver)):
        await far.send_all(encode_frame(b"abc"))
        await trio.testing.wait_all_tasks_blocked()
        link.post(b"1")
        heeded.append(True)
        await trio.testing.wait_all_tasks_blocked()
        assert await far.receive_some() == encode_frame(b"1")
        link.post(b"2")
        await far.send_all(encode_frame(b"defg"))
        await trio.testing.wait_all_tasks_blocked()
        assert await far.receive_some() == encode_read(7) + encode_frame(b"2")
        link.post(b"3")
        await trio.testing.wait_all_tasks_blocked()
        assert await far.receive_some() == encode_read(15) + encode_frame(b"3")


async def test_a_first_frame_does_not_count(autojump_clock):
    near, far = trio.testing.memory_stream_pair()
    link = Link(near, LIMITS, encode_frame(b"welcome"), acknowledges=True)
    link.post(b"a", once=True)
    async with running(partial(link.run, trio.lowlevel.checkpoint, Ended(near).deliver)):
        await link.drained()
        assert await far.receive_some() == encode_frame(b"welcome") + encode_frame(b"a")
        for read, again, told in ((4, b"", 4), (5, encode_frame(b"a"), 8)):
            await far.send_all(encode_read(read))
            await trio.testing.wait_all_tasks_blocked()
            link.post(b"a", once=True)
            link.post(b"b")
            await trio.testing.wait_all_tasks_blocked()
            assert await far.receive_some() == encode_read(told) + again + encode_frame(b"b")


async def test_a_link_in_no_hurry_collects_what_goes_out_and_then_sends_it_at_once(autojump_clock):
    """Who comes late has a whole game to read."""
    ended, other = (Ended(stream) for stream in trio.testing.memory_stream_pair())
    ended.link.is_unhurried = True
    async with running(ended.run, other.run):
        ended.link.post(b"first")
        await trio.sleep(UNHURRIED[0] / 2)
        ended.link.post(b"second")
        assert other.delivered == []
        await trio.sleep(UNHURRIED[1])
        assert other.delivered == [b"first", b"second"]
        await trio.sleep(100)  # and its heartbeats are in time
        assert ended.link.reason is None
        assert other.link.reason is None
    near, far = trio.testing.memory_stream_pair()
    limits = Limits(queue_bytes=1 << 20)
    ended, other = Ended(near, limits), Ended(far, limits)
    ended.link.is_unhurried = True
    frames = [number.to_bytes(4, "big") + bytes(600) for number in range(1000)]
    async with running(other.run) as nursery:
        for data in frames:
            assert ended.link.post(data)
        nursery.start_soon(ended.run)
        await trio.sleep(UNHURRIED[1])
        assert other.delivered == frames


def entered(ways, *frames):
    """What of these is to be queued; it goes out at once, a hundred bytes each."""
    names = [name for name in map(ways.enter, frames) if name is not None]
    for name in names:
        ways.write(100, [name])
    return len(names)


def test_a_frame_enters_again_once_its_last_byte_is_read_and_so_many_are_remembered():
    ways = UnderWay()
    assert entered(ways, ONE, ONE, TWO) == 2
    for read, again in ((0, 0), (99, 0), (100, 1), (100, 0), (199, 0)):
        ways.acknowledge(read)
        assert entered(ways, ONE) == again
    assert entered(ways, TWO) == 0
    ways.acknowledge(300)
    assert entered(ways, ONE, TWO) == 2
    ways = UnderWay()
    frames = [number.to_bytes(4, "big") for number in range(MOST + 1)]
    assert entered(ways, *frames) == MOST + 1
    assert len(ways._names) == len(ways._out) == MOST
    assert entered(ways, *frames[1:]) == 0
    assert entered(ways, frames[0]) == 1


def test_what_only_waits_is_under_way_whatever_is_read_and_the_count_goes_round():
    ways = UnderWay()
    name = ways.enter(ONE)
    ways.write(100, [])
    ways.acknowledge(100)
    assert ways.enter(ONE) is None
    ways.write(100, [name])
    ways.acknowledge(200)
    assert ways.enter(ONE) == name
    ways = UnderWay()
    for _ in range(5):
        ways.write(MARK - 7, [])
        ways.acknowledge(ways._written % MARK)
        assert entered(ways, ONE) == 1
        ways.acknowledge((ways._written - 1) % MARK)
        assert entered(ways, ONE) == 0
        ways.acknowledge(ways._written % MARK)
    assert ways._known == ways._written > 4 * MARK


@pytest.mark.parametrize("forged", [101, 1 << 20, MARK - 1])
def test_more_than_was_written_or_less_than_before_says_nothing(forged):
    ways = UnderWay()
    assert entered(ways, ONE) == 1
    ways.acknowledge(50)
    for read in (forged, 49, 0):
        ways.acknowledge(read)
        assert entered(ways, ONE) == 0
    ways.acknowledge(100)
    assert entered(ways, ONE) == 1
