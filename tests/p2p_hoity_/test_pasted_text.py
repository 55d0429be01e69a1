"""Tests of what is cleaned off a pasted text: commands, marks, and what nobody sees."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2p_hoity import pasted_text
from p2p_hoity.net.network_errors import AddressError, TicketError
from p2p_hoity.net.typed_addresses import typed_address
from p2p_hoity.net.typed_tickets import read_ticket
from p2p_hoity.table.gathering.spoken_codes import CodeError, parse_code


@given(st.text(max_size=300))
def test_any_text_is_a_ticket_a_code_an_address_or_an_error(text: str) -> None:
    for read, error in (
        (read_ticket, TicketError),
        (parse_code, CodeError),
        (typed_address, AddressError),
    ):
        with suppress(error):
            read(text)
    assert pasted_text.unwrapped(pasted_text.unwrapped(text)) == pasted_text.unwrapped(text)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("a\u200bb\u00adc\u200f", "abc"),
        ("ＡＢ１", "AB1"),
        ("a\u00a0b\u3000c", "a b c"),
        ("a\r\n\tb", "a\r\n\tb"),
        ("\x1b[200~a\x1b[201~", "a"),
        ("&lt;a&gt;", "<a>"),
        ("x" * 9000, "x" * pasted_text.MOST_PASTED),
    ],
)
def test_what_nobody_sees_is_taken_away_and_what_is_seen_stays(text: str, plain: str) -> None:
    assert pasted_text.visible(text) == plain


def test_a_character_that_is_to_stay_stays_though_nobody_sees_it() -> None:
    assert pasted_text.visible("a\u200cb\u200bc", "\u200c") == "a\u200cbc"


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        (" «7-lantern» ", "7-lantern"),
        ("**[7-lantern]**.", "7-lantern"),
        ("/home/", "/home/"),
        ("-x-", "-x-"),
        ("…!?", ""),
        ("", ""),
    ],
)
def test_marks_are_taken_off_the_ends_alone_and_no_slash_or_dash_is_one(
    text: str, inner: str
) -> None:
    assert pasted_text.bare(text) == inner


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("hoity join 7-lantern --yes", "7-lantern"),
        ("$ hoity.exe watch --yes 7-lantern # soon", "7-lantern"),
        ("py -m cli replay a b && echo", "a b"),
        ("hoity host 7-lantern", "hoity host 7-lantern"),
        ("join 7-lantern", "join 7-lantern"),
    ],
)
def test_of_a_command_what_it_is_about_is_left(text: str, named: str) -> None:
    assert pasted_text.after_command(text) == named


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("Code: `7-lantern`", "7-lantern"),
        ("web+hoity://7-lantern", "7-lantern"),
        ("[7-lantern](https://chat.example)", "7-lantern"),
        ("`hoity join 7-lantern`", "7-lantern"),
        ("7-lantern", "7-lantern"),
    ],
)
def test_the_one_thing_that_is_meant_is_found(text: str, meant: str) -> None:
    assert pasted_text.unwrapped(text) == meant


def test_lines_that_were_quoted_or_broken_become_one() -> None:
    assert pasted_text.one_line("> ab-\n> | cd") == "abcd"
    assert pasted_text.one_line("a > b") == "a > b"
    assert pasted_text.hyphenated("a–b—c−d") == "a-b-c-d"
