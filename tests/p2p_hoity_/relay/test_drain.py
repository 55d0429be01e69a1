"""A relay that is told to end: nobody new, no lies, and pairs that talk may go on for a while."""

from functools import partial

import pytest
import trio
from support.cases import ends_in
from support.memory_network import MemoryNetwork
from support.street import GUEST, ONE, OTHER, SEAT

from p2p_hoity.coded_errors import Reason
from p2p_hoity.net.address_schemes import Scheme
from p2p_hoity.net.addresses import Address
from p2p_hoity.net.hub import Frame, Hub
from p2p_hoity.net.network_errors import NetError
from p2p_hoity.net.relay_client import CALL, register, spliced
from p2p_hoity.relay.relay_limits import RelayLimits
from p2p_hoity.relay.relay_log import Event, Watch
from p2p_hoity.relay.relay_server import Relay

PLACE = Address("relay", 1, Scheme.RELAY)


class Ending:
    """A relay that can be told to end, and hubs."""

    def __init__(self, nursery):
        self.nursery, self.network = nursery, MemoryNetwork()
        self.stop, self.ended, self.watch = trio.Event(), trio.Event(), Watch()

    async def open(self, drain):
        relay = Relay(RelayLimits(), self.watch)

        async def serve(task_status):
            serving = partial(relay.serve, "relay", 1, network=self.network, stop=self.stop)
            await serving(drain=drain, task_status=task_status)
            self.ended.set()

        await self.nursery.start(serve)

    async def pair(self):
        seat, guest = (Hub(one, network=self.network) for one in (SEAT, GUEST))
        for hub in (seat, guest):
            await self.nursery.start(hub.run)
        await guest.connect([await seat.listen_via("relay:1")], SEAT.public, 5)
        await seat.events.receive()
        return seat, guest


@pytest.fixture
async def ending(nursery):
    return Ending(nursery)


async def test_pairs_that_talk_go_on_and_then_it_ends(ending, autojump_clock):
    """[L-35]"""
    await ending.open(drain=30)
    seat, guest = await ending.pair()
    ending.stop.set()
    await trio.sleep(20)
    guest.post(SEAT.public, b"still here")
    assert await seat.events.receive() == Frame(GUEST.public, b"still here")
    assert not ending.ended.is_set()
    began = trio.current_time()
    await guest.unlinked(SEAT.public)
    await ending.ended.wait()
    assert trio.current_time() - began == pytest.approx(10)
    assert ending.watch.events[Event.CLOSES] == 1


@pytest.mark.parametrize("talks", [True, False])
async def test_it_ends_with_the_last_pair_or_with_nobody_there(ending, talks, autojump_clock):
    await ending.open(drain=3600)
    guest = (await ending.pair())[1] if talks else None
    ending.stop.set()
    if guest:
        await trio.sleep(5)
        guest.drop(SEAT.public, Reason("home"))
    with trio.fail_after(1):
        await ending.ended.wait()


async def test_whoever_waits_or_calls_or_comes_is_cut_and_told_nothing(ending, autojump_clock):
    """[L-35]"""
    await ending.open(drain=3600)
    await ending.pair()
    waits = await register(ending.network, PLACE, OTHER, ONE)
    comes = await ending.network.open(PLACE)
    failed = []

    async def calling():
        failed.append(
            str(await ends_in(NetError, "", spliced(ending.network, PLACE, CALL + OTHER.public)))
        )

    ending.nursery.start_soon(calling)
    await trio.testing.wait_all_tasks_blocked()
    began = trio.current_time()
    ending.stop.set()
    assert await comes.receive_some() == b""
    while await waits.receive_some():
        pass
    await trio.testing.wait_all_tasks_blocked()
    assert trio.current_time() == began
    assert "verdict" not in failed[0]
    with pytest.raises(NetError, match="nobody-listens"):
        await ending.network.open(PLACE)
