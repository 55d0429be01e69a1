"""Tests of codes as they are spoken, typed and pasted."""

import re

from hypothesis import given
from hypothesis import strategies as st
from support.cases import each, fails
from support.pasted import decorated, wide

from p2p_hoity.net.mailbox_numbers import MOST_NUMBER
from p2p_hoity.table.gathering import spoken_codes
from p2p_hoity.table.gathering.spoken_codes import (
    MOST_WORDS,
    WORDS,
    CodeError,
    SpokenCode,
    is_code,
    parse_code,
    word_list,
)

LANTERN = SpokenCode(7, ("lantern", "walrus"))
ONE_WORD = st.sampled_from(word_list())
RELAYS = ("", "127.0.0.1:4646", "[2001:db8::1]:80", "relay.example.org:4646")
CODES = st.builds(
    SpokenCode,
    st.integers(1, 999_999_999),
    st.lists(ONE_WORD, min_size=WORDS, max_size=MOST_WORDS).map(tuple),
    st.sampled_from(RELAYS),
)


def test_the_list_is_large_its_words_are_told_apart_by_few_letters_and_drawn_afresh() -> None:
    words = word_list()
    assert len(words) == len(set(words)) == 1295
    assert 1 / len(words) ** WORDS < 2**-20
    assert len({word[: spoken_codes.LEAST_LETTERS] for word in words}) == len(words)
    assert all(re.fullmatch(r"[a-z]{3,10}", word) for word in words)
    assert spoken_codes.beginning_with("lante") == ("lantern",)
    assert spoken_codes.beginning_with("zz") == ()
    assert spoken_codes.beginning_with("") == word_list()
    assert all(word.startswith("wa") for word in spoken_codes.beginning_with("wa"))
    drawn = {spoken_codes.fresh_words() for _ in range(64)}
    assert len(drawn) > 60
    assert all(word in word_list() for pair in drawn for word in pair)
    assert "lantern" not in repr(LANTERN)


@each(
    [
        "7-lantern-walrus",
        " 7 Lantern  WALRUS ",
        "7–lantern—walrus",
        "７－lantern walrus",
        "7_lantern.walrus",
        "`7-lantern-walrus`",
        "7-lan-wal",
        "007-lantern-walrus",
    ]
)
def test_what_people_type_is_forgiven(text: str) -> None:
    assert spoken_codes.is_code(text)
    assert spoken_codes.parse_code(text) == LANTERN
    assert str(LANTERN) == "7-lantern-walrus"
    assert spoken_codes.parse_code(text).password == b"lantern-walrus"


@given(
    st.builds(
        SpokenCode,
        st.integers(1, MOST_NUMBER),
        st.lists(ONE_WORD, min_size=WORDS, max_size=MOST_WORDS).map(tuple),
    ),
    st.integers(3, 10),
    st.text(max_size=60),
)
def test_codes_are_read_from_beginnings(code: SpokenCode, letters: int, text: str) -> None:
    first, *more = code.words
    assert spoken_codes.parse_code(str(code)) == code
    assert (
        spoken_codes.parse_code(f"{code.number} {first[:letters]} {' '.join(more).upper()}") == code
    )
    if not spoken_codes.is_code(text):
        fails(spoken_codes.CodeError, "", spoken_codes.parse_code, text)


@each(
    [
        ("7-lantern-walrus@relay.example:9", "relay.example:9"),
        ("7-lantern-walrus@Relay.Example", "relay.example:4646"),
        ("7-lantern-walrus@[2001:db8::1]", "[2001:db8::1]:4646"),
        ("7-lantern-walrus@[2001:db8::1]:80", "[2001:db8::1]:80"),
        ("7-lantern-walrus@192.0.2.7 ", "192.0.2.7:4646"),
    ]
)
def test_a_relay_may_stand_behind_it(case: tuple[str, str]) -> None:
    text, relay = case
    assert spoken_codes.parse_code(text) == SpokenCode(7, LANTERN.words, relay)


@each(
    [
        ("7-lantern", "no-code"),
        ("lantern-walrus", "no-code"),
        ("7-lantern-walrus-walrus-walrus-walrus", "no-code"),
        ("9999999999-lantern-walrus", "no-code"),
        ("00000000019999999999-lantern-walrus", "no-code"),
        ("1" + "0" * 5000 + "-lantern-walrus", "no-code"),
        ("7-lantern-walrus-zzz", "code-of-no-word"),
        ("-7-lantern-walrus@", "code-with-bad-relay"),
        ("7-lantern-walrus@a b", "code-with-bad-relay"),
        ("7-lantern-zzz", "code-of-no-word"),
        ("7-la-walrus", "code-of-no-word"),
    ]
)
def test_what_is_no_code_is_refused(case: tuple[str, str]) -> None:
    text, code = case
    fails(spoken_codes.CodeError, code, spoken_codes.parse_code, text)


def test_a_slip_is_no_guess_and_neither_tickets_nor_nicknames_are_codes() -> None:
    others = ("hoity3abc", "Ana", "7 of nine", "", "7-up", "123")
    assert [text for text in others if spoken_codes.is_code(text)] == []
    for typed, meant in (("7-lantrn-walrus", "lantern"), ("7-lantern-wlarus", "walrus")):
        refused = fails(spoken_codes.CodeError, "code-misspelt", spoken_codes.parse_code, typed)
        assert refused.fields["meant"] == meant


@given(st.data(), CODES)
def test_a_code_is_found_in_what_is_pasted(data: st.DataObject, code: SpokenCode) -> None:
    gap = data.draw(st.sampled_from(["-", "–", "—", "\u2011", "−", "－", " - ", "_", "・ー"[1]]))
    typed = gap.join([str(code.number), *code.words])
    if code.relay:
        relay = data.draw(st.sampled_from(["{}", "http://{}", "https://{}/", "{}/"]))
        typed += "@" + relay.format(code.relay)
    text = data.draw(decorated(data.draw(wide(typed))))
    assert parse_code(text) == code, text
    assert is_code(text)


@given(CODES, CODES)
def test_two_codes_never_become_one(one: SpokenCode, other: SpokenCode) -> None:
    """What is a code as it is typed is never cleaned, and several codes are none."""
    assert parse_code(str(one)) == SpokenCode(one.number, one.words)
    if one.relay:
        fails(CodeError, "", parse_code, f"{one}@{one.relay} {other}")


@each(
    [
        "7-vacuum-avalanche. See you",
        "7-vacuum-avalanche, avalanche",
        "7-vacuum-avalanche --yes",
        "7-vacuum-avalanche walrus",
        "7-vacuum-avalanche\nlantern",
        "7-vacuum-avalanche (walrus)",
        "7-vacuum ava",
    ]
)
def test_a_word_behind_a_code_does_not_become_a_part_of_it(text: str) -> None:
    """A code of three words is another one, and a wrong one would be used up."""
    fails(CodeError, "no-code|code-of-no-word", parse_code, text)


@each(["7 vacuum-avalanche", "7-vacuum\navalanche", "7. Vacuum, avalanche", "7  vacuum avalanche"])
def test_two_whole_words_may_have_different_gaps(text: str) -> None:
    assert parse_code(text) == SpokenCode(7, ("vacuum", "avalanche"))
