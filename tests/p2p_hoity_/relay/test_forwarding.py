"""Tests of a splice: every byte goes through until an end stops, idles, or has had its share."""

import pytest
import trio
import trio.testing
from support.running import running

from p2p_hoity.relay.forwarding import PIECE, Splice


def spliced(**caps):
    (one, left), (other, right) = (trio.testing.memory_stream_pair() for _ in range(2))
    return one, other, Splice((left, right), **{"idle": 30, "most": 1 << 20, **caps})


async def test_bytes_pass_both_ways_until_one_end_is_the_end_of_both(autojump_clock):
    one, other, splice = spliced()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(splice.run)
        await one.send_all(b"there")
        assert await other.receive_some() == b"there"
        await other.send_all(b"and back")
        assert await one.receive_some() == b"and back"
        await one.aclose()
        assert await other.receive_some() == b""
    (one, left), (other, right) = (trio.testing.memory_stream_pair() for _ in range(2))
    splice = Splice((left, right), 30, 1 << 20, (b"be", b"an"))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(splice.run)
        await one.send_all(b"gun")
        await other.send_all(b"swered")
        await trio.sleep(1)
        assert await other.receive_some() == b"begun"
        assert await one.receive_some() == b"answered"
        await one.aclose()
    assert splice.carried == 13


async def test_it_ends_when_idle_or_not_taken_or_cancelled_or_it_had_its_share(autojump_clock):
    one, other, splice = spliced()
    began = trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(splice.run)
        await trio.sleep(20)
        await one.send_all(b"still here")
    assert trio.current_time() - began == pytest.approx(50)
    assert await other.receive_some() == b"still here"
    assert await other.receive_some() == b""
    one, left = trio.testing.memory_stream_pair()
    right, _never_reads = trio.testing.lockstep_stream_pair()
    await one.send_all(b"take this")
    await Splice((left, right), idle=30, most=1 << 20).run()
    assert await one.receive_some() == b""
    one, other, splice = spliced()
    with trio.move_on_after(1):
        await splice.run()
    assert await one.receive_some() == await other.receive_some() == b""
    one, other, splice = spliced(most=10)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(splice.run)
        for _ in range(2):
            await one.send_all(bytes(9))
            assert await other.receive_some() == bytes(9)
        assert await other.receive_some() == b""


class Narrow(trio.abc.Stream):
    """A stream whose other end takes no more than it has asked for; it counts what was taken."""

    def __init__(self, room=0):
        self.room, self.taken, self.more = room, 0, trio.Event()
        self.closed = trio.Event()

    def widen(self, room):
        self.room += room
        self.more.set()
        self.more = trio.Event()

    async def send_all(self, data):
        while self.room < len(data):
            await self.more.wait()
        self.room -= len(data)
        self.taken += len(data)

    async def wait_send_all_might_not_block(self):
        pass

    async def receive_some(self, max_bytes=None):
        await self.closed.wait()
        return b""

    async def aclose(self):
        self.closed.set()
        await trio.lowlevel.checkpoint()


class Fountain(Narrow):
    """A stream on which there is always more to read; it counts what was read."""

    read = 0

    async def receive_some(self, max_bytes=None):
        await trio.lowlevel.checkpoint()
        self.read += max_bytes
        return bytes(max_bytes)


async def test_a_slow_reader_slows_who_writes_and_is_not_cut(autojump_clock):
    """[L-33], [L-34]"""
    fountain, reader = Fountain(), Narrow()
    async with running(Splice((fountain, reader), 30, 1 << 30).run):
        for _ in range(20):
            await trio.sleep(20)
            assert fountain.read - reader.taken == PIECE
            reader.widen(PIECE)
    fountain, reader = Fountain(), Narrow()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(Splice((fountain, reader), 30, 1 << 30).run)
        for _ in range(10):
            await trio.sleep(29)
            reader.widen(PIECE)
        assert not reader.closed.is_set()
        await trio.sleep(31)
        assert reader.closed.is_set()
        assert reader.taken == 10 * PIECE


async def test_no_other_splice_notices_a_slow_reader(autojump_clock):
    """[L-33]"""
    one, other, splice = spliced()
    async with running(Splice((Fountain(), Narrow()), 300, 1 << 30).run, splice.run):
        began = trio.current_time()
        for _ in range(50):
            await one.send_all(bytes(PIECE))
            left = PIECE
            while left:
                left -= len(await other.receive_some())
        assert trio.current_time() == began


async def test_who_takes_nothing_is_cut_though_it_talks_itself(autojump_clock):
    """[L-34]"""
    (talker, left), (writer, right) = (trio.testing.memory_stream_pair() for _ in range(2))

    class Deaf(Narrow):
        async def receive_some(self, max_bytes=None):
            return await left.receive_some(max_bytes)

    began = trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(Splice((Deaf(), right), 30, 1 << 20).run)
        await writer.send_all(b"listen")
        for _ in range(5):
            await talker.send_all(b"I am here")
            await trio.sleep(5)
            assert await writer.receive_some() == b"I am here"
        await talker.send_all(b"still here")
        assert await writer.receive_some() == b"still here"
        assert await writer.receive_some() == b""
    assert trio.current_time() - began == pytest.approx(30)
