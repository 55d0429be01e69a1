"""Tests of the frames of the lobby, and of its seats: who sits down, and who may come back."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.any_values import ROW, TABLE, check_parser, shaped
from support.cases import fails
from support.machine_table import identity
from support.player_table import PlayerTable, seated
from support.sampling import times

from p2p_hoity.table.gathering import lobby
from p2p_hoity.table.gathering.host_table import KEEP
from protocol.crypto.identities import Identity
from protocol.errors import Invalid
from protocol.wire import codec, table_header
from protocol.wire.table_header import Terms

TERMS = Terms(identity(0).public, b"n" * 32, (("any", 1),), 3, 2)
ENTRY: tuple[Any, ...] = ()
HOSTILE = [
    "\x1b]0;title\x07",
    "\x1b[2J",
    "\x1b]52;c;ZWNobw==\x07",
    "a\nGame over",
    "\u202eada",
    "a\u200bda",
    "\u3164",
    "\x9b2J",
]


def entry_of(number: int, name: str) -> table_header.SeatEntry:
    return table_header.sit(TERMS, identity(number), name, b"x" * 32)


def test_plain_frames_come_back() -> None:
    for frame in (
        lobby.Offer(b"", TERMS, ("Ada", "Bob")),
        lobby.SeatedNames(("Ada",)),
        lobby.Refuse(lobby.Refusal.FULL),
        lobby.Sit(ENTRY, ("192.0.2.7:1", "relay+x:1/abc")),
    ):
        assert lobby.parse_lobby(lobby.encode_lobby(frame)) == frame


LOBBY = st.one_of(
    ROW,
    shaped(st.just("names"), st.lists(st.text(max_size=3)).map(tuple)),
    shaped(st.just("sit"), ROW, st.lists(st.text(max_size=3)).map(tuple)),
    shaped(st.just("offer"), st.just(b""), st.just(TABLE.header.terms.value()), st.just(("Ana",))),
    shaped(st.just("roster"), st.binary(), st.just((("a:1",),)), st.just(bytes(64))),
)


@settings(max_examples=times(15, 1000), deadline=None)
@given(LOBBY)
def test_any_value_is_a_lobby_frame_or_invalid(value: Any) -> None:
    codes = ("bad-frame", "bad-header", "bad-encoding")
    check_parser(codec.encode(value), lobby.parse_lobby, lobby.encode_lobby, *codes)


def test_the_strategy_reaches_frames_that_are_valid() -> None:
    for frame in (
        lobby.Offer(b"", TABLE.header.terms, ("Ana",)),
        lobby.SeatedNames(("Ana", "Bob")),
    ):
        assert lobby.parse_lobby(lobby.encode_lobby(frame)) == frame


@pytest.mark.parametrize("words", HOSTILE)
def test_words_that_a_terminal_would_act_on_are_refused_where_they_are_read(words: str) -> None:
    offer = lobby.Offer(b"", TERMS, (words,))
    for frame in (offer, lobby.SeatedNames(("Ada", words)), lobby.Sit((), (words,))):
        fails(Invalid, "bad-frame", lobby.parse_lobby, lobby.encode_lobby(frame))


@pytest.mark.parametrize("name", ["", "host, ada", "x" * 25, " ada", 7])
def test_a_name_that_is_no_nickname_is_refused(name: Any) -> None:
    fails(Invalid, "bad-frame", lobby.parse_lobby, codec.encode(("names", (name,))))


def sit(table: lobby.Seating, number: int, name: str) -> lobby.Refusal | None:
    request = lobby.Sit(entry_of(number, name).value(), ())
    return seated(table, identity(number).public, request)


def test_no_twin_of_a_seated_name_sits_down_and_one_may_change_ones_own() -> None:
    table = lobby.Seating(TERMS, entry_of(0, "Ada"), ())
    towers = ("Bo\u0301\u0301\u0301b", "\u0301Bob")
    for name in ("Ada", "ada", "Аdа", "A da", "Adá", *towers):
        assert sit(table, 1, name) is lobby.Refusal.NAME, name
    assert table.names == ("Ada",)
    assert sit(table, 1, "Bob") is None
    assert sit(table, 1, "bo\u0323\u0302b") is None
    assert sit(table, 1, "bob") is None
    assert sit(table, 2, "Cleo") is None
    assert table.names == ("Ada", "bob", "Cleo")


def test_a_proof_of_another_size_or_form_is_no_frame() -> None:
    wrong: list[Any] = [b"x", bytes(31), bytes(33), bytes(5000), "text", None, 7]
    for proof in wrong:
        data = lobby.encode_lobby(lobby.Ask(proof))
        fails(Invalid, "bad-frame|bad-encoding", lobby.parse_lobby, data)


def test_a_table_is_complete_when_all_who_sit_are_there(pair: PlayerTable) -> None:
    host = table_header.sit(pair.terms, pair.guests[0].key, "P0", bytes(32))
    seating = lobby.Seating(pair.terms, host, ())
    one, two = Identity(b"1" * 32), Identity(b"2" * 32)
    entry = table_header.sit(pair.terms, one, "one", bytes(32)).value()
    other = table_header.sit(pair.terms, two, "two", bytes(32)).value()
    assert seated(seating, one.public, lobby.Sit(entry, ())) is None
    assert seating.is_complete
    seating.leave(one.public, 100.0)
    assert not seating.is_complete
    assert seating.is_kept
    assert not seating.give_up(100.0 + KEEP - 1 - KEEP)
    assert seated(seating, two.public, lobby.Sit(other, ())) is lobby.Refusal.FULL
    assert seated(seating, one.public, lobby.Sit(entry, ())) is None
    assert seating.is_complete
    seating.leave(one.public, 200.0)
    assert seating.give_up(200.0)
    assert seated(seating, two.public, lobby.Sit(other, ())) is None
    assert seating.is_complete
