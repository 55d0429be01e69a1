"""Frames: whole, byte by byte, with data behind them, and never longer than the cap."""

import itertools

import pytest
import trio.testing
from hypothesis import given
from hypothesis import strategies as st
from support.cases import ends_in

from p2p_hoity.net import transport
from p2p_hoity.net.network_errors import NetError

MOST = 50
READ = st.integers(min_value=0, max_value=transport.MARK - 1)
PLACES = st.lists(st.integers(0), max_size=20)
FRAMES = st.lists(st.binary(max_size=MOST), max_size=8)


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
