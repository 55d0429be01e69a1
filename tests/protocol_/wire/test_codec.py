"""The strict encoding: one value, one encoding, and Invalid for all other bytes."""

import struct
from dataclasses import dataclass
from enum import IntEnum
from typing import Annotated, Any

import msgpack  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.any_values import CODE, VALUES, outcome
from support.cases import each, fails
from support.sampling import times

from protocol.errors import Invalid
from protocol.wire import codec
from protocol.wire.codec import (
    ANY,
    MAX_DEPTH,
    Digests,
    Either,
    FieldForm,
    Fields,
    Flag,
    Int,
    Octets,
    Text,
    WrongForm,
    decode,
    encode,
    size,
)

LIMIT = 1 << 20

values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(0, 2**64 - 1))
    | st.one_of(st.binary(max_size=40), st.text(max_size=40)),
    lambda inner: st.lists(inner, max_size=5).map(tuple),
    max_leaves=20,
)


def accepted(data: bytes) -> bool:
    """Whether the bytes decode; then they are the encoding of what they decode to."""
    try:
        value = decode(data, LIMIT)
    except Invalid:
        return False
    assert encode(value) == data
    return True


@given(values)
def test_round_trip(value: Any) -> None:
    assert decode(encode(value), LIMIT) == value


@settings(max_examples=times(100, 1000))
@given(st.binary(max_size=80))
def test_any_bytes_are_a_value_or_invalid(data: bytes) -> None:
    accepted(data)


def test_all_strings_of_one_and_two_bytes() -> None:
    assert sum(accepted(bytes([a])) for a in range(256)) == 128 + 3 + 2  # ints, nil, bools, "" []
    good = [bytes([a, b]) for a in range(256) for b in range(256) if accepted(bytes([a, b]))]
    heads = {data[0] for data in good}
    # bin of 0 bytes, uint8 from 128, array of one one-byte value, str of one ASCII byte
    assert heads == {0xC4, 0xCC, 0x91, 0xA1}
    assert len(good) == 1 + 128 + 133 + 128


@given(values, st.integers(0, 200))
def test_truncated_and_trailing_bytes_are_rejected(value: Any, cut: int) -> None:
    data = encode(value)
    assert not accepted(data[: cut % len(data)])
    assert not accepted(data + b"\0")


NOT_SHORTEST = {
    "uint8": b"\xcc\x01",
    "uint16": b"\xcd\x00\x01",
    "uint32": b"\xce\x00\x00\x00\x01",
    "uint64": b"\xcf" + bytes(7) + b"\x01",
    "signed positive": b"\xd0\x01",
    "str8": b"\xd9\x01a",
    "str16": b"\xda\x00\x01a",
    "bin16": b"\xc5\x00\x01a",
    "bin32": b"\xc6\x00\x00\x00\x01a",
    "array16": b"\xdc\x00\x01\xc0",
    "array32": b"\xdd\x00\x00\x00\x01\xc0",
}
NOT_IN_PROFILE = {
    "negative fixint": b"\xff",
    "int8": b"\xd0\x80",
    "int64": b"\xd3" + b"\xff" * 8,
    "float32": b"\xca" + bytes(4),
    "float64": b"\xcb" + struct.pack(">d", 1.0),
    "empty map": b"\x80",
    "map": b"\x81\x01\x02",
    "duplicate keys": b"\x82\x01\x02\x01\x03",
    "map in array": b"\x91\x80",
    "never used": b"\xc1",
    "ext8 empty": b"\xc7\x00\x05",
    "fixext1": b"\xd4\x05\x00",
    "timestamp32": b"\xd6\xff" + bytes(4),
    "ext in array": b"\x91\xc7\x00\x05",
    "not UTF-8": b"\xa1\xff",
    "surrogate": b"\xa3\xed\xa0\x80",
    "overlong UTF-8": b"\xa2\xc0\x80",
}


@each([*NOT_SHORTEST, *NOT_IN_PROFILE])
def test_what_msgpack_takes_and_the_profile_does_not(name: str) -> None:
    data = {**NOT_SHORTEST, **NOT_IN_PROFILE}[name]
    assert not accepted(data)
    assert not accepted(b"\x92\x01" + data)


def test_depth_is_capped() -> None:
    assert accepted(b"\x91" * MAX_DEPTH + b"\xc0")
    for depth in (MAX_DEPTH + 1, 600, 100_000):
        assert not accepted(b"\x91" * depth + b"\xc0")
    value: Any = None
    for _ in range(MAX_DEPTH + 1):
        value = [value]
    fails(Invalid, "", encode, value)


def test_sizes_are_capped_and_a_claimed_length_takes_no_memory() -> None:
    assert decode(encode(bytes(100)), 102) == bytes(100)
    fails(Invalid, "", decode, encode(bytes(100)), 101)
    assert decode(encode((0,) * 10), LIMIT, max_items=10) == (0,) * 10
    fails(Invalid, "", decode, encode((0,) * 11), LIMIT, max_items=10)
    assert not accepted(b"\xdd\xff\xff\xff\xff" * 200)
    assert not accepted(b"\xc6\xff\xff\xff\xff")


NOT_ENCODED = [
    *(-1, 2**64, 1.5, {}, {1: 2}, {1}, "\ud800", bytearray(b"x"), memoryview(b"x"), object()),
    *([b"", -1], msgpack.ExtType(5, b""), msgpack.Timestamp(1)),
]


@each(NOT_ENCODED, repr)
def test_values_outside_the_profile_are_not_encoded(value: Any) -> None:
    fails(Invalid, "bad-encoding", encode, value)


@each([None, "x", 5, bytearray(b"\xc0")], repr)
def test_only_bytes_are_decoded(data: bytes) -> None:
    assert not accepted(data)


# In parts.


@given(values)
def test_the_size_of_an_encoding_is_known_before(value: Any) -> None:
    assert size(value) == len(encode(value))


@each([0, 15, 16, 255, 256, 65535, 65536], str)
def test_a_length_takes_as_many_bytes_as_it_needs(length: int) -> None:
    for value in (bytes(length), (None,) * length, "a" * length):
        assert size(value) == len(encode(value))


def read_nested(form: FieldForm[Any], value: Any) -> Any:
    """Read a value that stands in an array, which stands in another."""
    outer = Fields(ANY, ANY, ANY, Fields(ANY, form))
    return codec.read(outer, (0, 0, 0, (0, value)), CODE, "a field")[3][1]


READERS: dict[str, tuple[FieldForm[Any], list[Any], list[Any]]] = {
    "integer": (Int(9, 2), [2, 5, 9], [1, 10, True, None, "5", b"5", (), 2**64]),
    "flag": (Flag(), [True, False], [0, 1, None, "true", ()]),
    "octets": (Octets(), [b"", b"x"], ["", 0, None, (b"x",), bytearray(b"x")]),
    "octets of a size": (Octets(2), [b"ab"], [b"", b"a", b"abc", "ab", (0, 0)]),
    "octets of two sizes": (Octets(2, optional=True), [b"", b"ab"], [b"a", "", None]),
    "text": (Text(str.islower), ["a", "ab"], ["", "A", b"ab", 0, None, ("a",)]),
    "short text": (Text(str.islower, 2), ["a", "ab"], ["abc", b"ab", ["a", "b"]]),
    "text or number": (Either(str, Text(str.islower), Int(2)), ["a", 2], ["A", 3, True, None]),
    "hashes": (
        Digests(2, size=2),
        [(), (b"ab", b"ab")],
        [(b"a",), ("ab",), (b"ab",) * 3, b"", (1,)],
    ),
    "rising hashes": (
        Digests(9, least=1, size=1, rising=True),
        [(b"a",), (b"a", b"b")],
        [(), (b"b", b"a"), (b"a", b"a")],
    ),
}


@each(READERS)
def test_what_is_of_its_form_is_read_and_anything_else_refused_with_code_and_place(
    name: str,
) -> None:
    form, good, bad = READERS[name]
    for value in good:
        found = read_nested(form, value)
        assert found == value
        assert type(found) is type(value)
        assert form.write(found) == value
    for value in bad:
        with pytest.raises(WrongForm) as caught:
            read_nested(form, value)
        assert (caught.value.code, caught.value.path) == (CODE, (3, 1)), value
        assert caught.value.reason.startswith("a field: ")


class Colour(IntEnum):
    """What a number is read as."""

    RED = 1


def test_a_member_of_an_enumeration_is_read_from_its_value() -> None:
    assert read_nested(codec.form_of(Colour), 1) is Colour.RED
    for value in (0, True, "RED", b"1", None, (1,)):
        fails(WrongForm, "", read_nested, codec.form_of(Colour), value)


@dataclass(frozen=True)
class Pair:
    """A row of two fields."""

    seat: Annotated[int, Int(9)]
    body: Annotated[bytes, Octets(1)] | None = None


ROWS_OF_TWO = (codec.Struct(Pair), Fields(Int(9), codec.form_of(bytes | None)))


@pytest.mark.parametrize("value", [(), (1,), (1, b"x", 3), b"ab", "ab", None, 2, {1: 2}])
def test_a_row_has_exactly_its_fields(value: Any) -> None:
    for form in ROWS_OF_TWO:
        fails(WrongForm, "", read_nested, form, value)
        assert [read_nested(form, [1, one]) for one in (None, b"x")] == [
            Pair(1, one) if isinstance(form, codec.Struct) else (1, one) for one in (None, b"x")
        ]


def test_a_row_may_stand_behind_a_head_or_the_number_of_its_kind() -> None:
    behind, kinds = codec.Struct(Pair, head=2), codec.Kinds({7: (Pair, 99)})
    assert read_nested(behind, ("any", None, 1, b"x")) == Pair(1, b"x")
    assert behind.write(Pair(1, b"x")) == (1, b"x")
    assert read_nested(codec.Struct(Pair, seat=Int(20)), (20, None)) == Pair(20)
    fails(WrongForm, "", read_nested, codec.Struct(Pair), (20, None))
    assert read_nested(kinds, (7, 1, None)) == Pair(1)
    for value in ((8, 1, None), (True, 1, None), (7, 1), ((), 1, None), (), 7, b"7"):
        fails(WrongForm, "", read_nested, kinds, value)
    with pytest.raises(WrongForm, match="seat is no number from 0 to 9") as caught:
        read_nested(kinds, (7, 10, None))
    assert caught.value.path == (3, 1, 1)


def test_a_list_has_at_most_its_items_and_fields_know_their_names_and_places() -> None:
    few, pairs = codec.Rows(Int(9), 2), codec.Rows(Pair, key=lambda pair: pair.seat)
    assert read_nested(few, [1, 2]) == (1, 2)
    fails(WrongForm, "", read_nested, few, (1, 2, 3))
    fails(WrongForm, "", read_nested, codec.Rows(Int(9), 2, 2), (1,))
    assert read_nested(pairs, ((1, None), (2, b"x"))) == (Pair(1), Pair(2, b"x"))
    assert pairs.write((Pair(1), Pair(2, b"x"))) == ((1, None), (2, b"x"))
    with pytest.raises(WrongForm, match="an item: body is not 1 bytes") as caught:
        read_nested(pairs, ((1, None), (2, b"xy")))
    assert caught.value.path == (3, 1, 1, 1)


def test_what_is_read_unchanged_is_the_very_tuple_that_was_there() -> None:
    value = ((1, b"x"), (2, b"y"))
    assert read_nested(codec.Rows(Fields(Int(9), bytes)), value) is value


@pytest.mark.parametrize("found", [(1, 1), (2, 1), (1, 3, 2)])
def test_what_does_not_rise_is_refused(found: tuple[int, ...]) -> None:
    form = codec.Rows(Int(9), key=int)
    fails(WrongForm, "rising", read_nested, form, found)
    assert read_nested(form, tuple(sorted(set(found)))) == tuple(sorted(set(found)))


@given(VALUES)
def test_a_reader_gives_its_type_or_malformed(value: Any) -> None:
    for form, _, _ in READERS.values():
        found, code, _ = outcome(lambda form=form: read_nested(form, value))
        assert code in (None, CODE)
        assert code or found == value
