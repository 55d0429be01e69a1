"""Tests of the door of a relay for TLS: how it is left, and who is told its own address."""

import gc
from contextlib import suppress
from functools import partial

import pytest
import trio
import trio.testing
from support.cases import ends_in
from support.memory_network import MemoryNetwork
from support.running import running
from support.street import Stuck, announced, quietly_taken, seated, street, until_cut

from p2p_hoity.net.handshake_codes import Verdict
from p2p_hoity.net.link_limits import Limits
from p2p_hoity.net.network_errors import NetError
from p2p_hoity.net.relay_client import CALL, OBSERVE, TAKE, observed
from p2p_hoity.net.relay_tls import laid_aside, secure_to
from p2p_hoity.net.transport import encode_frame, read_frame
from p2p_hoity.relay.forwarding import PIECE

SOON = Limits().handshake


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
        stream, *_ = await secure_to(await there.network.open(there.relay))
        assert await until_cut(stream) == pytest.approx(SOON)
        stream, *_ = await secure_to(await there.network.open(there.relay))
        for byte in encode_frame(CALL + b"\1" + bytes(32))[:4]:
            await stream.send_all(bytes([byte]))
            await trio.sleep(1)
        assert await until_cut(stream) == pytest.approx(SOON - 4)


async def test_who_asks_where_it_is_seen_is_answered_once(autojump_clock):
    async with street(network=MemoryNetwork(caller="192.0.2.7")) as there:
        stream, said = await there.say(OBSERVE)
        assert said is not None
        assert await until_cut(stream) == 0


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


async def test_a_call_keeps_no_tls_in_memory(autojump_clock):
    """A relay of thousands of calls would otherwise take twice the memory."""
    async with street() as there:
        seat = await seated(there)
        gc.collect()
        before = tls_streams()
        caller, token = await announced(there, seat)
        async with running(partial(quietly_taken, there, token)):
            await read_frame(caller, 256)
            await laid_aside(caller)
            del caller
            await trio.testing.wait_all_tasks_blocked()
            gc.collect()
            assert tls_streams() == before


def tls_streams() -> int:
    """How many streams of TLS there are in this process."""
    return sum(isinstance(one, trio.SSLStream) for one in gc.get_objects())
