"""Tests of the hub: links over real loopback sockets, or over memory where the clock matters."""

import pytest
import trio
import trio.testing
from support.cases import ends_in, fails
from support.hubs import HIGH, LOOPBACK, LOW, THIRD, dial_by_hand, hubs, linked_pair, pair
from support.memory_network import MemoryNetwork
from support.running import running

from p2p_hoity.coded_errors import Reason, because
from p2p_hoity.net.addresses import parse_address
from p2p_hoity.net.channel import open_channel
from p2p_hoity.net.handshake import Listener, Purpose, receive
from p2p_hoity.net.handshake_codes import Verdict
from p2p_hoity.net.hub import Frame, Hub, LinkDown, LinkedElsewhere, LinkUp
from p2p_hoity.net.link_limits import Limits
from p2p_hoity.net.network_errors import AddressError, LinkCode, NetError, RefusedError
from p2p_hoity.net.protocol_versions import Speech
from p2p_hoity.net.relay_client import reach
from p2p_hoity.net.transport import cut, encode_frame, read_frame
from protocol.crypto.identities import Identity
from protocol.wire import codec

# Links


async def test_two_peers_link_and_frames_pass_both_ways():
    async with hubs(LOW, HIGH) as (a, b):
        up_at_a, up_at_b = await linked_pair(a, b)
        assert (up_at_a.peer, up_at_b.peer) == (HIGH.public, LOW.public)
        assert up_at_a.binding == up_at_b.binding == a.binding(HIGH.public)
        assert len(up_at_a.binding) == 32
        assert not up_at_a.via_relay
        assert up_at_b.address.startswith(LOOPBACK)
        assert b.post(LOW.public, b"to a" * 60_000)
        assert a.post(HIGH.public, b"to b")
        assert await a.events.receive() == Frame(HIGH.public, b"to a" * 60_000)
        assert await b.events.receive() == Frame(LOW.public, b"to b")
        assert a.links() == {HIGH.public}
        assert await b.flush(5)


async def test_closing_tells_both_why_and_a_blocked_peer_stays_out():
    async with pair() as (a, b):
        a.drop(HIGH.public, Reason("we have had enough"))
        assert await a.events.receive() == LinkDown(HIGH.public, Reason("we have had enough"))
        assert await b.events.receive() == LinkDown(LOW.public, because(LinkCode.CLOSED))
        await b.unlinked(LOW.public)
        assert a.links() == b.links() == frozenset()
        assert not b.post(LOW.public, b"too late")
    async with pair() as (a, b):
        a.block(HIGH.public, Reason("it lied"))
        assert (await a.events.receive()).reason == Reason("it lied")
        assert isinstance(await b.events.receive(), LinkDown)
        (place,) = await a.listen(LOOPBACK, 0)
        await ends_in(NetError, r"\(verdict-refused", b.connect([place], LOW.public, 5))


async def test_when_a_hub_stops_all_are_told_and_connecting_again_changes_nothing():
    async with hubs(LOW) as (a,):
        async with hubs(HIGH) as (b,):
            await linked_pair(a, b)
        await ends_in(trio.EndOfChannel, "", b.events.receive())
        assert isinstance(await a.events.receive(), LinkDown)
    async with hubs(LOW, HIGH) as (a, b):
        addresses = await a.listen(LOOPBACK, 0)
        for _ in range(3):
            await b.connect(addresses, LOW.public, 5)
        assert isinstance(await a.events.receive(), LinkUp)
        b.post(LOW.public, b"still the first link")
        assert await a.events.receive() == Frame(HIGH.public, b"still the first link")


async def test_many_hubs_make_a_full_mesh():
    identities = [Identity(bytes([n]) * 32) for n in range(1, 6)]
    async with hubs(*identities) as mesh:
        places = [(await hub.listen(LOOPBACK, 0))[0] for hub in mesh]
        for hub in mesh:
            for place, identity in zip(places, identities, strict=True):
                if hub._identity is not identity:
                    hub.dial(place, identity.public)
        for hub in mesh:
            while len(hub.links()) < len(mesh) - 1:
                assert isinstance(await hub.events.receive(), LinkUp | LinkDown)


# Dialling


async def test_dialling_goes_on_until_someone_listens_but_backs_off(autojump_clock):
    network = MemoryNetwork()
    async with hubs(LOW, HIGH, network=network) as (a, b):
        b.dial("table:4711", LOW.public)
        await trio.sleep(120)
        assert "unreached address='table:4711' why=(nobody-listens)" in str(b.trouble(LOW.public))
        await a.listen("table", 4711)
        assert await b.events.receive() == LinkUp(LOW.public, "table:4711", False)
        assert b.trouble(LOW.public) is None
    network = Counting()
    limits = Limits()
    async with hubs(HIGH, network=network) as (b,):
        b.dial("table:4711", LOW.public)
        await trio.sleep(600)
        first = network.opened
        assert 600 / limits.longest_pause <= first <= 2 * 600 / limits.longest_pause + 10
        await trio.sleep(600)
        assert network.opened > first


class Counting(MemoryNetwork):
    """Counts the attempts to open a stream."""

    opened = 0

    async def open(self, address):
        self.opened += 1
        return await super().open(address)


async def test_a_lost_link_is_dialled_again_until_forgotten(autojump_clock):
    async with hubs(LOW, HIGH, network=MemoryNetwork()) as (a, b):
        await a.listen("table", 4711)
        b.dial("table:4711", LOW.public)
        for _ in range(3):
            assert isinstance(await b.events.receive(), LinkUp)
            a.drop(HIGH.public, Reason("again"))
            assert isinstance(await b.events.receive(), LinkDown)
        b.forget(LOW.public)
        await trio.sleep(120)
        assert b.links() == frozenset()


async def test_dialling_may_begin_before_running_and_by_several_addresses(autojump_clock):
    network = MemoryNetwork()
    b = Hub(HIGH, network=network)
    b.dial("table:4711", LOW.public)
    async with hubs(LOW, network=network) as (a,):
        await a.listen("table", 4711)
        async with running() as nursery:
            await nursery.start(b.run)
            assert isinstance(await b.events.receive(), LinkUp)
    async with hubs(LOW, HIGH, network=MemoryNetwork()) as (a, b):
        await a.listen("table", 4711)
        b.dial("nowhere:1", LOW.public)
        b.dial("table:4711", LOW.public)
        assert (await b.events.receive()).address == "table:4711"


async def test_a_hub_shows_no_secret_and_refuses_what_it_cannot_do_at_once():
    fails(AddressError, "address-without-port", Hub(LOW).dial, "table", HIGH.public)
    await ends_in(RuntimeError, "running", Hub(LOW).listen(LOOPBACK, 0))
    assert LOW.seed.hex() not in repr(vars(Hub(LOW)))


async def test_a_failed_connect_names_every_way_and_a_port_in_use_is_told():
    async with hubs(LOW, HIGH) as (a, b):
        (place,) = await a.listen(LOOPBACK, 0)
        (door,) = await trio.open_tcp_listeners(0, host=LOOPBACK)
        nobody = f"{LOOPBACK}:{door.socket.getsockname()[1]}"
        await door.aclose()
        failure = await ends_in(NetError, "", b.connect([place, nobody], THIRD.public, 5))
        assert f"'{place}' why=(channel-unanswered)" in str(failure)
        assert f"unreached address='{nobody}' why=(nobody-listens)" in str(failure)
        assert a.links() == b.links() == frozenset()
        await ends_in(NetError, "no-address", b.connect([], LOW.public, 5))
        assert not a.post(HIGH.public, b"hello")
        port = int(place.rpartition(":")[2])
        await ends_in(NetError, f"'{LOOPBACK}:{port}' why=.port-in-use", b.listen(LOOPBACK, port))


async def test_connecting_to_a_listener_that_says_nothing_ends_in_time(autojump_clock):
    network = MemoryNetwork()
    await network.listen("mute", 1)
    async with hubs(HIGH, network=network) as (b,):
        began = trio.current_time()
        with pytest.raises(NetError, match="slow-answer address='mute:1' seconds=5"):
            await b.connect(["mute:1"], LOW.public, 60)
        with pytest.raises(NetError, match=r"no-link seconds=2\S* addresses=\['mute:1'\]"):
            await b.connect(["mute:1"], LOW.public, 2)
        assert trio.current_time() - began == pytest.approx(7)


# One link a peer


async def settled(hub, peer):
    """Drain a hub's events for a while; the last thing said about peer."""
    last = None
    with trio.move_on_after(60):
        async for event in hub.events:
            assert event.peer == peer
            last = event
    return last


async def test_of_two_that_dial_each_other_the_link_of_the_lower_id_stays(autojump_clock):
    async with hubs(LOW, HIGH, network=MemoryNetwork()) as (a, b):
        await a.listen("low", 1)
        await b.listen("high", 1)
        a.dial("high:1", HIGH.public)
        b.dial("low:1", LOW.public)
        up_at_a, up_at_b = await settled(a, HIGH.public), await settled(b, LOW.public)
        assert isinstance(up_at_a, LinkUp)
        assert isinstance(up_at_b, LinkUp)
        # Both kept the same one: where one dialled, the other was called.
        assert (up_at_a.address == "high:1") != (up_at_b.address == "low:1")


@pytest.mark.parametrize(("first", "stays"), [(LOW, True), (HIGH, False)])
async def test_a_second_link_replaces_the_first_only_if_the_lower_id_dialled_it(first, stays):
    """The peer dials by hand, so that it does not notice that it has a link already."""
    second = HIGH if first is LOW else LOW
    async with hubs(second) as (hub,):
        (place,) = await hub.listen(LOOPBACK, 0)
        async with hubs(first) as (peer,):
            (far,) = await peer.listen(LOOPBACK, 0)
            await hub.connect([far], first.public, 5)
            up = await hub.events.receive()
            assert isinstance(up, LinkUp)
            assert not up.again
            same = peer._instance
            hub.rest(first.public, 60.0)
            stream, verdict = await dial_by_hand(place, first, second, instance=same)
            if stays:  # the new link was dialled by the lower id
                assert verdict == b"\0"
                assert (await hub.events.receive()).reason == because(LinkCode.REPLACED)
                up = await hub.events.receive()
                assert isinstance(up, LinkUp)
                assert up.again
                assert first.public in hub._rests  # A second link does not end the peer's rest.
            else:
                assert verdict == b"\3"
            await stream.aclose()


async def test_a_peer_that_comes_again_takes_its_place_and_a_recorded_answer_opens_nothing():
    async with hubs(LOW) as (a,):
        (place,) = await a.listen(LOOPBACK, 0)
        first, _ = await dial_by_hand(place, HIGH, LOW)
        second, verdict = await dial_by_hand(place, HIGH, LOW)
        assert verdict == b"\0"
        told = [await a.events.receive() for _ in range(3)]
        assert [type(event) for event in told] == [LinkUp, LinkDown, LinkUp]
        assert a.links() == {HIGH.public}
        await first.aclose()
        await second.aclose()
    recorded = []

    def record(data):
        recorded.append(data)
        return data

    async with hubs(LOW) as (a,):
        (place,) = await a.listen(LOOPBACK, 0)
        stream, verdict = await dial_by_hand(place, HIGH, LOW, record)
        assert verdict == b"\0"
        await stream.aclose()
        assert isinstance(await a.events.receive(), LinkUp)
        assert isinstance(await a.events.receive(), LinkDown)
        stream, verdict = await dial_by_hand(place, HIGH, LOW, lambda _: recorded[0])
        assert verdict == b"\1"
        assert a.links() == frozenset()
        await cut(stream)


@pytest.mark.parametrize(
    "hello",
    [
        b"",
        bytes(4),
        encode_frame(b"hello"),
        encode_frame(codec.encode(("hello", (2, 1), None))),
        encode_frame(codec.encode(("hello", (), "https://relay"))),
        encode_frame(bytes(513)),
    ],
    ids=["none", "a heartbeat", "no frame", "falling", "no server", "too long"],
)
async def test_without_a_hello_there_is_no_link_and_no_verdict(hello, autojump_clock):
    """[L-72]"""
    network = MemoryNetwork()
    async with hubs(LOW, network=network) as (a,):
        (place,) = await a.listen("a", 1)
        raw = await network.open(parse_address(place))
        stream = await open_channel(raw, LOW.public)
        challenge = await read_frame(stream, 256)
        known = Listener(Purpose.LINK, LOW.public, stream.handshake_hash)
        data = known.answer(HIGH, bytes(16), challenge)
        began = trio.current_time()
        await stream.send_all(encode_frame(data) + hello)
        await ends_in(NetError, "", receive(stream))
        assert trio.current_time() - began <= Limits().handshake
        assert a.links() == frozenset()


async def test_who_needs_another_feature_is_refused_and_told_which_we_have(autojump_clock):
    """[L-73]"""
    network, mine = MemoryNetwork(), Speech(features=frozenset({3, 6}))
    async with hubs(LOW, network=network, speech=mine) as (a,):
        (place,) = await a.listen("a", 1)
        for features, verdict in (
            ({6}, Verdict.WELCOME),
            ({6, 9}, Verdict.WELCOME),
            ({3}, Verdict.MISFIT),
            ({3, 6, 8}, Verdict.MISFIT),
        ):
            raw = await network.open(parse_address(place))
            stream = await open_channel(raw, LOW.public)
            challenge = await read_frame(stream, 256)
            known = Listener(Purpose.LINK, LOW.public, stream.handshake_hash)
            data = known.answer(HIGH, bytes(16), challenge)
            hello = Speech(features=frozenset(features)).hello()
            await stream.send_all(encode_frame(data) + encode_frame(hello))
            assert await receive(stream) == verdict.encode()
            assert await receive(stream) == mine.hello()
            await cut(stream)


async def test_both_ends_of_a_link_know_the_page_of_the_other(autojump_clock):
    """[L-90]"""
    network = MemoryNetwork()
    async with (
        hubs(LOW, network=network) as (a,),
        hubs(HIGH, network=network, speech=Speech(page="relay.example")) as (b,),
    ):
        (place,) = await a.listen("a", 1)
        await b.connect([place], LOW.public, 5)
        assert isinstance(await a.events.receive(), LinkUp)
        assert [hub.page(one.public) for hub in (a, b) for one in (LOW, HIGH)] == [
            None,
            "relay.example",
        ] * 2
        assert a.page(bytes(32)) is None


async def test_a_frame_that_needs_a_feature_goes_to_those_who_have_named_it(autojump_clock):
    """[L-74]"""
    network = MemoryNetwork()

    def feature_of(head):
        return 5 if head[:1] == b"!" else None

    first = Speech(features=frozenset({5}), feature_of=feature_of)
    async with (
        hubs(LOW, network=network, speech=first) as (a,),
        hubs(HIGH, network=network, speech=Speech(features=frozenset({5, 7}))) as (b,),
        hubs(THIRD, network=network, speech=Speech(features=frozenset({7}))) as (c,),
    ):
        (place,) = await a.listen("a", 1)
        for one in (b, c):
            await one.connect([place], LOW.public, 5)
            assert isinstance(await a.events.receive(), LinkUp)
            assert isinstance(await one.events.receive(), LinkUp)
        assert a.post(HIGH.public, b"!new")
        assert not a.post(THIRD.public, b"!new")
        assert a.post(HIGH.public, b"old")
        assert a.post(THIRD.public, b"old")
        assert [(await b.events.receive()).data for _ in range(2)] == [b"!new", b"old"]
        assert (await c.events.receive()).data == b"old"


@pytest.mark.parametrize("seconds", [3, 30])
async def test_an_attempt_does_not_fail_if_the_peer_has_linked_meanwhile(autojump_clock, seconds):
    """Whether its time is over, or it is answered nowhere."""
    network = MemoryNetwork()
    async with hubs(LOW, HIGH, network=network) as (a, b):
        await network.listen("mute", 1)
        await a.listen("low", 1)
        await ends_in(NetError, "", a.connect(["mute:1"], HIGH.public, seconds))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(a.connect, ["mute:1"], HIGH.public, seconds)
            await trio.sleep(1)
            await b.connect(["low:1"], LOW.public, 5)
        assert a.links() == {HIGH.public}


# Two processes with one key


async def test_of_two_processes_with_one_key_the_first_is_undisturbed(autojump_clock):
    network = MemoryNetwork()
    async with hubs(LOW, HIGH, HIGH, network=network) as (a, first, second):
        await a.listen("table", 1)
        await first.connect(["table:1"], LOW.public, 5)
        with pytest.raises(RefusedError, match="verdict-elsewhere") as caught:
            await second.connect(["table:1"], LOW.public, 5)
        assert caught.value.elsewhere
        second.dial("table:1", LOW.public)
        for _ in range(3):  # it tries again and again
            assert await second.events.receive() == LinkedElsewhere(LOW.public)
        first.post(LOW.public, b"undisturbed")
        assert isinstance(await a.events.receive(), LinkUp)
        assert await a.events.receive() == Frame(HIGH.public, b"undisturbed")
    network = MemoryNetwork()
    async with hubs(LOW, HIGH, HIGH, network=network) as (a, first, second):
        await a.listen("table", 1)
        await second.listen("second", 1)
        secured = await reach(network, parse_address("second:1"), HIGH.public)
        await first.connect(["table:1"], LOW.public, 5)
        before = a._admission.get(HIGH.public)
        await a.link_over(secured)
        assert a._admission.get(HIGH.public) is before
        assert first.links() == {LOW.public}
        assert isinstance(await first.events.receive(), LinkUp)


@pytest.mark.parametrize("dials", [True, False])
async def test_a_second_process_gets_in_once_the_first_is_gone(autojump_clock, dials):
    """Whoever dialled the first link: both ends know each other's process."""
    network = MemoryNetwork()
    async with hubs(LOW, HIGH, network=network) as (a, second):
        await a.listen("table", 1)
        async with hubs(HIGH, network=network) as (first,):
            if dials:
                await first.connect(["table:1"], LOW.public, 5)
            else:
                await first.listen("first", 1)
                await a.connect(["first:1"], HIGH.public, 5)
            second.dial("table:1", LOW.public)
            assert await second.events.receive() == LinkedElsewhere(LOW.public)
        while (event := await second.events.receive()) == LinkedElsewhere(LOW.public):
            pass
        assert isinstance(event, LinkUp)


# The owner


async def test_a_link_at_rest_is_read_later_and_an_owner_at_rest_slows_its_peers(autojump_clock):
    async with hubs(LOW, HIGH, THIRD, network=MemoryNetwork()) as (a, b, c):
        await a.listen("table", 4711)
        for other in (b, c):
            await other.connect(["table:4711"], LOW.public, 5)
            assert isinstance(await a.events.receive(), LinkUp)
        a.rest(HIGH.public, 30.0)
        a.rest(HIGH.public, 1.0)  # A shorter rest does not end the longer one.
        began = trio.current_time()
        b.post(LOW.public, b"much")
        await trio.testing.wait_all_tasks_blocked()
        c.post(LOW.public, b"little")
        assert await a.events.receive() == Frame(THIRD.public, b"little")
        assert trio.current_time() - began < 1.0
        assert await a.events.receive() == Frame(HIGH.public, b"much")
        assert trio.current_time() - began >= 30.0
        assert a.linked(HIGH.public)
    async with pair(MemoryNetwork()) as (a, b):
        for number in range(500):
            assert b.post(LOW.public, b"%d" % number)
        await trio.sleep(60)
        got = [(await a.events.receive()).data for _ in range(500)]
        assert got == [b"%d" % number for number in range(500)]
        a.events.close()
        b.post(LOW.public, b"anyone?")
        assert isinstance(await b.events.receive(), LinkDown)
