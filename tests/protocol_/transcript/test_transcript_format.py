"""The form of a file: strict decoding from a stream, its bounds, and what is no file."""

import io
import random
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.any_values import NUMBER, ROW, VALUES, outcome, shaped
from support.cases import each, fails
from support.files import refusal
from support.hostile_files import MADE
from support.played import files_of, game_of, table_of
from support.proof_pile import bare
from support.sampling import LARGE_FILES, times

from p2p_hoity.game_adapter import read_game
from protocol.errors import Invalid
from protocol.transcript import transcript_format
from protocol.transcript.transcript_format import (
    MAGIC,
    VERSION,
    Reader,
    ReconfigurationEntry,
    Transcript,
    opened,
)
from protocol.transcript.verification_report import UNREADABLE, Unsound
from protocol.transcript.verifier import header_of, reached, verify
from protocol.wire import codec
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


def decoded(data: bytes, bounds: Bounds = BOUNDS) -> Any:
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
    offset, is_cut, kind = decoded(data, bounds)
    assert kind is REFUSED
    return offset, is_cut


@given(values)
def test_what_is_read_is_what_was_encoded(value: Any) -> None:
    assert decoded(encode(value)) == value


@settings(max_examples=times(100, 3000))
@given(st.binary(max_size=80) | values.map(encode).flatmap(lambda d: st.permutations(list(d))))
def test_any_bytes_are_read_as_the_other_decoder_reads_them(data: Any) -> None:
    data = bytes(data)
    try:
        value = decode(data, len(data))
    except Invalid:
        breaks(data)
    else:
        assert decoded(data) == value


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
        assert decoded(data, few) == (0, sound)
        assert breaks(encode((0, sound[:1] * 301)), few) == (2, False)
        assert breaks(encode((0, sound[:1] * 301))[:5], few) == (2, False)
        assert breaks(data[:5], few) == (5, True)


def test_no_more_items_are_read_than_there_may_be_in_all() -> None:
    few = Bounds(10, 7, 300)
    data = encode(((0,) * 3, (), 0))
    assert decoded(data, few) == ((0, 0, 0), (), 0)
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


PAIRS = st.lists(shaped(NUMBER, st.just(bytes(64))), max_size=3).map(tuple)
ENTRY = shaped(st.just(0), ROW) | shaped(st.just(1), ROW, ROW, st.lists(NUMBER).map(tuple))
CONTENT = shaped(st.binary(max_size=3), st.lists(ENTRY, max_size=3).map(tuple))
EVIDENCE = shaped(st.lists(PAIRS, max_size=2).map(tuple), PAIRS, PAIRS, PAIRS, PAIRS)


@settings(max_examples=times(15, 1000), deadline=None)
@given(CONTENT | VALUES, EVIDENCE | VALUES)
def test_any_value_is_a_transcript_or_unsound_at_a_place_within_it(
    content: Any, evidence: Any
) -> None:
    value = (transcript_format.MAGIC, transcript_format.VERSION, content, evidence)
    whole, code, path = outcome(lambda: transcript_format.read(value))
    assert code in (None, "bad-form")
    assert code or whole.encode() == codec.encode(value)
    at: Any = value
    for index in path:
        at = at[index]


@pytest.mark.parametrize("name", ["two", "returned", "equivocator"])
def test_no_flipped_byte_passes(name: str) -> None:
    data, draw = files_of(name)[0], random.Random(name)
    places = [*range(40), *(draw.randrange(len(data)) for _ in range(times(60, 1000)))]
    for place in places:
        spoilt = bytearray(data)
        spoilt[place] ^= 1 << draw.randrange(8)
        refusal(bytes(spoilt))


def test_a_torn_file_is_unreadable() -> None:
    data, draw = files_of("vanished")[0], random.Random(1)
    some = (draw.randrange(len(data)) for _ in range(times(60, 1000)))
    for size in (*range(60), *some, len(data) - 1):
        problem = refusal(data[:size])
        assert problem.code == ("torn" if size else "empty")
        assert problem.code in UNREADABLE
        assert problem.offset == size


def test_another_encoding_of_the_same_value_another_version_or_what_follows_is_refused() -> None:
    data = files_of("two")[0]
    for tail in (b"\x00", b"\xc0", b"\x90", bytes(100)):
        problem = refusal(data + tail)
        assert (problem.code, problem.offset) == ("bad-encoding", len(data))
    assert data[18] == 3
    problem = refusal(data[:19] + b"\xdc\x00\x02" + data[20:])
    assert (problem.code, problem.offset) == ("bad-encoding", 19)
    problem = refusal(data[:18] + b"\x01" + data[19:])
    assert (problem.code, problem.offset) == ("other-version", 18)
    assert problem.code in UNREADABLE
    for other, code in (
        (b"hello", "wrong-magic"),
        (data[:19] + b"\xc1\x90", "bad-encoding"),
        (data[:19] + b"\x90\x90", "bad-form"),
    ):
        assert refusal(other).code == code


def test_a_file_larger_than_any_game_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    data = files_of("two")[0]
    monkeypatch.setattr(transcript_format, "MAX_FILE", 1000)
    assert refusal(data).code == "too-large"


@settings(max_examples=times(60, 1500), deadline=None)
@given(st.binary(max_size=300), st.booleans())
def test_any_bytes_give_a_report(data: bytes, framed: bool) -> None:
    refusal(b"\x94\xb0hoity-transcript\x03" + data if framed else data)


ITEMS = st.recursive(
    st.none() | st.booleans() | st.integers(0, 3) | st.binary(max_size=70) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=5).map(tuple),
    max_leaves=25,
)


@settings(max_examples=times(40, 1500), deadline=None)
@given(ITEMS, ITEMS)
def test_any_values_give_a_report(content: Any, evidence: Any) -> None:
    refusal(codec.encode(("hoity-transcript", 1, content, evidence)))


def paths(value: Any, path: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    yield path
    if isinstance(value, tuple):
        for index, item in enumerate(value):
            yield from paths(item, (*path, index))


def changed(value: Any, path: tuple[int, ...], change: Callable[[Any], Any]) -> Any:
    if not path:
        return change(value)
    items = list(value)
    items[path[0]] = changed(items[path[0]], path[1:], change)
    return tuple(items)


@settings(max_examples=times(40, 800), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_no_item_may_be_another(data: st.DataObject) -> None:
    """Any item of a sound file replaced by any other value."""
    value = transcript_format.open_file(
        files_of(data.draw(st.sampled_from(["two", "returned"])))[0]
    )
    path = data.draw(st.sampled_from([p for p in paths(value) if len(p) > 1]))
    other = data.draw(ITEMS)
    spoilt = changed(value, path, lambda _: other)
    if spoilt != value:
        refusal(codec.encode(spoilt))


FILE_PREFIX = b"\x94\xb0hoity-transcript\x03"
FULL = b"\xdc\x40\x00" + b"\xc0" * 16384
"""The longest array there may be, of nothing."""


def nothing_but(items: int) -> bytes:
    """The beginning of a file that holds so many items in all, cut off behind them."""
    rest = items - 3  # the outer array, its name and version
    arrays, more = divmod(rest - 1, 16385)
    data = FILE_PREFIX + b"\xdc\x40\x00" + FULL * arrays
    return data + (b"\xdc\x40\x00" + b"\xc0" * (more - 1) if more else b"")


@LARGE_FILES
def test_a_file_of_a_million_items_is_cut_and_one_more_is_too_many() -> None:
    most = transcript_format.MAX_TOTAL
    assert len(nothing_but(most)) > most
    assert refusal(nothing_but(most)).code == "torn"
    problem = refusal(nothing_but(most) + b"\xc0")
    assert (problem.code, problem.offset) == ("bad-encoding", len(nothing_but(most)))
    assert refusal(nothing_but(most) + bytes(10_000_000)).code == "bad-encoding"


def test_as_many_bytes_in_few_items_are_read() -> None:
    string = codec.encode(bytes(transcript_format.MAX_STRING))
    data = FILE_PREFIX + b"\x99" + string * 9 + b"\x90"
    assert len(data) > 2**21
    assert refusal(data).code == "bad-form"


def test_a_string_longer_than_any_that_belongs_into_a_file_is_refused_where_it_begins() -> None:
    for long in (bytes(transcript_format.MAX_STRING + 1), "a" * (transcript_format.MAX_STRING + 1)):
        data = FILE_PREFIX + b"\x92" + codec.encode(long) + b"\x90\x90"
        problem = refusal(data)
        assert (problem.code, problem.offset) == ("bad-encoding", len(FILE_PREFIX) + 1)


def test_a_stream_is_judged_as_its_bytes_and_read_once() -> None:
    data = files_of("returned")[0]
    whole = transcript_format.opened(io.BytesIO(data))
    assert bare(verify(whole, game_of)) == bare(verify(data, game_of))
    assert transcript_format.opened(whole) is whole
    assert header_of(whole) == header_of(data)


SIZE = 4_000_000
OVERHEAD = 2_500_000
"""Bytes that all else may take, whatever the file."""


@each(MADE.keys() - {"small_items"}, str)
def test_a_file_takes_no_more_memory_than_its_own_bytes_and_some(kind: str) -> None:
    file = io.BytesIO(MADE[kind](SIZE))
    size = len(file.getbuffer())
    tracemalloc.start()
    try:
        whole = opened(file)
        report = verify(whole, read_game)
        reached(whole, read_game, report)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert not report.ok
    held = 0 if kind.startswith("long") else size
    assert peak <= held + OVERHEAD


def read_file(data: bytes) -> Transcript:
    return transcript_format.read(transcript_format.open_file(data))


def test_a_file_is_magic_version_evidence_and_the_content_header_and_entries() -> None:
    value = transcript_format.open_file(files_of("returned")[0])
    assert value[:2] == (MAGIC, VERSION) == ("hoity-transcript", 3)
    assert len(value) == 4
    content = read_file(files_of("returned")[0]).content
    assert content.header == table_of("returned").table.header.encode()
    links = [entry for entry in content.entries if isinstance(entry, ReconfigurationEntry)]
    assert links == [
        ReconfigurationEntry(here, (), (0, 0, 0, 1)) for here in ((0, 1, 2), (0, 1, 2, 3))
    ]


def test_an_item_is_found_by_its_path() -> None:
    data = files_of("two")[0]
    value = transcript_format.open_file(data)
    body = value[2][1][3][1][0]
    at = transcript_format.offset_of(value, (2, 1, 3, 1, 0))
    assert data[at:].startswith(b"\xc5" + len(body).to_bytes(2, "big") + body)
