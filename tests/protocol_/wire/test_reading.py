"""Strict decoding from a stream: it reads what the other decoder reads, and says where it stops."""

import io
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.cases import each, fails
from support.sampling import times

from protocol.errors import Invalid
from protocol.transcript import transcript_format
from protocol.transcript.transcript_format import Reader
from protocol.transcript.verification_report import Unsound
from protocol.wire.codec import MAX_DEPTH, decode, encode


class Bounds(NamedTuple):
    """How much a file may hold: items of an array, items in all, bytes of a string."""

    MAX_ITEMS: int = 4096
    MAX_TOTAL: int = 100_000
    MAX_STRING: int = 1 << 20


BOUNDS = Bounds()

values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(0, 2**64 - 1))
    | st.one_of(st.binary(max_size=40), st.text(max_size=40)),
    lambda inner: st.lists(inner, max_size=5).map(tuple),
    max_leaves=20,
)


class Trickle(io.BytesIO):
    """A stream that gives a byte at a time."""

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(min(1, size or 0))


def read(data: bytes, bounds: Bounds = BOUNDS) -> Any:
    """The value of bytes, with nothing behind it; where and why it is refused otherwise."""
    found: list[Any] = []
    with pytest.MonkeyPatch.context() as patch:
        for name, most in bounds._asdict().items():
            patch.setattr(transcript_format, name, most)
        for file in (io.BytesIO(data), Trickle(data)):
            reader = Reader(file)
            try:
                value = reader.value()
                found.append(
                    value if reader.offset == len(data) else (reader.offset, False, REFUSED)
                )
            except Unsound as error:
                found.append((error.offset, error.code == "torn", REFUSED))
    assert found[0] == found[1]
    return found[0]


REFUSED = object()


def breaks(data: bytes, bounds: Bounds = BOUNDS) -> tuple[int, bool]:
    """Where reading stops, and whether only the end is missing."""
    offset, is_cut, kind = read(data, bounds)
    assert kind is REFUSED
    return offset, is_cut


@given(values)
def test_what_is_read_is_what_was_encoded(value: Any) -> None:
    assert read(encode(value)) == value


@settings(max_examples=times(100, 3000))
@given(st.binary(max_size=80) | values.map(encode).flatmap(lambda d: st.permutations(list(d))))
def test_any_bytes_are_read_as_the_other_decoder_reads_them(data: Any) -> None:
    data = bytes(data)
    try:
        value = decode(data, len(data))
    except Invalid:
        breaks(data)
    else:
        assert read(data) == value


@settings(max_examples=50)
@given(values)
def test_what_is_cut_lacks_only_its_end(value: Any) -> None:
    data = encode(value)
    sizes = range(len(data))
    assert {breaks(data[:size]) for size in sizes} <= {(size, True) for size in sizes}
    assert breaks(data + b"\xc0") == (len(data), False)


BREAKS = {
    True: {"": 0, "c500": 2, "92a3ff": 3, "c50100ff": 4, "dc1000": 3, "91" * 16: 16},
    False: {"c50005": 0, "92a1ff": 1, "dcffff": 0, "dc1001": 0, "91ca": 1, "91ff": 1}
    | {"92c0cc05": 2, "81": 0, "91" * 17: 16, "c6ffffffff": 0, "dbffffffff": 0, "d4": 0},
}
"""By whether they are cut, bytes that cannot be read, and from where on."""


@each([(data, at, cut) for cut, every in BREAKS.items() for data, at in every.items()])
def test_the_first_item_that_cannot_be_read_decides(case: tuple[str, int, bool]) -> None:
    data, at, cut = case
    assert breaks(bytes.fromhex(data)) == (at, cut)


def test_a_string_over_its_bound_is_refused_by_its_length_alone() -> None:
    few = Bounds(10, 100, 300)
    for sound in (bytes(300), "a" * 300):
        data = encode((0, sound))
        assert read(data, few) == (0, sound)
        assert breaks(encode((0, sound[:1] * 301)), few) == (2, False)
        assert breaks(encode((0, sound[:1] * 301))[:5], few) == (2, False)
        assert breaks(data[:5], few) == (5, True)


def test_no_more_items_are_read_than_there_may_be_in_all() -> None:
    few = Bounds(10, 7, 300)
    data = encode(((0,) * 3, (), 0))
    assert read(data, few) == ((0, 0, 0), (), 0)
    more = encode(((0,) * 3, (), 0, 0))
    assert breaks(more, few) == (len(more) - 1, False)
    assert breaks(more[:-1], few) == (len(more) - 1, True)


def test_a_reader_goes_on_behind_what_was_read_and_inside_what_holds_it() -> None:
    reader = Reader(io.BytesIO(encode((1, ("a", b"b"), 3)) + b"rest"), depth=1, used=1)
    assert reader.take_up_to(1) == b"\x93"
    assert [reader.value() for _ in range(3)] == [1, ("a", b"b"), 3]
    assert reader.take_up_to(10) == b"rest"
    nested = Reader(io.BytesIO(b"\x91" * MAX_DEPTH + b"\xc0"), depth=1, used=1)
    fails(Unsound, "bad-encoding", nested.value)


def test_bytes_are_counted_to_the_end_and_not_far_beyond_what_is_asked() -> None:
    assert Reader(io.BytesIO(bytes(100))).count(1000) == 100
    reader = Reader(io.BytesIO(bytes(100 * transcript_format.PIECE)))
    reader.take_up_to(3)
    assert 1000 < reader.count(1000) <= 2 * transcript_format.PIECE
