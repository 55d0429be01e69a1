"""Tests of the limits of a relay, and of what is said to a connection that has wished something."""

from collections import Counter

import pytest
import trio
import trio.testing
from support.cases import ends_in

from p2p_hoity.net.addresses import Address
from p2p_hoity.net.handshake_codes import Verdict
from p2p_hoity.net.network_errors import NetError
from p2p_hoity.net.protocol_versions import MAX_HANDSHAKE_FRAME
from p2p_hoity.net.relay_tls import TlsStream, credentials, secure_from, secure_to
from p2p_hoity.net.transport import read_frame
from p2p_hoity.relay.relay_limits import RelayLimits, Visit, count_down, lasted
from p2p_hoity.relay.relay_log import Event, Watch


async def visit() -> tuple[Visit, TlsStream]:
    """A connection at a relay, and the end of who has connected."""
    near, far = trio.testing.memory_stream_pair()
    ends: list[TlsStream] = []

    async def connect() -> None:
        ends.append((await secure_to(near))[0])

    async with trio.open_nursery() as nursery:
        nursery.start_soon(connect)
        tls = await secure_from(far, credentials(b"r" * 32))
    address = Address("192.0.2.77", 9)
    return Visit(tls, far, [], address, b"", 1, Watch(), trio.CancelScope()), ends[0]


async def test_a_refusal_is_said_noted_and_ends_the_visit():
    made, other = await visit()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(ends_in, NetError, "verdict-full", made.refuse(Verdict.FULL))
        assert await read_frame(other, 256) == Verdict.FULL.encode()
    assert made.watch.events[Event.REFUSED] == 1
    assert made.watch.refused == {"verdict-full": 1}


async def test_who_is_welcome_leaves_tls_and_what_it_said_before_is_kept():
    made, other = await visit()
    assert made.source == "192.0.2.77"
    assert made.stream is made.greeted
    early = list[bytes]()

    async def welcome() -> None:
        early.append(await made.welcome())

    async with trio.open_nursery() as nursery:
        nursery.start_soon(welcome)
        assert await read_frame(other, 256) == Verdict.WELCOME.encode()
        bare, trailing = await other.unwrap()
        assert trailing == b""
        await bare.send_all(b"begun")
    assert made.greeted is None
    assert (early[0] or await made.bare.receive_some()) == b"begun"
    with pytest.raises(RuntimeError, match="nothing is said"):
        assert made.stream


def test_a_count_of_nobody_takes_no_room():
    tally = Counter({"a": 2, "b": 1})
    count_down(tally, "a")
    count_down(tally, "b")
    assert dict(tally) == {"a": 1}


async def test_seconds_are_told_in_whole_ones(autojump_clock):
    began = trio.current_time()
    await trio.sleep(2.6)
    assert lasted(began) == {"seconds": 3}


def test_one_machine_has_a_small_part_of_a_relay_and_nobody_sends_long_frames_to_it():
    limits = RelayLimits()
    for of_one, of_all in (
        (limits.seats_per_source, limits.seats),
        (limits.splices_per_source, limits.splices),
        (limits.mailboxes_per_source, limits.mailboxes),
    ):
        assert of_one * 20 <= of_all
    assert limits.link.frame == MAX_HANDSHAKE_FRAME
    assert limits.idle > 2 * limits.link.heartbeat
