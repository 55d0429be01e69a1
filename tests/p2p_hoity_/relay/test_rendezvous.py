"""Tests of those who wait at a relay and of calls to them: who is let in, when a wait ends."""

from contextlib import suppress

import pytest
import trio
import trio.testing
from support.cases import ends_in
from support.memory_network import MemoryNetwork
from support.street import (
    GUEST,
    ONE,
    OTHER,
    SEAT,
    TWO,
    Stuck,
    beat,
    seated,
    street,
    street_for_two,
    token_at,
    until_cut,
)

from p2p_hoity.coded_errors import Reason
from p2p_hoity.net.hub import Frame, LinkDown, LinkUp
from p2p_hoity.net.link_limits import Limits
from p2p_hoity.net.network_errors import NetError
from p2p_hoity.net.relay_client import CALL, TAKE, register, spliced
from p2p_hoity.net.transport import TcpNetwork, encode_frame, read_frame
from p2p_hoity.relay.forwarding import Splice
from p2p_hoity.relay.relay_limits import RelayLimits
from protocol.crypto.identities import Identity

SOON = Limits().handshake
SILENT = Limits().silence
STALLED = Limits().stalled
IDLE = RelayLimits().idle

pytestmark = [pytest.mark.usefixtures("either_door"), pytest.mark.sampled(14)]


async def test_a_guest_reaches_a_seat_through_a_real_relay():
    async with street_for_two(network=TcpNetwork()) as (there, seat, guest):
        address = await seat.listen_via(there.place)
        assert address == f"relay+{there.place}"
        assert seat.relays() == {address}
        await guest.connect([address], SEAT.public, 5)
        assert await seat.events.receive() == LinkUp(GUEST.public, address, True)
        assert await guest.events.receive() == LinkUp(SEAT.public, address, True)
        guest.post(SEAT.public, b"through" * 30_000)
        seat.post(GUEST.public, b"and back")
        assert await seat.events.receive() == Frame(GUEST.public, b"through" * 30_000)
        assert await guest.events.receive() == Frame(SEAT.public, b"and back")
        guest.drop(SEAT.public, Reason("home"))
        assert isinstance(await seat.events.receive(), LinkDown)


async def test_a_relay_sees_nothing_of_what_passes(monkeypatch):
    passed = []

    class Watched(Splice):
        async def carry(self, early):
            self.ends = Tap(self.ends[0]), Tap(self.ends[1])
            await super().carry(early)

    class Tap(Stuck):
        async def send_all(self, data):
            passed.append(bytes(data))
            await super().send_all(data)

    monkeypatch.setattr("p2p_hoity.relay.rendezvous.Splice", Watched)
    async with street_for_two() as (there, seat, guest):
        await guest.connect([await seat.listen_via(there.place)], SEAT.public, 5)
        await seat.events.receive()
        guest.post(SEAT.public, b"a sealed secret")
        assert (await seat.events.receive()).data == b"a sealed secret"
        seen = b"".join(passed)
        assert len(seen) > 500
        for hidden in (b"a sealed secret", SEAT.public, GUEST.public):
            assert hidden not in seen


async def test_an_id_nobody_waits_under_and_no_relay_there_is_told():
    async with street() as there:
        guest = await there.hub(GUEST)
        with pytest.raises(NetError, match="verdict-unknown"):
            await guest.connect([f"relay+{there.place}"], SEAT.public, 5)
        seat = await there.hub(SEAT)
        await ends_in(NetError, "unreached address='nowhere:1'", seat.listen_via("nowhere:1"))
        assert seat.relays() == frozenset()


async def test_a_seat_that_takes_no_call_is_told_and_one_come_again_waits(autojump_clock):
    async with street() as there:
        guest = await there.hub(GUEST)
        waiting = await register(there.network, there.relay, SEAT, ONE)
        with pytest.raises(NetError, match="verdict-no-answer"):
            await guest.connect([f"relay+{there.place}"], SEAT.public, 60)
        await waiting.aclose()
    async with street() as there:
        first = await register(there.network, there.relay, SEAT, TWO)
        with pytest.raises(NetError, match="verdict-elsewhere"):
            await register(there.network, there.relay, SEAT, ONE)
        seat = await there.hub(SEAT)
        assert first is not None  # it says nothing more, and is missed in time
        assert await seat.listen_via(there.place)


async def test_one_who_waits_again_replaces_the_first_and_one_that_talks_is_cut(autojump_clock):
    async with street() as there:
        first = await register(there.network, there.relay, SEAT, ONE)
        await register(there.network, there.relay, SEAT, ONE)
        assert await first.receive_some() == b""
        waiting = await register(there.network, there.relay, SEAT, ONE)
        await waiting.send_all(encode_frame(b"hello?"))
        while await waiting.receive_some():
            pass
        await ends_in(
            NetError, r"\(verdict-unknown", spliced(there.network, there.relay, CALL + SEAT.public)
        )


async def test_another_process_of_the_same_id_is_told_and_the_first_waits_on(autojump_clock):
    async with street() as there:
        seat, clone, guest = [await there.hub(one) for one in (SEAT, SEAT, GUEST)]
        address = await seat.listen_via(there.place)
        began = trio.current_time()
        await ends_in(NetError, r"\(verdict-elsewhere", clone.listen_via(there.place))
        assert trio.current_time() - began >= 2 * Limits().silence
        assert seat.relays() == {address}
        await guest.connect([address], SEAT.public, 5)


async def test_full_a_relay_has_a_seat_of_the_most_crowded_address_make_room():
    """[L-36]"""
    network, ids = MemoryNetwork(), [Identity(bytes([n]) * 32) for n in range(20, 26)]
    async with street(network=network, limits=RelayLimits(seats=4)) as there:
        crowd = [await register(network, there.relay, one, ONE) for one in ids[:4]]
        await ends_in(NetError, r"\(verdict-full", register(network, there.relay, ids[4], ONE))
        network.caller = "another"
        held = [await register(network, there.relay, one, ONE) for one in ids[4:]]
        gone = 0
        for stream in crowd:
            with trio.move_on_after(1), suppress(trio.BrokenResourceError):
                gone += await stream.receive_some() == b""
        assert gone == 2
        await ends_in(NetError, r"\(verdict-full", register(network, there.relay, OTHER, ONE))
        assert len(held) == 2
        assert await held[0].receive_some() != b""  # a heartbeat


async def test_a_relay_has_room_for_a_thousand_tables_of_six_or_as_it_is_told():
    async with street(limits=RelayLimits(seats=1)) as there:
        await register(there.network, there.relay, SEAT, ONE)
        await ends_in(NetError, r"\(verdict-full", register(there.network, there.relay, OTHER, ONE))
        await register(there.network, there.relay, SEAT, ONE)  # who is there already may come again
    network = MemoryNetwork()
    async with street(network=network, limits=RelayLimits(seats_per_source=1)) as there:
        await register(network, there.relay, SEAT, ONE)
        network.caller = "another"
        await register(network, there.relay, OTHER, ONE)
        await ends_in(NetError, r"\(verdict-full", register(network, there.relay, SEAT, ONE))
        network.caller = "a third"
        await register(network, there.relay, SEAT, ONE)
        network.caller = "caller"
        await register(network, there.relay, GUEST, ONE)  # its place there is free again
    limits = RelayLimits(seats_per_source=1, splices_per_source=1)
    async with street(limits=limits) as there:
        seat = await there.hub(SEAT)
        await seat.listen_via(there.place)
        await ends_in(NetError, r"\(verdict-full", register(there.network, there.relay, OTHER, ONE))
        held = await spliced(there.network, there.relay, CALL + SEAT.public)
        await ends_in(
            NetError, r"\(verdict-full", spliced(there.network, there.relay, CALL + SEAT.public)
        )
        await held.aclose()
    limits = RelayLimits()
    assert limits.seats >= 1000 * 6
    assert limits.splices >= 1000 * 15
    assert limits.splices_per_source >= 15


async def test_a_splice_that_idles_or_carried_its_bytes_is_cut_and_makes_room(autojump_clock):
    async with street_for_two() as (there, seat, guest):
        await guest.connect([await seat.listen_via(there.place)], SEAT.public, 5)
        await trio.sleep(600)
        assert guest.links() == {SEAT.public}
        silent = await spliced(there.network, there.relay, CALL + SEAT.public)
        began = trio.current_time()
        while await silent.receive_some():
            pass
        assert trio.current_time() - began <= Limits().handshake  # the seat's own gate cut it
        assert guest.links() == {SEAT.public}
    async with street_for_two(limits=RelayLimits(splice_bytes=100_000)) as (there, seat, guest):
        await guest.connect([await seat.listen_via(there.place)], SEAT.public, 5)
        guest.post(SEAT.public, bytes(200_000))
        await guest.unlinked(SEAT.public)
    async with street(limits=RelayLimits(splices_per_source=1)) as there:
        seat = await there.hub(SEAT)
        await seat.listen_via(there.place)
        for _ in range(3):
            held = await spliced(there.network, there.relay, CALL + SEAT.public)
            await held.aclose()
            await trio.sleep(1)


async def test_a_seat_that_is_silent_or_deaf_is_cut_and_one_that_beats_is_not(autojump_clock):
    async with street() as there:
        silent = await register(there.network, there.relay, SEAT, ONE)
        assert await until_cut(silent) == pytest.approx(SILENT)
        beating = await register(there.network, there.relay, SEAT, ONE)
        with trio.move_on_after(600) as waited:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(beat, beating)
                await until_cut(beating)
        assert waited.cancelled_caught
    network, ends = stuck_network()
    async with street(network=network) as there:
        stream = await seated(there)
        ends[-1].stuck = True
        assert await until_cut(stream) == pytest.approx(STALLED, abs=3)


def stuck_network():
    """A network, and the far ends of all its streams in the order they were opened."""
    far_ends = []

    def make():
        near, far = trio.testing.memory_stream_pair()
        far_ends.append(Stuck(far))
        return near, far_ends[-1]

    return MemoryNetwork(make), far_ends


async def test_who_does_not_read_why_not_is_cut_at_once_or_after_a_call(autojump_clock):
    network, ends = stuck_network()
    async with street(network=network) as there:
        stream, _listener = await there.enter()
        await read_frame(stream, 256)
        ends[-1].stuck = True
        await stream.send_all(encode_frame(CALL + b"\1" + SEAT.public))
        assert await until_cut(stream) == pytest.approx(SOON)
    network, ends = stuck_network()
    async with street(network=network) as there:
        await seated(there)
        stream, _listener = await there.enter()
        await read_frame(stream, 256)
        ends[-1].stuck = True
        await stream.send_all(encode_frame(CALL + b"\1" + SEAT.public))
        assert await until_cut(stream) == pytest.approx(SOON / 2 + SOON)


async def test_ends_that_say_nothing_to_each_other_are_cut(autojump_clock):
    """[L-34]"""
    async with street() as there:
        seat = await seated(there)
        ends = []

        async def calling():
            ends.append(await spliced(there.network, there.relay, CALL + SEAT.public))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(calling)
            ends.append(await spliced(there.network, there.relay, TAKE + await token_at(seat)))
        began = trio.current_time()
        assert await until_cut(ends[0]) == pytest.approx(IDLE)
        assert await until_cut(ends[1]) == 0
        assert trio.current_time() - began == pytest.approx(IDLE)
