"""Tests of TCP doors and of frames: whole, byte by byte, and never longer than the cap."""

import errno
import itertools
from typing import Any

import pytest
import trio
import trio.testing
from hypothesis import given
from hypothesis import strategies as st
from support.cases import ends_in
from support.memory_network import MemoryNetwork
from support.noted_network import Noted

from p2p_hoity.net import transport
from p2p_hoity.net.address_schemes import Scheme
from p2p_hoity.net.addresses import Address, Named
from p2p_hoity.net.network_errors import NetError, NobodyError
from p2p_hoity.net.transport import RelayedNetwork, TcpNetwork, close_listeners

LOOPBACK = "127.0.0.1"

MOST = 50
READ = st.integers(min_value=0, max_value=transport.MARK - 1)
PLACES = st.lists(st.integers(0), max_size=20)
FRAMES = st.lists(st.binary(max_size=MOST), max_size=8)

RELAY = "relay:1"


@pytest.fixture(params=[TcpNetwork, MemoryNetwork])
def network(request):
    return request.param()


async def test_bytes_pass_through_a_door_and_who_waits_at_it_is_told_when_it_shuts(network):
    (door,) = await network.listen(LOOPBACK, 0)
    near = await network.open(door.address)
    far, _caller = await door.accept()
    await near.send_all(b"hello")
    assert await far.receive_some() == b"hello"
    await trio.aclose_forcefully(near)
    assert await far.receive_some() == b""
    await trio.aclose_forcefully(far)
    await close_listeners([door])
    (door,) = await network.listen(LOOPBACK, 0)
    told = []

    async def wait():
        await ends_in(NetError, "", door.accept())
        told.append("shut")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        await trio.testing.wait_all_tasks_blocked()
        await door.aclose()
    assert told == ["shut"]


async def test_a_shut_door_has_nobody_behind_it_and_its_port_is_free_again(network):
    (door,) = await network.listen(LOOPBACK, 0)
    port = door.address.port
    await ends_in(NetError, f"'{LOOPBACK}:{port}' why=.port-in-use", network.listen(LOOPBACK, port))
    await door.aclose()
    (door,) = await network.listen(LOOPBACK, port)
    await door.aclose()
    await ends_in(NetError, r"\(nobody-listens", network.open(door.address))


async def test_everywhere_is_one_port_and_where_nothing_can_listen_that_is_told(monkeypatch):
    doors = await TcpNetwork().listen("", 0)
    assert {door.address.host for door in doors} <= {"0.0.0.0", "::"}
    assert len({door.address.port for door in doors}) == 1
    await close_listeners(doors)
    with pytest.raises(NetError, match=r"192\.0\.2\.99:0' why=.no-such-address"):
        await TcpNetwork().listen("192.0.2.99", 0)
    with pytest.raises(NetError, match="unknown-machine-name"):
        await TcpNetwork().open(Address("no-such-machine.invalid", 1))

    async def without(port, *, host, backlog):
        raise OSError(errno.EAFNOSUPPORT, "no such thing here")

    monkeypatch.setattr(trio, "open_tcp_listeners", without)
    await ends_in(NetError, r"\(no-such-address-family", TcpNetwork().listen("", 0))


async def test_a_door_waits_while_the_process_is_full_and_skips_some(monkeypatch, autojump_clock):
    door: Any
    (door,) = await TcpNetwork().listen(LOOPBACK, 0)
    troubles = [errno.EMFILE, errno.EINVAL, errno.ENOBUFS]
    accept = door._listener.accept

    async def fail_first():
        if troubles:
            raise OSError(troubles.pop(0), "trouble")
        monkeypatch.undo()
        raise trio.ClosedResourceError

    monkeypatch.setattr(door._listener, "accept", fail_first)
    began = trio.current_time()
    await ends_in(NetError, "", door.accept())
    assert trio.current_time() - began == pytest.approx(0.3)
    assert door._listener.accept == accept
    await door.aclose()


async def test_a_caller_that_is_gone_before_its_address_was_read_is_closed(monkeypatch):
    door: Any
    (door,) = await TcpNetwork().listen(LOOPBACK, 0)
    gone, callers = [], []
    accept = door._listener.accept

    async def first_is_gone():
        stream = await accept()
        if not gone:
            gone.append(stream)

            def fail():
                raise OSError(errno.ENOTCONN, "not connected")

            monkeypatch.setattr(stream.socket, "getpeername", fail, raising=False)
        return stream

    monkeypatch.setattr(door._listener, "accept", first_is_gone)
    for _ in range(2):
        callers.append(await TcpNetwork().open(door.address))
    stream, _ = await door.accept()
    assert stream is not gone[0]
    assert gone[0].socket.fileno() == -1
    for one in (stream, *callers, door):
        await one.aclose()


@pytest.mark.parametrize("host", [LOOPBACK, "localhost"])
async def test_an_address_named_by_a_stranger_does_not_lead_to_this_machine(host):
    """Nor does a name that the stranger chose."""
    network = TcpNetwork()
    (door,) = await network.listen(LOOPBACK, 0)
    port = door.address.port
    await ends_in(NetError, "not-dialled", network.open(Address(host, port, named=Named.FAR)))
    near = await network.open(Address(LOOPBACK, port, named=Named.NEAR))
    await trio.aclose_forcefully(near)
    await door.aclose()


@pytest.mark.parametrize("number", [errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL])
async def test_a_machine_without_ipv4_listens_on_ipv6(monkeypatch, number):
    listen = trio.open_tcp_listeners

    async def without(port, *, host, backlog):
        if host == "0.0.0.0":
            raise OSError(number, "no such thing here")
        return await listen(port, host="127.0.0.1", backlog=backlog)  # stands for ::

    monkeypatch.setattr(trio, "open_tcp_listeners", without)
    doors = await TcpNetwork().listen("", 0)
    assert len(doors) == 1
    await close_listeners(doors)


def cut_at(data, places):
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[start:end] for start, end in itertools.pairwise(edges)]


@given(FRAMES, PLACES, st.lists(st.binary(max_size=MOST) | READ, max_size=8))
def test_any_cutting_gives_the_same_frames_and_what_was_read_between_them(frames, places, parts):
    stream = b"".join(transport.encode_frame(data) for data in frames)
    buffer = transport.FrameBuffer(MOST)
    got = [data for chunk in cut_at(stream, places) for data in buffer.feed(chunk)]
    assert got == frames
    stream = b"".join(
        transport.encode_read(p) if isinstance(p, int) else transport.encode_frame(p) for p in parts
    )
    got = []
    buffer = transport.FrameBuffer(MOST, got.append)
    for chunk in cut_at(stream, places):
        for data in buffer.feed(chunk):
            got += [data] if data else []
    assert got == [part for part in parts if part != b""]


async def test_only_a_frame_of_the_cap_is_read_and_the_count_of_bytes_read_goes_round():
    assert (
        transport.encode_read(transport.MARK + 5)
        == transport.encode_read(5)
        == bytes([0x80, 0, 0, 5])
    )
    with pytest.raises(transport.OversizedFrame):
        list(transport.FrameBuffer(MOST).feed(transport.encode_read(0)))
    assert list(transport.FrameBuffer(MOST).feed(transport.encode_frame(bytes(MOST)))) == [
        bytes(MOST)
    ]
    with pytest.raises(transport.OversizedFrame, match="frame-too-large length=51 most=50"):
        list(transport.FrameBuffer(MOST).feed(transport.encode_frame(bytes(MOST + 1))[:4]))
    near, far = trio.testing.memory_stream_pair()
    await near.send_all(b"\xff\xff\xff\xff")
    await ends_in(transport.OversizedFrame, "", transport.read_frame(far, MOST))
    near, far = trio.testing.memory_stream_pair()
    await near.send_all(transport.encode_frame(b"one") + b"rest")
    assert await transport.read_frame(far, MOST) == b"one"
    assert await far.receive_some() == b"rest"


@given(st.binary(max_size=200))
def test_any_bytes_give_frames_within_the_cap_or_an_oversized_frame(garbage):
    buffer = transport.FrameBuffer(MOST)
    try:
        frames = list(buffer.feed(garbage))
    except transport.OversizedFrame:
        return
    assert all(len(data) <= MOST for data in frames)


def of_kind(head):
    """Frames that begin with "s" may have 20 bytes, all others 40."""
    return 20 if head[:1] == b"s" else 40


@given(st.sampled_from([(b"s", 20), (b"t", 40)]), PLACES)
def test_a_frame_longer_than_its_kind_is_refused_when_its_first_bytes_are_there(kind, places):
    letter, most = kind
    sound = transport.encode_frame(letter * most)
    buffer = transport.FrameBuffer(MOST, longest=of_kind)
    assert [d for c in cut_at(sound, places) for d in buffer.feed(c)] == [letter * most]
    head = transport.encode_frame(letter * (most + 1))[: transport.HEADER + transport.HEAD]
    assert list(transport.FrameBuffer(MOST, longest=of_kind).feed(head[:-1])) == []
    with pytest.raises(transport.OversizedFrame, match=f"length={most + 1} most={most}"):
        list(itertools.chain.from_iterable(map(buffer.feed, cut_at(head, places))))


@pytest.mark.parametrize("sent", [b"", b"\0\0", b"\0\0\0\3", b"\0\0\0\3ab"])
async def test_a_frame_cut_short_is_told(sent):
    near, far = trio.testing.memory_stream_pair()
    await near.send_all(sent)
    await near.send_eof()
    await ends_in(NetError, "connection-ended", transport.read_frame(far, MOST))


async def test_only_relays_are_dialled_and_no_port_is_had() -> None:
    noted = Noted(MemoryNetwork())
    network = RelayedNetwork(noted, [RELAY, "[2606:4700::1]:2"])
    for place in ("node1:1", "relay:2", "other:1", "127.0.0.1:1"):
        host, _, port = place.rpartition(":")
        for scheme in Scheme:
            with pytest.raises(NobodyError, match="not-by-relay"):
                await network.open(Address(host, int(port), scheme))
    assert noted.dialled == []
    for host, number in (("relay", 1), ("2606:4700::1", 2)):
        with pytest.raises(NetError, match="nobody-listens"):
            await network.open(Address(host, number))
    assert len(noted.dialled) == 2
    await ends_in(NetError, "not-by-relay", network.listen("127.0.0.1", 0))
    assert network.outlet() is None
