"""The race between several ways to a peer: the first counts, and no stream is left over."""

import itertools

import pytest
import trio
import trio.testing

from p2p_hoity.net.addresses import Address
from p2p_hoity.net.errors import NetError
from p2p_hoity.net.limits import Limits
from p2p_hoity.net.race import Race, Secured

LIMITS = Limits()
NEAR, FAR, RELAY = Address("near", 1), Address("far", 1), Address("relay", 1, via_relay=True)


class Ways:
    """Attempts that take a given time, or fail after it when it is below zero."""

    def __init__(self, **seconds):
        self.seconds = seconds
        self.begun = {}
        self.far_ends = {}

    async def attempt(self, address):
        self.begun[address.host] = trio.current_time()
        seconds = self.seconds[address.host]
        await trio.sleep(abs(seconds))
        if seconds < 0:
            raise NetError(f"{address}: nobody")
        near, self.far_ends[address.host] = trio.testing.memory_stream_pair()
        return Secured(near, bytes(32), bytes(32), address)

    async def race(self, *addresses):
        return await Race(self.attempt, LIMITS).run(addresses)


async def test_the_first_to_succeed_counts(autojump_clock):
    assert (await Ways(near=3, far=1).race(NEAR, FAR)).address == FAR


async def test_each_gets_a_head_start_over_the_next_and_relays_come_last(autojump_clock):
    ways = Ways(near=4, far=4, relay=4)
    began = trio.current_time()
    await ways.race(RELAY, NEAR, FAR)
    assert {host: at - began for host, at in ways.begun.items()} == pytest.approx(
        {"near": 0, "far": LIMITS.stagger, "relay": LIMITS.stagger + LIMITS.relay_stagger}
    )


async def test_a_failure_ends_the_head_start(autojump_clock):
    ways = Ways(near=-0.1, relay=0)
    began = trio.current_time()
    assert (await ways.race(NEAR, RELAY)).address == RELAY
    assert trio.current_time() - began == pytest.approx(0.1)


async def test_all_failures_are_told(autojump_clock):
    with pytest.raises(NetError) as failure:
        await Ways(near=-1, far=60).race(NEAR, FAR)
    assert str(failure.value) == "near:1: nobody; far:1 did not answer in 5 s"


async def test_of_two_at_once_the_second_is_cut(autojump_clock):
    ways = Ways(near=1 + LIMITS.stagger, far=1)
    won = (await ways.race(NEAR, FAR)).address.host
    for host, far_end in ways.far_ends.items():
        if host != won:
            assert await far_end.receive_some() == b""


async def test_cancelling_at_any_point_leaves_no_stream(autojump_clock):
    for cancel_at in itertools.chain((0, 0.5, 1), (1.000001,)):
        ways = Ways(near=1, far=1)
        with trio.move_on_after(cancel_at) as scope:
            secured = await ways.race(NEAR, FAR)
        if scope.cancelled_caught:
            for far_end in ways.far_ends.values():
                assert await far_end.receive_some() == b""
        else:
            assert secured.address == NEAR
