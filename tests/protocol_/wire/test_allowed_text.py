"""Tests of plain text: the list is fixed, and SPEC's is the same."""

import re
import unicodedata
from itertools import pairwise

from support.cases import each

from protocol.wire.allowed_text import FORBIDDEN, SEPARATORS, is_one_name, is_plain
from tools.spec_tables import specification

SPEC = specification()


PLAIN = ["Ada", "Zoë", "名前", "a b", "😀", "ñandú-7", "", "A, B"]
NOT_PLAIN = [
    *(" a", "a ", " ", "a\tb", "a\x1b[2J", "a\u202eb", "\ufeff", "\x7f"),
    *("ada\u034f", "ada\u3164", "ada\u2800", "\u17b4", "\u180b", "\ufe0f", "\U000e0041"),
]


@each(PLAIN + NOT_PLAIN, ascii)
def test_plain_text(text: str) -> None:
    assert is_plain(text) is (text in PLAIN)


@each(FORBIDDEN)
def test_the_ends_of_each_range(ends: tuple[int, int]) -> None:
    low, high = ends
    assert not is_plain(f"a{chr(low)}b")
    assert not is_plain(f"a{chr(high)}b")
    beyond = high + 1
    inside = any(a <= beyond <= b for a, b in FORBIDDEN)
    assert beyond > 0x10FFFF or is_plain(f"a{chr(beyond)}b") is not inside


def test_no_control_and_no_format_character_of_this_unicode_is_plain() -> None:
    for code in range(0x110000):
        if unicodedata.category(chr(code)) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp"):
            assert not is_plain(f"a{chr(code)}b"), hex(code)


def test_the_ranges_rise_and_do_not_touch() -> None:
    ends = [end for pair in FORBIDDEN for end in pair]
    assert ends == sorted(ends)
    assert all(high + 1 < low for (_, high), (low, _) in pairwise(FORBIDDEN))


@each(SEPARATORS)
def test_a_name_with_a_separator_reads_as_two(code: int) -> None:
    assert is_plain(f"host{chr(code)} ada")
    assert not is_one_name(f"host{chr(code)} ada")
    assert is_one_name("Ada (bot)")
    assert not is_one_name("ada\u034f")


def test_spec_names_the_same_separators_and_ranges() -> None:
    (words,) = re.findall(r"\[H-10\] A nickname.*?hexadecimal: (.*?)\.", SPEC, re.DOTALL)
    assert tuple(int(word, 16) for word in words.replace("\n", " ").split(",")) == SEPARATORS
    (words,) = re.findall(r"\[H-6\].*?include both ends: (.*?)\.", SPEC, re.DOTALL)
    ranges = []
    for part in words.replace("\n", " ").split(","):
        low, _, high = part.strip().partition("–")
        ranges.append((int(low, 16), int(high or low, 16)))
    assert tuple(ranges) == FORBIDDEN
