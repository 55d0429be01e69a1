"""Tests of look-alikes: twins are found, others are left alone, and no text climbs over lines."""

import unicodedata
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from p2p_hoity.confusable_names import MOST_MARKS, is_mark, is_stacked, thinned, twins, twins_among

TWINS = [
    ("ada", "ada"),
    ("ada", "Ada"),
    ("Ada", "Аdа"),  # Cyrillic
    ("Ida", "ida"),
    ("Ali", "AIi"),
    ("Bill", "Bi11"),
    ("Ana", "Aná"),
    ("Ana", "Ana\u0323"),
    ("Anna Lena", "AnnaLena"),
    ("Modern", "Modem"),
    ("Ｂｏｂ", "Bob"),
    ("ΒΟΒ", "bob"),  # Greek
    ("strasse", "Straße"),
    ("Ꭰan", "Dan"),  # Cherokee
]

TOWERS = ["e" + "\u0301" * 9, "a\u0300\u0301\u0302b", "x\u0489\u0301\u0489", "e" + "\u1add" * 5]
"""U+1ADD is a mark of Unicode 17, which few programs know yet."""
WORDS = [
    "Überplay",
    "Nguyễn Thị Ánh",
    unicodedata.normalize("NFD", "Nguyễn Thị Ánh"),
    "กำไรผู้เล่น",
    "שָׁלוֹם",
    "मोहन",
    "한국어",
    unicodedata.normalize("NFD", "한국어"),
    "名前😀🫨🫨🫨🫨",
    "Ada",
    "",
]


@each(TWINS)
def test_twins(case: tuple[str, str]) -> None:
    one, other = case
    assert twins(one, other)
    assert twins(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Ada", "Ida"), ("Ana", "Anna"), ("名前", "名字"), ("seat 1", "seat 2"), ("Иван", "Ивана")],
)
def test_names_that_differ(one: str, other: str) -> None:
    assert not twins(one, other)


def test_the_first_twins_of_a_table_are_named_and_each_letter_stands_in_one_group() -> None:
    text = files("p2p_hoity").joinpath("drawn_alike.txt").read_text("utf-8")
    every = "".join(line.split()[1] for line in text.splitlines() if not line.startswith("#"))
    assert len(every) == len(set(every))
    assert twins_among(["ada", "bob", "Bоb", "ADA"]) == ("ada", "ADA")
    assert twins_among(["ada", "bob"]) is None


@given(st.text(max_size=24))
def test_every_name_is_its_own_twin(name: str) -> None:
    assert twins(name, name)


@each(TOWERS, ascii)
def test_of_a_tower_the_first_marks_stay_and_it_is_no_name(text: str) -> None:
    kept = thinned(text)
    assert kept == thinned(kept) != text
    assert text.startswith(kept[: 1 + MOST_MARKS])
    assert is_stacked(text)


@each(WORDS, ascii)
def test_words_of_languages_stay_as_they_are(text: str) -> None:
    assert thinned(text) == text
    assert not is_stacked(text)


@each(["\u0301", "\u0301Ada"], ascii)
def test_a_name_that_begins_with_a_mark_would_stand_on_what_is_before_it(name: str) -> None:
    assert is_stacked(name)


@given(st.text(st.characters() | st.sampled_from("\u0301\u20dd"), max_size=40))
def test_no_text_keeps_more_marks_in_a_row_than_are_shown(text: str) -> None:
    kept, row = thinned(text), 0
    for letter in kept:
        row = row + 1 if is_mark(letter) else 0
        assert row <= MOST_MARKS
    assert [one for one in kept if not is_mark(one)] == [one for one in text if not is_mark(one)]
