"""Every wait of a relay ends: by what was waited for, a heartbeat, or the clock ([L-34])."""

from contextlib import suppress
from functools import partial

import pytest
import trio
import trio.testing
from support.memory_network import MemoryNetwork
from support.running import running
from support.street import ONE, SEAT, Stuck, street

from p2p_hoity.net.link_limits import Limits
from p2p_hoity.net.relay_client import CALL, OBSERVE, TAKE, TOKEN, register, spliced
from p2p_hoity.net.secure_channel import Verdict, laid_aside, secure_to
from p2p_hoity.net.transport import encode_frame, read_frame
from p2p_hoity.relay.forwarding import PIECE
from p2p_hoity.relay.relay_limits import RelayLimits

SOON = Limits().handshake
SILENT = Limits().silence
STALLED = Limits().stalled
IDLE = RelayLimits().idle


async def until_cut(stream):
    """After how many seconds a stream ends."""
    began = trio.current_time()
    while await stream.receive_some():
        pass
    return trio.current_time() - began


async def beat(stream):
    """Live on it, and read nothing."""
    while True:
        await stream.send_all(encode_frame(b""))
        await trio.sleep(2)


async def test_who_trickles_a_handshake_or_a_wish_or_wishes_nothing_is_cut(autojump_clock):
    async with street() as there:
        raw = await there.network.open(there.relay)

        async def trickle():
            for byte in b"\x16\x03\x01\x02\x00" + bytes(60):
                await raw.send_all(bytes([byte]))
                await trio.sleep(1)

        with pytest.raises(trio.BrokenResourceError):
            await trickle()
        assert await until_cut(raw) == 0
        assert trio.current_time() == pytest.approx(SOON, abs=1)
    async with street() as there:
        stream, *_ = await secure_to(await there.network.open(there.relay), None)
        assert await until_cut(stream) == pytest.approx(SOON)
        stream, *_ = await secure_to(await there.network.open(there.relay), None)
        for byte in encode_frame(CALL + b"\1" + bytes(32))[:4]:
            await stream.send_all(bytes([byte]))
            await trio.sleep(1)
        assert await until_cut(stream) == pytest.approx(SOON - 4)


async def test_who_asks_where_it_is_seen_is_answered_once(autojump_clock):
    async with street(network=MemoryNetwork(caller="192.0.2.7")) as there:
        stream, said = await there.say(OBSERVE)
        assert said is not None
        assert await until_cut(stream) == 0


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


async def quietly(act, *args):
    with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
        await act(*args)


async def test_who_does_not_read_why_not_is_cut_at_once_or_after_a_call(autojump_clock):
    network, ends = stuck_network()
    async with street(network=network) as there:
        stream, *_ = await secure_to(await network.open(there.relay), None)
        await read_frame(stream, 256)
        ends[-1].stuck = True
        await stream.send_all(encode_frame(CALL + b"\1" + SEAT.public))
        assert await until_cut(stream) == pytest.approx(SOON)
    network, ends = stuck_network()
    async with street(network=network) as there:
        await seated(there)
        stream, *_ = await secure_to(await network.open(there.relay), None)
        await read_frame(stream, 256)
        ends[-1].stuck = True
        await stream.send_all(encode_frame(CALL + b"\1" + SEAT.public))
        assert await until_cut(stream) == pytest.approx(SOON / 2 + SOON)


async def seated(there):
    """The stream of a seat that waits and lives."""
    seat = await register(there.network, there.relay, SEAT, ONE)
    there.nursery.start_soon(quietly, beat, seat)
    return seat


async def announced(there, seat, raw=None):
    """A call that the seat is told of: the caller's stream, and the token."""
    caller, *_ = await secure_to(raw or await there.network.open(there.relay), None)
    await read_frame(caller, 256)
    await caller.send_all(encode_frame(CALL + b"\1" + SEAT.public))
    return caller, await token_at(seat)


async def token_at(seat):
    while len(token := await read_frame(seat, 256)) != TOKEN:
        pass
    return token


async def test_ends_that_do_not_lay_their_tls_aside_are_both_cut(autojump_clock):
    """[L-32]"""
    async with street() as there:
        seat = await seated(there)
        caller, token = await announced(there, seat)
        taker, said = await there.say(TAKE + token)
        assert said == Verdict.WELCOME.encode()
        assert await read_frame(caller, 256) == Verdict.WELCOME.encode()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(laid_aside, taker)
            assert await until_cut(caller) == 0  # its TLS is over; the connection is not
            began = trio.current_time()
            await until_cut(caller.transport_stream)
            assert trio.current_time() - began == pytest.approx(SOON)


@pytest.mark.parametrize("talks", [True, False])
async def test_an_end_that_speaks_inside_once_it_is_welcome_is_cut(autojump_clock, talks):
    """[L-32]"""
    async with street() as there:
        seat = await seated(there)
        caller, token = await announced(there, seat)
        if talks:
            await caller.send_all(b"too early")
        async with running(partial(quietly_taken, there, token)):
            await read_frame(caller, 256)
            if not talks:
                bare, _ = await laid_aside(caller)
                await bare.send_all(b"at last")
                with trio.move_on_after(SOON) as waited:
                    await until_cut(bare)
                assert waited.cancelled_caught
            else:
                await until_cut(caller.transport_stream)
                assert trio.current_time() < SOON


async def quietly_taken(there, token, heard=None):
    stream = await spliced(there.network, there.relay, TAKE + token)
    while piece := await stream.receive_some():
        if heard is not None:
            heard.append(piece)


class Trailing(Stuck):
    """A stream on which more goes out right behind what is sent."""

    more = b""

    async def send_all(self, data):
        await super().send_all(bytes(data) + self.more)


@pytest.mark.parametrize("size", [PIECE, PIECE + 1])
async def test_who_says_more_than_is_held_before_the_splice_is_cut(size, autojump_clock):
    """[L-33]"""
    async with street() as there:
        seat = await seated(there)
        trailing = Trailing(await there.network.open(there.relay))
        caller, token = await announced(there, seat, trailing)
        heard = []
        async with trio.open_nursery() as nursery:
            nursery.start_soon(quietly_taken, there, token, heard)
            await read_frame(caller, 256)
            trailing.more = bytes(size)
            bare, _ = await laid_aside(caller)
            with suppress(trio.BrokenResourceError):
                await until_cut(bare)
        assert sum(map(len, heard)) == (size if size <= PIECE else 0)


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
