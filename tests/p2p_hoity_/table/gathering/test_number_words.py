"""Tests of numbers as words in front of a code."""

import pytest
from support.cases import fails

from p2p_hoity.table.gathering.number_words import number_words
from p2p_hoity.table.gathering.spoken_codes import (
    CodeError,
    SpokenCode,
    is_code,
    parse_code,
    word_list,
)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("seven-vacuum-avalanche", 7),
        ("Seven Vacuum Avalanche", 7),
        ("hoity join seven-vacuum-avalanche", 7),
        ("twenty-one vacuum avalanche", 21),
        ("twenty six vacuum avalanche", 26),
        ("sieben vacuum avalanche", 7),
        ("Fünf-vacuum-avalanche", 5),
        ("fuenfunddreissig vacuum avalanche", 35),
        ("dreiunddreißig vacuum avalanche", 33),
        ("siete vacuum avalanche", 7),
        ("treinta y uno vacuum avalanche", 31),
        ("veintitrés vacuum avalanche", 23),
    ],
)
def test_the_number_of_a_code_may_be_a_word(text: str, number: int) -> None:
    assert parse_code(text) == SpokenCode(number, ("vacuum", "avalanche"))
    assert is_code(text)


def test_number_words_are_no_words_of_codes_and_shortened_words_do_not_follow_them() -> None:
    assert sorted(set(number_words().values())) == list(range(1, 100))
    assert not set(word_list()) & {part for word in number_words() for part in word.split("-")}
    for text in (
        "seven-vac-ava",
        "seven of nine",
        "One Big Cat",
        "seven-vacuum",
        "twenty-six-vacuum",
    ):
        assert not is_code(text), text
        fails(CodeError, "no-code", parse_code, text)
