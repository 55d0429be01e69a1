"""Tests of the frames of talk: read whole, byte by byte, and refused in every other form."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each, fails
from support.machine_table import identity

from cli.words.chat_phrases import PHRASES as WORDS
from p2p_hoity.table.beside_game import chat
from p2p_hoity.table.playing.frame_kinds import Handler, is_of_game, kind_of
from protocol.errors import Invalid
from protocol.wire import codec
from protocol.wire.allowed_text import FORBIDDEN

TABLE = b"t" * 32
SEAT, GUEST = identity(1), identity(9)
SPOKEN = chat.speak(TABLE, SEAT, 1, 7, "nice pipes")
PASSED = chat.pass_on(chat.speak(TABLE, GUEST, 1, 3, 5), SEAT, 8)
LEAST_UNREAD = 129
"""Frames of so many bytes an older peer passes over: see `frame_access.MAX_LOBBY_FRAME`."""


FIELDS: tuple[Any, ...] = ("talk", TABLE, SEAT.public, 1, 7, "words", bytes(64))


def check(data: bytes) -> None:
    """As a node does that knows the seat."""
    read = chat.parse_talk(data)
    if isinstance(read, chat.PassedWords):
        read.check(SEAT.public)
    else:
        read.check()


@pytest.mark.parametrize("frame", [SPOKEN, PASSED])
def test_talk_comes_back_as_it_was_said_or_not_at_all(
    frame: chat.Spoken | chat.PassedWords,
) -> None:
    data = frame.encode()
    assert chat.parse_talk(data) == frame
    assert kind_of(data).handler is Handler.TALK
    assert not is_of_game(data)
    assert LEAST_UNREAD <= len(data) <= chat.FRAMES.sizes["talk"]
    SPOKEN.check()
    PASSED.check(SEAT.public)
    for place in range(len(data)):
        spoilt = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
        fails(Invalid, "", check, spoilt)
    for bad in (data + b"\0", *(data[:size] for size in range(len(data)))):
        fails(Invalid, "", chat.parse_talk, bad)


def test_the_shortest_and_the_longest_talk_fit_and_a_field_more_or_less_is_none() -> None:
    assert len(replace(SPOKEN, count=0, words=0).encode()) >= LEAST_UNREAD
    word = chat.speak(TABLE, GUEST, 15, chat.MAX_COUNT, "\U0001f600" * chat.MAX_WORDS)
    passed = chat.pass_on(word, SEAT, chat.MAX_COUNT)
    assert chat.parse_talk(passed.encode()).count == chat.MAX_COUNT
    fails(
        Invalid,
        "bad-encoding",
        chat.parse_talk,
        codec.encode(("talk", bytes(chat.FRAMES.sizes["talk"]))),
    )
    for fields in ((*FIELDS, 0), FIELDS[:-1], ("talk",), ()):
        fails(Invalid, "", chat.parse_talk, codec.encode(fields))
    for inner in (PASSED.encode(), b"", b"\xc0", codec.encode(("table", TABLE))):
        fails(Invalid, "", chat.parse_talk, codec.encode(("passed", inner, 1, bytes(64))))


def changed(place: int, value: Any) -> bytes:
    return codec.encode((*FIELDS[:place], value, *FIELDS[place + 1 :]))


@each(
    [
        *((0, bad) for bad in ("said", "talks", b"talk", 0, None)),
        *((place, bad) for place in (1, 2) for bad in (bytes(31), bytes(33), "t" * 32, None)),
        *((3, bad) for bad in (16, "0", None, True)),
        *((4, bad) for bad in ("7", None, b"7")),
        *((5, bad) for bad in ("", " ", "a" * (chat.MAX_WORDS + 1), None, True, b"a")),
        *((5, bad) for bad in (chat.PHRASES, 2**63)),
        *((5, bad) for bad in (" a", "a ", "a\nb", "a\x1b[2J", "\x00", "a\u202eb", "a\u200fb")),
        *((5, bad) for bad in ("a\u200bb", "a\u2066b", "a\ufeffb", "\ue000", "a\u2028b")),
        *((6, bad) for bad in (bytes(63), bytes(65), "s" * 64, None)),
    ]
)
def test_another_form_is_no_talk(case: tuple[int, Any]) -> None:
    place, value = case
    chat.parse_talk(changed(5, "words"))
    fails(Invalid, "", chat.parse_talk, changed(place, value))


@pytest.mark.parametrize(
    "data",
    [
        b"\x97\xa4talk" + codec.encode(FIELDS)[6:].replace(b"\x01\x07", b"\xcc\x01\x07"),
        b"\xdc\x00\x07" + codec.encode(FIELDS)[1:],
        codec.encode(FIELDS).replace(b"\xa5words", b"\xd9\x05words"),
    ],
    ids=["a long number", "a long array", "a long string"],
)
def test_another_encoding_of_the_same_is_no_talk(data: bytes) -> None:
    fails(Invalid, "bad-encoding", chat.parse_talk, data)


def test_a_signature_is_of_one_table_author_seat_count_and_words() -> None:
    others = {"table": bytes(32), "author": GUEST.public, "via": 2, "count": 8, "words": "bad"}
    for name, value in others.items():
        fails(Invalid, "", replace(SPOKEN, **{name: value}).check)
    fails(Invalid, "", replace(PASSED, count=9).check, SEAT.public)
    fails(Invalid, "", replace(PASSED, spoken=replace(PASSED.spoken, words=6)).check, SEAT.public)
    fails(Invalid, "", PASSED.check, GUEST.public)
    assert len(WORDS) == chat.PHRASES == len(set(WORDS))


@given(st.text(max_size=300))
def test_what_is_typed_is_sent_as_the_reader_takes_it_or_not_at_all(typed: str) -> None:
    words = chat.tidied(typed)
    try:
        data = chat.speak(TABLE, SEAT, 1, 1, words).encode()
        read = chat.parse_talk(data)
    except Invalid:
        return
    assert isinstance(read, chat.Spoken)
    assert read.words == words
    assert not any(low <= ord(letter) <= high for letter in words for low, high in FORBIDDEN)


@given(st.binary(max_size=400))
def test_any_bytes_give_talk_or_invalid(data: bytes) -> None:
    for start in (b"", b"\x97\xa4talk", b"\x94\xa6passed"):
        try:
            assert chat.parse_talk(start + data).encode() == start + data
        except Invalid:
            continue
