"""Tests of the server of a relay: which wishes it knows, who is cut, and how it ends."""

from dataclasses import replace
from functools import partial

import pytest
import trio
import trio.testing
from support.cases import ends_in
from support.memory_network import MemoryNetwork
from support.street import GUEST, ONE, OTHER, SEAT, street

from p2p_hoity.coded_errors import Reason
from p2p_hoity.net.address_schemes import Scheme
from p2p_hoity.net.addresses import Address
from p2p_hoity.net.handshake import Purpose
from p2p_hoity.net.hub import Frame, Hub
from p2p_hoity.net.link_limits import Limits
from p2p_hoity.net.network_errors import NetError
from p2p_hoity.net.relay_client import CALL, OBSERVE, REGISTER, TAKE, register, spliced
from p2p_hoity.relay.relay_limits import RelayLimits
from p2p_hoity.relay.relay_log import Event, Watch
from p2p_hoity.relay.relay_server import Relay

PLACE = Address("relay", 1, Scheme.RELAY)

SOON = Limits().handshake

pytestmark = pytest.mark.usefixtures("either_door")


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


async def test_a_call_that_was_announced_cannot_be_pushed_out_by_the_silent(autojump_clock):
    limits = RelayLimits(
        link=Limits(frame=256, queue_bytes=1 << 14, unauthenticated=4, unauthenticated_per_source=4)
    )
    async with street(limits=limits) as there:
        waiting = await register(there.network, there.relay, SEAT, ONE)
        answers = []

        async def caller():
            caught = await ends_in(
                NetError, "", spliced(there.network, there.relay, CALL + SEAT.public)
            )
            answers.append(str(caught))

        there.nursery.start_soon(caller)
        await trio.testing.wait_all_tasks_blocked()
        for _ in range(50):
            await there.network.open(there.relay)
            await trio.testing.wait_all_tasks_blocked()
        await trio.sleep(60)
        assert "verdict-no-answer" in answers[0]  # by the seat, in its own time
        await waiting.aclose()


def proof(identity, purpose=None, relay=None, instance=ONE):
    def wish(shown, challenge):
        other = replace(shown, purpose=purpose or shown.purpose, listener=relay or shown.listener)
        return REGISTER + other.answer(identity, instance, challenge)

    return wish


@pytest.mark.parametrize(
    ("wish", "verdict"),
    [
        (proof(SEAT), b"\0"),
        (proof(SEAT, purpose=Purpose.LINK), b"\1"),
        (proof(SEAT, relay=OTHER.public), b"\1"),
        (lambda *seen: REGISTER + b"\1" + SEAT.public + proof(OTHER)(*seen)[34:], b"\1"),
        (REGISTER, b"\1"),
        (CALL + SEAT.public, b"\5"),
        (CALL + b"short", None),
        (TAKE + bytes(16), None),
        (OBSERVE + b"?", None),
        (b"X", None),
        (lambda *seen: REGISTER, None),
        (lambda *seen: OBSERVE + b"\0", None),
        (lambda *seen: OBSERVE + b"\2", None),
        (lambda *seen: CALL + b"\2" + SEAT.public, None),
        (lambda *seen: REGISTER + b"\2" + proof(SEAT)(*seen)[2:], None),
        (lambda *seen: b"", None),
        (bytes(257), None),
    ],
)
async def test_a_relay_believes_only_proofs_and_knows_no_other_wishes(wish, verdict):
    async with street() as there:
        _, said = await there.say(wish)
        assert said == verdict


async def test_silent_connections_are_cut_and_honest_ones_pass(autojump_clock):
    limits = RelayLimits(
        link=Limits(frame=256, queue_bytes=1 << 14, unauthenticated=8, unauthenticated_per_source=8)
    )
    async with street(limits=limits) as there:
        silent = [await there.network.open(there.relay) for _ in range(100)]
        seat, guest = await there.hub(SEAT), await there.hub(GUEST)
        await guest.connect([await seat.listen_via(there.place)], SEAT.public, 5)
        await trio.sleep(60)
        for stream in silent:
            while await stream.receive_some():
                pass  # the relay's challenge is never sent to who is silent
        assert guest.links() == {SEAT.public}
