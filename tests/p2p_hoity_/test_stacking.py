"""Combining marks: no text of others climbs over the lines around it, and languages keep theirs."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from p2p_hoity.confusable_names import MOST_MARKS, is_mark, is_stacked, thinned

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
