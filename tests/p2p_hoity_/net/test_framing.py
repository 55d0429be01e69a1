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
    assert got == frames
    stream = b"".join(
        framing.encode_read(p) if isinstance(p, int) else framing.encode_frame(p) for p in parts
    )
    got = []
    buffer = framing.FrameBuffer(MOST, got.append)
    for chunk in cut_at(stream, places):
        for data in buffer.feed(chunk):
            got += [data] if data else []
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
    assert all(len(data) <= MOST for data in frames)


def of_kind(head):
    """Frames that begin with "s" may have 20 bytes, all others 40."""
    return 20 if head[:1] == b"s" else 40


@given(st.sampled_from([(b"s", 20), (b"t", 40)]), PLACES)
def test_a_frame_longer_than_its_kind_is_refused_when_its_first_bytes_are_there(kind, places):
    letter, most = kind
    sound = framing.encode_frame(letter * most)
    buffer = framing.FrameBuffer(MOST, longest=of_kind)
    assert [d for c in cut_at(sound, places) for d in buffer.feed(c)] == [letter * most]
    head = framing.encode_frame(letter * (most + 1))[: framing.HEADER + framing.HEAD]
    assert list(framing.FrameBuffer(MOST, longest=of_kind).feed(head[:-1])) == []
    with pytest.raises(framing.OversizedFrame, match=f"length={most + 1} most={most}"):
        list(itertools.chain.from_iterable(map(buffer.feed, cut_at(head, places))))


@pytest.mark.parametrize("sent", [b"", b"\0\0", b"\0\0\0\3", b"\0\0\0\3ab"])
async def test_a_frame_cut_short_is_told(sent):
    near, far = trio.testing.memory_stream_pair()
    await near.send_all(sent)
    await near.send_eof()
    await ends_in(NetError, "connection-ended", framing.read_frame(far, MOST))
