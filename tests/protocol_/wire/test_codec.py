"""The strict encoding: one value, one encoding, and Invalid for all other bytes."""

import struct
from typing import Any

import msgpack  # type: ignore[import-untyped]
from hypothesis import given, settings
from hypothesis import strategies as st
from support.cases import each, fails
from support.sampling import times

from protocol.errors import Invalid
from protocol.wire.codec import MAX_DEPTH, decode, encode, size

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
