"""The frames between peers of a game: what is written is read, and nothing else."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.any_values import DIGESTS, HASH, NUMBER, ROW, check_parser, shaped
from support.cases import fails
from support.sampling import times

from protocol.errors import Invalid
from protocol.wire import codec, peer_frames


@pytest.mark.parametrize("direct", [(16,), (*range(16), 0), (-1,), ("1",), 1])
def test_other_forms_of_direct_are_no_frame(direct: object) -> None:
    fields = (2, 0, 1, (), direct)
    data = b"\x95\x02\x00\x01\x90\x91\xff" if direct == (-1,) else codec.encode(fields)  # type: ignore[arg-type]
    fails(Invalid, "", peer_frames.parse_frame, data)


FRAME_VALUES = st.one_of(
    ROW,
    shaped(NUMBER, st.binary(max_size=40)),
    shaped(NUMBER, DIGESTS, st.lists(NUMBER).map(tuple)),
    shaped(NUMBER, NUMBER, NUMBER, st.just((bytes(16),))),
    shaped(NUMBER, st.just(HASH), st.booleans()),
)


@given(FRAME_VALUES)
def test_any_value_is_a_frame_or_invalid(value: Any) -> None:
    """One of the right form may be longer than its kind, and then it is refused unread."""
    parse, write = peer_frames.parse_frame, peer_frames.encode_frame
    check_parser(codec.encode(value), parse, write, "bad-frame", "bad-encoding")


D = b"d" * 32

STATEMENT_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(0, 2**40) | st.binary(max_size=40),
    lambda inner: st.lists(inner, max_size=4).map(tuple),
    max_leaves=12,
)


@settings(max_examples=times(60, 1000), deadline=None)
@given(STATEMENT_VALUES | st.binary(max_size=60))
def test_any_frame_is_read_or_invalid(value: object) -> None:
    data = value if isinstance(value, bytes) else codec.encode(value)  # type: ignore[arg-type]
    try:
        frame = peer_frames.parse_frame(data)
    except Invalid:
        return
    assert peer_frames.encode_frame(frame) == data


EACH_FRAME = [
    peer_frames.Carry(b"message"),
    peer_frames.Fetch((D,), (1, 2)),
    peer_frames.Sync(1, 2, (b"0123456789abcdef",)),
    peer_frames.Own(),
    peer_frames.Told(b"\x07" * 32, True),
]


@pytest.mark.parametrize("frame", EACH_FRAME, ids=lambda f: type(f).__name__)
def test_frames_come_back_and_no_longer_frame_does(frame: peer_frames.FrameBody) -> None:
    data = peer_frames.encode_frame(frame)
    assert peer_frames.parse_frame(data) == frame
    fails(Invalid, "", peer_frames.parse_frame, data + b"\x00")


@pytest.mark.parametrize("value", [(False, b""), (True, (), ()), ()])
def test_a_frame_begins_with_its_number(value: codec.Value) -> None:
    fails(Invalid, "bad-frame", peer_frames.parse_frame, codec.encode(value))
