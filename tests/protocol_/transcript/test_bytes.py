"""The verifier on bytes that are no honest file: a report with a place, never anything else."""

import io
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.files import refusal
from support.played import files_of, game_of
from support.proof_pile import bare
from support.sampling import LARGE_FILES, times

from protocol.transcript import transcript_format
from protocol.transcript.verification_report import UNREADABLE
from protocol.transcript.verifier import header_of, verify
from protocol.wire import codec


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


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(0, 3) | st.binary(max_size=70) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=5).map(tuple),
    max_leaves=25,
)


@settings(max_examples=times(40, 1500), deadline=None)
@given(VALUES, VALUES)
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
    other = data.draw(VALUES)
    spoilt = changed(value, path, lambda _: other)
    if spoilt != value:
        refusal(codec.encode(spoilt))


# A reader's time is bounded by the number of items, wherever they stand.

PREFIX = b"\x94\xb0hoity-transcript\x03"
FULL = b"\xdc\x40\x00" + b"\xc0" * 16384
"""The longest array there may be, of nothing."""


def nothing(items: int) -> bytes:
    """The beginning of a file that holds so many items in all, cut off behind them."""
    rest = items - 3  # the outer array, its name and version
    arrays, more = divmod(rest - 1, 16385)
    data = PREFIX + b"\xdc\x40\x00" + FULL * arrays
    return data + (b"\xdc\x40\x00" + b"\xc0" * (more - 1) if more else b"")


@LARGE_FILES
def test_a_file_of_a_million_items_is_cut_and_one_more_is_too_many() -> None:
    most = transcript_format.MAX_TOTAL
    assert len(nothing(most)) > most
    assert refusal(nothing(most)).code == "torn"
    problem = refusal(nothing(most) + b"\xc0")
    assert (problem.code, problem.offset) == ("bad-encoding", len(nothing(most)))
    assert refusal(nothing(most) + bytes(10_000_000)).code == "bad-encoding"


def test_as_many_bytes_in_few_items_are_read() -> None:
    string = codec.encode(bytes(transcript_format.MAX_STRING))
    data = PREFIX + b"\x99" + string * 9 + b"\x90"
    assert len(data) > 2**21
    assert refusal(data).code == "bad-form"


def test_a_string_longer_than_any_that_belongs_into_a_file_is_refused_where_it_begins() -> None:
    for long in (bytes(transcript_format.MAX_STRING + 1), "a" * (transcript_format.MAX_STRING + 1)):
        data = PREFIX + b"\x92" + codec.encode(long) + b"\x90\x90"
        problem = refusal(data)
        assert (problem.code, problem.offset) == ("bad-encoding", len(PREFIX) + 1)


def test_a_stream_is_judged_as_its_bytes_and_read_once() -> None:
    data = files_of("returned")[0]
    whole = transcript_format.opened(io.BytesIO(data))
    assert bare(verify(whole, game_of)) == bare(verify(data, game_of))
    assert transcript_format.opened(whole) is whole
    assert header_of(whole) == header_of(data)
