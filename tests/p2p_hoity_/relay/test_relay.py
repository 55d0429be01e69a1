"""The relay: splices blindly, believes only proofs, and keeps to its caps."""

from contextlib import asynccontextmanager, suppress

import pytest
import trio
import trio.testing
from support.cases import ends_in
from support.memory_network import MemoryNetwork
from support.street import GUEST, ONE, OTHER, RELAY, SEAT, TWO, Stuck, street

from p2p_hoity.coded_errors import Reason
from p2p_hoity.net.address_schemes import Scheme
from p2p_hoity.net.addresses import Address, parse_address
from p2p_hoity.net.hub import Frame, LinkDown, LinkUp
from p2p_hoity.net.link_limits import Limits
from p2p_hoity.net.network_errors import NetError
from p2p_hoity.net.relay_client import (
    CALL,
    OBSERVE,
    REGISTER,
    TAKE,
    observed,
    reach,
    register,
    spliced,
)
from p2p_hoity.net.secure_channel import (
    RELAY_VERSIONS,
    BegunStream,
    Listener,
    Purpose,
    Verdict,
    credentials,
    laid_aside,
    secure_from,
)
from p2p_hoity.net.transport import TcpNetwork, encode_frame, read_frame
from p2p_hoity.relay.forwarding import Splice
from p2p_hoity.relay.relay_limits import RelayLimits
from protocol.crypto.identities import Identity


@asynccontextmanager
async def street_for_two(**how):
    async with street(**how) as there:
        yield there, await there.hub(SEAT), await there.hub(GUEST)


async def lie(there, told):
    """Open a relay that answers the first wish of whoever comes by this."""
    (door,) = await there.network.listen("bad-relay", 1)

    async def attend():
        raw, _ = await door.accept()
        stream = await secure_from(raw, credentials(RELAY.seed))
        await stream.send_all(encode_frame(RELAY_VERSIONS.challenge(ONE)))
        await told(stream, await read_frame(stream, 256))

    there.nursery.start_soon(attend)


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
        await b.link_over(again)
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


async def test_a_lying_relay_is_found_out_or_not_believed():
    """A lying relay cannot keep a seat from its table."""
    async with street() as there:
        guest = await there.hub(GUEST)

        async def elsewhere(stream, _):
            await stream.send_all(encode_frame(Verdict.ELSEWHERE.encode()))

        await lie(there, elsewhere)
        caught = await ends_in(NetError, "", guest.connect(["relay+bad-relay:1"], SEAT.public, 5))
        assert not getattr(caught, "elsewhere", False)
    async with street() as there:
        guest, lying = await there.hub(GUEST), await there.hub(OTHER)

        async def itself(stream, wish):
            assert wish == CALL + b"\1" + SEAT.public
            await stream.send_all(encode_frame(Verdict.WELCOME.encode()))
            bare, early = await laid_aside(stream)
            await lying.attend(BegunStream(early, bare), Address("bad-relay", 1))

        await lie(there, itself)
        with pytest.raises(NetError, match=r"bad-relay:1' why=.someone-else-answers"):
            await guest.connect(["relay+bad-relay:1"], SEAT.public, 5)


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


def proof(identity, purpose=Purpose.RELAY, relay=None, instance=ONE):
    def wish(peer, certificate, challenge):
        listener = Listener(purpose, relay or peer, certificate, RELAY_VERSIONS)
        return REGISTER + listener.answer(identity, instance, challenge)

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


@pytest.mark.parametrize(
    ("caller", "seen"),
    [
        ("192.0.2.9", "192.0.2.9:2"),
        ("2001:db8::9", "[2001:db8::9]:2"),
        ("::ffff:192.0.2.9", "192.0.2.9:2"),
        ("fe80::9%eth0", "[fe80::9]:2"),
    ],
)
async def test_a_relay_tells_where_it_sees_one_come_from(caller, seen):
    """[L-31]"""
    async with street(network=MemoryNetwork(caller=caller)) as there:
        assert str(await observed(there.network, there.relay)) == seen


async def test_a_relay_that_sees_no_address_says_none():
    async with street(network=MemoryNetwork(caller="somewhere")) as there:
        await ends_in(NetError, r"\(connection-ended", observed(there.network, there.relay))


@pytest.mark.parametrize(
    "said",
    [
        b"",
        bytes([4, 4, 192, 0, 2, 9]),
        bytes([4, 6, 192, 0, 2, 9, 0, 0]),
        bytes([4, 6, 192, 0, 2, 9, 18, 52, 0]),
        bytes([1, 6]) + b"home" + bytes([18, 52]),
        bytes([6, 18, *bytes(10), 255, 255, 192, 0, 2, 9, 18, 52]),
        bytes([5, 6, 192, 0, 2, 9, 18, 52]),
        bytes([2, 9]) + b"wss://a.b",
        b"\5",
    ],
)
async def test_what_is_not_one_address_is_not_taken_for_one(said):
    """[L-31]"""
    async with street() as there:

        async def no_address(stream, wish):
            assert wish == OBSERVE + b"\1"
            await stream.send_all(encode_frame(said))
            await stream.aclose()

        await lie(there, no_address)
        with pytest.raises(NetError, match=r"answer-without-address|connection-ended"):
            await observed(there.network, Address("bad-relay", 1, Scheme.RELAY))


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
