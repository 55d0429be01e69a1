"""The race between several ways to a peer: the first counts, and no stream is left over."""

import pytest
import trio
import trio.testing
from support.cases import ends_in

from p2p_hoity.net.address_schemes import Scheme
from p2p_hoity.net.addresses import Address
from p2p_hoity.net.dialler import Secured, race
from p2p_hoity.net.link_limits import Limits
from p2p_hoity.net.network_errors import NetCode, NetError

LIMITS = Limits()
NEAR, FAR, RELAY = Address("near", 1), Address("far", 1), Address("relay", 1, Scheme.RELAY)


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
            raise NetError(NetCode.NOBODY_LISTENS)
        near, self.far_ends[address.host] = trio.testing.memory_stream_pair()
        return Secured(near, bytes(32), bytes(32), address)

    async def race(self, *addresses):
        return await race(self.attempt, addresses, LIMITS)


async def test_the_first_to_succeed_counts_and_no_stream_is_left_of_another(autojump_clock):
    assert (await Ways(near=3, far=1).race(NEAR, FAR)).address == FAR
    ways = Ways(near=-0.1, relay=0)
    began = trio.current_time()
    assert (await ways.race(NEAR, RELAY)).address == RELAY
    assert trio.current_time() - began == pytest.approx(0.1)
    ways = Ways(near=4, far=4, relay=4)
    began = trio.current_time()
    await ways.race(RELAY, NEAR, FAR)
    assert {host: at - began for host, at in ways.begun.items()} == pytest.approx(
        {"near": 0, "far": LIMITS.stagger, "relay": LIMITS.stagger + LIMITS.relay_stagger}
    )
    failure = await ends_in(NetError, "", Ways(near=-1, far=60).race(NEAR, FAR))
    told = "no-way reasons=[(nobody-listens), (slow-answer address='far:1' seconds=5.0)]"
    assert str(failure) == told
    both = trio.Event()
    far_ends = []

    async def attempt(address):
        await both.wait()
        near, far = trio.testing.memory_stream_pair()
        far_ends.append((address, far))
        return Secured(near, bytes(32), bytes(32), address)

    async def release():
        await trio.sleep(1)
        both.set()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(release)
        secured = await race(attempt, [NEAR, FAR], LIMITS)
    (cut,) = [far for address, far in far_ends if address != secured.address]
    assert await cut.receive_some() == b""
    near, far = trio.testing.memory_stream_pair()

    async def hanging(address):
        if address == FAR:
            await trio.sleep_forever()
        cancelling.cancel()
        return Secured(near, bytes(32), bytes(32), address)

    with trio.CancelScope() as cancelling:
        await race(hanging, [FAR, NEAR], LIMITS)
    assert cancelling.cancelled_caught
    assert await far.receive_some() == b""
