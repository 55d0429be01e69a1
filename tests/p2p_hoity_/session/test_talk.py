"""Tests of the frames of talk: read whole, byte by byte, and refused in every other form."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.machine_table import identity

from cli.words.phrases import PHRASES as WORDS
from p2p_hoity.session.lobby import is_lobby
from p2p_hoity.session.talk import (
    MAX_COUNT,
    MAX_TALK,
    MAX_WORDS,
    PHRASES,
    Passed,
    Spoken,
    is_talk,
    parse_talk,
    pass_on,
    speak,
    tidied,
)
from protocol.errors import Invalid
from protocol.wire import encoding
from protocol.wire.text import FORBIDDEN

TABLE = b"t" * 32
SEAT, GUEST = identity(1), identity(9)
SPOKEN = speak(TABLE, SEAT, 1, 7, "nice pipes")
PASSED = pass_on(speak(TABLE, GUEST, 1, 3, 5), SEAT, 8)
LEAST_UNREAD = 129
"""Frames of so many bytes an older peer passes over: see `session.access.LONGEST`."""


def check(data: bytes) -> None:
    """As a node does that knows the seat."""
    read = parse_talk(data)
    if isinstance(read, Passed):
        read.check(SEAT.public)
    else:
        read.check()


@pytest.mark.parametrize("frame", [SPOKEN, PASSED])
def test_talk_comes_back_as_it_was_said(frame: Spoken | Passed) -> None:
    data = frame.encode()
    assert parse_talk(data) == frame
    assert is_talk(data)
    assert is_lobby(data)
    assert LEAST_UNREAD <= len(data) <= MAX_TALK
    SPOKEN.check()
    PASSED.check(SEAT.public)


def test_the_shortest_talk_is_passed_over_by_older_peers() -> None:
    assert len(replace(SPOKEN, count=0, words=0).encode()) >= LEAST_UNREAD


def test_the_longest_talk_fits() -> None:
    word = speak(TABLE, GUEST, 15, MAX_COUNT, "\U0001f600" * MAX_WORDS)
    assert parse_talk(pass_on(word, SEAT, MAX_COUNT).encode()).count == MAX_COUNT


@pytest.mark.parametrize("frame", [SPOKEN, PASSED])
def test_any_change_of_a_byte_is_refused_or_unsigned(frame: Spoken | Passed) -> None:
    data = frame.encode()
    for place in range(len(data)):
        changed = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
        with pytest.raises(Invalid):
            check(changed)


@pytest.mark.parametrize("frame", [SPOKEN, PASSED])
def test_what_is_cut_or_goes_on_is_no_talk(frame: Spoken | Passed) -> None:
    data = frame.encode()
    for bad in (data + b"\0", *(data[:size] for size in range(len(data)))):
        with pytest.raises(Invalid):
            parse_talk(bad)


FIELDS: tuple[Any, ...] = ("talk", TABLE, SEAT.public, 1, 7, "words", bytes(64))


def changed(place: int, value: Any) -> bytes:
    return encoding.encode((*FIELDS[:place], value, *FIELDS[place + 1 :]))


@pytest.mark.parametrize(
    ("place", "value"),
    [
        *((0, bad) for bad in ("said", "talks", b"talk", 0, None)),
        *((place, bad) for place in (1, 2) for bad in (bytes(31), bytes(33), "t" * 32, None)),
        *((3, bad) for bad in (16, "0", None, True)),
        *((4, bad) for bad in ("7", None, b"7")),
        *((5, bad) for bad in ("", " ", "a" * (MAX_WORDS + 1), PHRASES, 2**63, None, True, b"a")),
        *((5, bad) for bad in (" a", "a ", "a\nb", "a\x1b[2J", "\x00", "a\u202eb", "a\u200fb")),
        *((5, bad) for bad in ("a\u200bb", "a\u2066b", "a\ufeffb", "\ue000", "a\u2028b")),
        *((6, bad) for bad in (bytes(63), bytes(65), "s" * 64, None)),
    ],
)
def test_another_form_is_no_talk(place: int, value: Any) -> None:
    parse_talk(changed(5, "words"))
    with pytest.raises(Invalid):
        parse_talk(changed(place, value))


def test_a_field_more_or_less_is_no_talk() -> None:
    for fields in ((*FIELDS, 0), FIELDS[:-1], ("talk",), ()):
        with pytest.raises(Invalid):
            parse_talk(encoding.encode(fields))


@pytest.mark.parametrize(
    "data",
    [
        b"\x97\xa4talk" + encoding.encode(FIELDS)[6:].replace(b"\x01\x07", b"\xcc\x01\x07"),
        b"\xdc\x00\x07" + encoding.encode(FIELDS)[1:],
        encoding.encode(FIELDS).replace(b"\xa5words", b"\xd9\x05words"),
    ],
    ids=["a long number", "a long array", "a long string"],
)
def test_another_encoding_of_the_same_is_no_talk(data: bytes) -> None:
    with pytest.raises(Invalid, match="bad-encoding"):
        parse_talk(data)


def test_what_is_passed_on_is_talk_itself_and_nothing_else() -> None:
    for inner in (PASSED.encode(), b"", b"\xc0", encoding.encode(("table", TABLE))):
        with pytest.raises(Invalid):
            parse_talk(encoding.encode(("passed", inner, 1, bytes(64))))


def test_a_frame_too_long_is_not_read() -> None:
    with pytest.raises(Invalid, match="bad-encoding"):
        parse_talk(encoding.encode(("talk", bytes(MAX_TALK))))


def test_a_signature_is_of_one_table_author_door_count_and_words() -> None:
    others = {"table": bytes(32), "author": GUEST.public, "door": 2, "count": 8, "words": "bad"}
    for name, value in others.items():
        with pytest.raises(Invalid):
            replace(SPOKEN, **{name: value}).check()
    with pytest.raises(Invalid):
        replace(PASSED, count=9).check(SEAT.public)
    with pytest.raises(Invalid):
        replace(PASSED, spoken=replace(PASSED.spoken, words=6)).check(SEAT.public)
    with pytest.raises(Invalid):
        PASSED.check(GUEST.public)


def test_every_phrase_has_its_words() -> None:
    assert len(WORDS) == PHRASES == len(set(WORDS))


@given(st.text(max_size=300))
def test_what_is_typed_is_sent_as_the_reader_takes_it_or_not_at_all(typed: str) -> None:
    words = tidied(typed)
    try:
        data = speak(TABLE, SEAT, 1, 1, words).encode()
        read = parse_talk(data)
    except Invalid:
        return
    assert isinstance(read, Spoken)
    assert read.words == words
    assert not any(low <= ord(letter) <= high for letter in words for low, high in FORBIDDEN)


@given(st.binary(max_size=400))
def test_any_bytes_give_talk_or_invalid(data: bytes) -> None:
    for start in (b"", b"\x97\xa4talk", b"\x94\xa6passed"):
        try:
            assert parse_talk(start + data).encode() == start + data
        except Invalid:
            continue
