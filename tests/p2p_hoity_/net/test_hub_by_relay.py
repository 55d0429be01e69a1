"""Tests of the hub and relays: when one is taken, and which of two links stays."""

import pytest
import trio
import trio.testing
from support.cases import ends_in
from support.memory_network import MemoryNetwork
from support.street import GUEST, OTHER, SEAT, street, street_for_two

from p2p_hoity.net.addresses import parse_address
from p2p_hoity.net.hub import LinkDown, LinkUp
from p2p_hoity.net.network_errors import NetError
from p2p_hoity.net.relay_client import reach


async def test_the_relay_is_taken_only_when_no_direct_address_answers(autojump_clock):
    async with street_for_two() as (there, seat, guest):
        (direct,) = await seat.listen("seat", 0)
        await guest.connect([await seat.listen_via(there.place), direct], SEAT.public, 5)
        assert not (await guest.events.receive()).via_relay
    async with street_for_two() as (there, seat, guest):
        await there.network.listen("mute", 1)
        await guest.connect(["mute:1", await seat.listen_via(there.place)], SEAT.public, 5)
        assert (await guest.events.receive()).via_relay


@pytest.mark.parametrize(("one", "other"), [(SEAT, GUEST), (GUEST, SEAT)])
async def test_a_direct_link_takes_the_place_of_a_relayed_one_and_never_the_reverse(one, other):
    async with street() as there:
        a, b = await there.hub(one), await there.hub(other)
        await b.connect([await a.listen_via(there.place)], one.public, 5)
        assert (await a.events.receive()).via_relay
        (direct,) = await b.listen("b", 0)
        # Tried by hand: by itself a hub that has a link makes no second one.
        secured = await reach(there.network, parse_address(direct), other.public)
        await a.link_over(secured)
        assert isinstance(await a.events.receive(), LinkDown)
        assert await a.events.receive() == LinkUp(other.public, direct, False)
        again = await reach(there.network, there.relay, one.public)
        before = b._admission.get(one.public)
        await ends_in(NetError, r"\(verdict-duplicate\)", b.link_over(again))
        assert b._admission.get(one.public) is before
        assert a.links() == {other.public}


async def test_no_failed_attempt_leaves_a_stream_open(autojump_clock):
    near_ends = []

    def remember():
        near, far = trio.testing.memory_stream_pair()
        near_ends.append(near)
        return near, far

    async with street_for_two(network=MemoryNetwork(remember)) as (there, seat, guest):
        (direct,) = await seat.listen("seat", 0)
        await seat.listen_via(there.place)
        registered = len(near_ends)
        for address in (direct, f"relay+{there.place}", there.place):
            await ends_in(NetError, "", guest.connect([address], OTHER.public, 5))
        assert len(near_ends) == registered + 3
        for near in near_ends[registered:]:
            await ends_in(trio.ClosedResourceError, "", near.send_all(b"x"))


async def test_a_seat_comes_back_to_a_relay_that_was_away(autojump_clock):
    async with street_for_two() as (there, seat, guest):
        address = await seat.listen_via(there.place)
        there.relaying.cancel()
        await trio.sleep(60)
        assert seat.relays() == frozenset()
        await there.open_relay(port=there.relay.port)
        await trio.sleep(60)
        assert seat.relays() == {address}
        await guest.connect([address], SEAT.public, 5)
