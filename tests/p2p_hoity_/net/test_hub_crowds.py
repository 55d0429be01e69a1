"""Tests of a hub among strangers and floods: honest links live, and room is made for seats."""

import collections
import itertools

import pytest
import trio
import trio.testing
from support.cases import ends_in, fails
from support.hubs import HIGH, LOOPBACK, LOW, THIRD, dial_by_hand, hubs, pair
from support.memory_network import MemoryNetwork
from support.running import running

from p2p_hoity.coded_errors import because
from p2p_hoity.net.addresses import parse_address
from p2p_hoity.net.channel import KIND, exchange_key, open_channel, prologue
from p2p_hoity.net.dialler import PeerDialler
from p2p_hoity.net.handshake import Listener, Purpose, receive, send
from p2p_hoity.net.hub import Frame, LinkDown, LinkUp
from p2p_hoity.net.link_limits import Limits
from p2p_hoity.net.network_errors import LinkCode, NetCode, NetError, RefusedError
from p2p_hoity.net.noise import DiallerHandshake
from p2p_hoity.net.protocol_versions import LINK_VERSIONS, Speech
from p2p_hoity.net.transport import HEADER, OVERHEAD, cut
from protocol.crypto.identities import Identity

SMALL = OVERHEAD + HEADER + len(b"flood")
"""Bytes for which a small frame counts."""


# Strangers


@pytest.mark.parametrize(
    "tamper",
    [
        lambda data: data[:1] + THIRD.public + data[33:],
        lambda data: data[:-1] + bytes([data[-1] ^ 1]),
        lambda data: data[:-1],
        lambda data: b"",
    ],
    ids=["impostor", "wrong signature", "cut short", "empty"],
)
async def test_who_proves_nothing_gets_no_link(tamper):
    async with hubs(LOW) as (a,):
        (place,) = await a.listen(LOOPBACK, 0)
        stream, verdict = await dial_by_hand(place, HIGH, LOW, tamper)
        assert verdict == b"\1"
        assert await stream.receive_some() == b""
        assert a.links() == frozenset()
        await cut(stream)


@pytest.mark.parametrize(
    "said",
    [b"", b"GET / HTTP/1.0\r\n\r\n", b"\0" * 100, b"\x16\x03\x01\xff\xff", LINK_VERSIONS.greeting],
)
async def test_garbage_and_port_scans_disturb_nobody(said):
    async with pair() as (a, b):
        (place,) = await a.listen(LOOPBACK, 0)
        stream = await trio.open_tcp_stream(LOOPBACK, int(place.rpartition(":")[2]))
        await stream.send_all(said)
        await stream.aclose()
        b.post(LOW.public, b"undisturbed")
        assert await a.events.receive() == Frame(HIGH.public, b"undisturbed")


async def test_an_oversized_frame_costs_its_sender_the_link_and_nobody_else():
    async with pair() as (a, b):
        (place,) = await a.listen(LOOPBACK, 0)
        stream, _ = await dial_by_hand(place, THIRD, LOW)
        assert isinstance(await a.events.receive(), LinkUp)
        await stream.send_all(b"\x7f\xff\xff\xff")
        down = await a.events.receive()
        assert down.peer == THIRD.public
        assert down.reason.fields["length"] == (1 << 31) - 1
        await cut(stream)
        b.post(LOW.public, b"undisturbed")
        assert await a.events.receive() == Frame(HIGH.public, b"undisturbed")


async def test_silent_connections_are_cut_and_an_honest_one_gets_in(autojump_clock):
    limits = Limits(unauthenticated=8, unauthenticated_per_source=8)
    network = MemoryNetwork()
    async with hubs(LOW, HIGH, network=network, limits=limits) as (a, b):
        await a.listen("table", 1)
        silent = []
        b.dial("table:1", LOW.public)
        for _ in range(500):
            silent.append(await network.open(parse_address("table:1")))
            await trio.testing.wait_all_tasks_blocked()
            assert len(a._unproven) <= 8
        assert b.links() == {LOW.public}
        await trio.sleep(limits.handshake + 1)
        assert len(a._unproven) == 0
        assert b.links() == {LOW.public}
        for stream in silent:
            assert not await stream.receive_some()  # all of them are cut
        assert isinstance(a.events.receive_nowait(), LinkUp)
        fails(trio.WouldBlock, "", a.events.receive_nowait)


async def test_a_first_message_that_was_sent_again_gives_way_to_who_has_answered(autojump_clock):
    """[L-12]"""
    limits = Limits(unauthenticated=8, unauthenticated_per_source=8)
    network = MemoryNetwork()
    first = KIND + DiallerHandshake(prologue(LOW.public), exchange_key(LOW.public)).first()
    async with hubs(LOW, network=network, limits=limits) as (a,):
        await a.listen("table", 1)

        async def opened():
            return await network.open(parse_address("table:1"))

        raw, held = await opened(), []
        channel = await open_channel(raw, LOW.public)
        known = Listener(Purpose.LINK, LOW.public, channel.handshake_hash)
        await send(channel, known.answer(HIGH, bytes(16), await receive(channel)))
        for _ in range(100):
            again = await opened()
            held.append(again)
            await again.send_all(first)
            await trio.testing.wait_all_tasks_blocked()
            assert (await again.receive_some())[:1] == KIND
        # Its hello is still missing, and its place was never drawn.
        await send(channel, Speech().hello())
        assert isinstance(await a.events.receive(), LinkUp)
        for stream in (raw, *held):
            await cut(stream)


async def test_a_real_flood_lets_an_honest_one_in():
    async with hubs(LOW, HIGH) as (a, b), running() as nursery:
        (place,) = await a.listen(LOOPBACK, 0)
        flooding = trio.Event()
        nursery.start_soon(flood, int(place.rpartition(":")[2]), flooding)
        await flooding.wait()
        b.dial(place, LOW.public)
        assert isinstance(await a.events.receive(), LinkUp)
        assert isinstance(await b.events.receive(), LinkUp)
        assert len(a._unproven) <= Limits().unauthenticated


async def flood(port, flooding):
    """Open silent connections as fast as one can, and hold the last few hundred."""
    held = collections.deque()
    try:
        while True:
            held.append(await trio.open_tcp_stream(LOOPBACK, port))
            if len(held) > 200:
                flooding.set()
                await cut(held.popleft())
    finally:
        for stream in held:
            await cut(stream)


async def test_a_full_hub_keeps_room_for_the_tables_own():
    async with hubs(LOW, limits=Limits(links=1)) as (a,), hubs(HIGH, THIRD) as (own, newcomer):
        places = await a.listen(LOOPBACK, 0)
        a.prefer([HIGH.public])
        await newcomer.connect(places, LOW.public, 5)
        assert (await a.events.receive()).peer == THIRD.public
        await own.connect(places, LOW.public, 5)
        told = {await a.events.receive(), await a.events.receive()}
        assert LinkDown(THIRD.public, because(LinkCode.MADE_ROOM)) in told
        assert a.links() == {HIGH.public}
        await newcomer.unlinked(LOW.public)
        with pytest.raises(NetError, match=r"verdict-full|no-room"):
            await newcomer.connect(places, LOW.public, 5)


async def test_one_machine_makes_room_among_its_own_and_locks_no_newcomer_out():
    """A guest is a newcomer too until it has shown its ticket."""
    async with hubs(LOW, limits=Limits(links_per_source=1)) as (a,), hubs(HIGH, THIRD) as (b, c):
        places = await a.listen(LOOPBACK, 0)
        for stranger in (b, c):
            await stranger.connect(places, LOW.public, 5)
        assert a.links() == {THIRD.public}
        a.prefer([THIRD.public])
        await b.unlinked(LOW.public)
        await ends_in(NetError, r"\((verdict-full|no-room)", b.connect(places, LOW.public, 5))
    crowd = [Identity(bytes([n]) * 32) for n in range(10, 16)]
    async with hubs(LOW, limits=Limits(links=4)) as (a,), hubs(*crowd) as strangers:
        places = await a.listen(LOOPBACK, 0)
        for newcomer in strangers:
            await newcomer.connect(places, LOW.public, 5)
            assert len(a.links()) <= 4
            assert newcomer._identity.public in a.links()


@pytest.mark.parametrize("own", [False, True])
async def test_a_flood_is_read_at_its_pace_and_the_others_at_once(autojump_clock, own):
    limits = Limits(bytes_read=(10 * SMALL, 5.0 * SMALL))
    async with hubs(LOW, HIGH, THIRD, network=MemoryNetwork(), limits=limits) as (a, b, c):
        await a.listen("table", 4711)
        a.prefer([HIGH.public] if own else [])
        for other in (b, c):
            await other.connect(["table:4711"], LOW.public, 5)
            assert isinstance(await a.events.receive(), LinkUp)
        a.prefer([HIGH.public, THIRD.public] if own else [THIRD.public])
        began = trio.current_time()
        for _ in range(30):
            b.post(LOW.public, b"flood")
        for _ in range(8):
            assert await a.events.receive() == Frame(HIGH.public, b"flood")
        assert trio.current_time() - began < 0.1
        c.post(LOW.public, b"word")
        assert await a.events.receive() == Frame(THIRD.public, b"word")
        for _ in range(22):
            assert await a.events.receive() == Frame(HIGH.public, b"flood")
        assert 3.9 < trio.current_time() - began < 4.9
        b.post(LOW.public, bytes(50 * SMALL))
        assert await a.events.receive() == Frame(HIGH.public, bytes(50 * SMALL))
        assert trio.current_time() - began > 13.9
        assert a.linked(HIGH.public)


async def test_a_full_hub_says_so_and_is_left_alone_for_a_while(autojump_clock):
    """[L-65]"""
    dialled = []

    class Full:
        def linked(self, peer):
            return False

        async def unlinked(self, peer):
            await trio.lowlevel.checkpoint()

        async def link(self, addresses, peer):
            dialled.append(trio.current_time())
            await trio.lowlevel.checkpoint()
            raise RefusedError(NetCode.AT, full=True)

    dialler = PeerDialler(LOW.public, Full(), Limits())
    dialler.add(parse_address("a:1"))
    with trio.move_on_after(300):
        await dialler.run()
    pauses = [later - before for before, later in itertools.pairwise(dialled)]
    assert len(pauses) > 5
    assert min(pauses) >= Limits().full_pause
    assert max(pauses) <= 3 * Limits().full_pause
    assert len({round(pause, 3) for pause in pauses}) > 1  # uneven
    network = MemoryNetwork()
    limits = Limits(links=1)
    full, others = hubs(LOW, network=network, limits=limits), hubs(HIGH, THIRD, network=network)
    async with full as (a,), others as (b, c):
        where = await a.listen("a", 1)
        a.prefer([HIGH.public])
        await b.connect(where, LOW.public, 5)
        caught = await ends_in(RefusedError, "", c.connect(where, LOW.public, 5))
    assert caught.full
    assert not caught.elsewhere


async def test_one_identity_brings_up_only_so_many_links_in_a_row(autojump_clock):
    network, (most, rate) = MemoryNetwork(), Limits().link_ups
    async with hubs(LOW, network=network) as (a,), hubs(THIRD, network=network) as (other,):
        places = await a.listen("table", 0)
        ways = [parse_address(place) for place in places]
        told = []
        for _ in range(int(most) + 2):
            async with hubs(HIGH, network=network) as (b,):
                try:
                    await b.link(ways, LOW.public)
                    await a.events.receive()
                    b.drop(LOW.public, because(LinkCode.MADE_ROOM))
                    await a.unlinked(HIGH.public)
                    await a.events.receive()
                except RefusedError as error:
                    told.append(error.full)
        assert told == [True, True]
        await other.link(ways, LOW.public)
        await trio.sleep(1 / rate)
        async with hubs(HIGH, network=network) as (b,):
            await b.link(ways, LOW.public)
