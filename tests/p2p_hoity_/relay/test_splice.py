"""A splice: every byte through, both ways, until an end stops, idles, or has had its share."""

import pytest
import trio
import trio.testing

from p2p_hoity.relay.splice import Splice


def spliced(**caps):
    (one, left), (other, right) = (trio.testing.memory_stream_pair() for _ in range(2))
    return one, other, Splice((left, right), **{"idle": 30, "most": 1 << 20, **caps})


async def test_bytes_pass_both_ways_and_the_end_of_one_is_the_end_of_both(autojump_clock):
    one, other, splice = spliced()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(splice.run)
        await one.send_all(b"there")
        assert await other.receive_some() == b"there"
        await other.send_all(b"and back")
        assert await one.receive_some() == b"and back"
        await one.aclose()
        assert await other.receive_some() == b""


async def test_it_ends_when_nothing_passes_for_too_long(autojump_clock):
    one, other, splice = spliced()
    began = trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(splice.run)
        await trio.sleep(20)
        await one.send_all(b"still here")
    assert trio.current_time() - began == pytest.approx(50)
    assert await other.receive_some() == b"still here"
    assert await other.receive_some() == b""


async def test_it_ends_when_the_other_end_does_not_take_what_comes(autojump_clock):
    one, left = trio.testing.memory_stream_pair()
    right, _never_reads = trio.testing.lockstep_stream_pair()
    await one.send_all(b"take this")
    await Splice((left, right), idle=30, most=1 << 20).run()
    assert await one.receive_some() == b""


async def test_cancelling_closes_both_ends(autojump_clock):
    one, other, splice = spliced()
    with trio.move_on_after(1):
        await splice.run()
    assert await one.receive_some() == await other.receive_some() == b""


async def test_it_ends_when_its_share_of_bytes_is_through(autojump_clock):
    one, other, splice = spliced(most=10)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(splice.run)
        for _ in range(2):
            await one.send_all(bytes(9))
            assert await other.receive_some() == bytes(9)
        assert await other.receive_some() == b""
