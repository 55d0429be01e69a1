"""Frames: whole, byte by byte, with data behind them, and never longer than the cap."""

import itertools

import pytest
import trio.testing
from hypothesis import given
from hypothesis import strategies as st
from support.cases import ends_in

from p2p_hoity.net import framing
from p2p_hoity.net.errors import NetError

MOST = 50
READ = st.integers(min_value=0, max_value=framing.MARK - 1)
PLACES = st.lists(st.integers(0), max_size=20)
FRAMES = st.lists(st.binary(max_size=MOST), max_size=8)


def cut_at(data, places):
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[start:end] for start, end in itertools.pairwise(edges)]


@given(FRAMES, PLACES, st.lists(st.binary(max_size=MOST) | READ, max_size=8))
def test_any_cutting_gives_the_same_frames_and_what_was_read_between_them(frames, places, parts):
    stream = b"".join(framing.encode_frame(data) for data in frames)
    buffer = framing.FrameBuffer(MOST)
    got = [data for chunk in cut_at(stream, places) for data in buffer.feed(chunk)]
    assert got == [data for data in frames if data]
    stream = b"".join(
        framing.encode_read(p) if isinstance(p, int) else framing.encode_frame(p) for p in parts
    )
    got = []
    buffer = framing.FrameBuffer(MOST, got.append)
    for chunk in cut_at(stream, places):
        got.extend(buffer.feed(chunk))
    assert got == [part for part in parts if part != b""]


async def test_only_a_frame_of_the_cap_is_read_and_the_count_of_bytes_read_goes_round():
    assert framing.encode_read(framing.MARK + 5) == framing.encode_read(5) == bytes([0x80, 0, 0, 5])
    with pytest.raises(framing.OversizedFrame):
        list(framing.FrameBuffer(MOST).feed(framing.encode_read(0)))
    assert list(framing.FrameBuffer(MOST).feed(framing.encode_frame(bytes(MOST)))) == [bytes(MOST)]
    with pytest.raises(framing.OversizedFrame, match="frame-too-large length=51 most=50"):
        list(framing.FrameBuffer(MOST).feed(framing.encode_frame(bytes(MOST + 1))[:4]))
    near, far = trio.testing.memory_stream_pair()
    await near.send_all(b"\xff\xff\xff\xff")
    await ends_in(framing.OversizedFrame, "", framing.read_frame(far, MOST))
    near, far = trio.testing.memory_stream_pair()
    await near.send_all(framing.encode_frame(b"one") + b"rest")
    assert await framing.read_frame(far, MOST) == b"one"
    assert await far.receive_some() == b"rest"


@given(st.binary(max_size=200))
def test_any_bytes_give_frames_within_the_cap_or_an_oversized_frame(garbage):
    buffer = framing.FrameBuffer(MOST)
    try:
        frames = list(buffer.feed(garbage))
    except framing.OversizedFrame:
        return
    assert all(0 < len(data) <= MOST for data in frames)


@pytest.mark.parametrize("sent", [b"", b"\0\0", b"\0\0\0\3", b"\0\0\0\3ab"])
async def test_a_frame_cut_short_is_told(sent):
    near, far = trio.testing.memory_stream_pair()
    await near.send_all(sent)
    await near.send_eof()
    await ends_in(NetError, "connection-ended", framing.read_frame(far, MOST))
