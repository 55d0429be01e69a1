"""Lines of the screen: measured in cells, cut where they must be, plain whatever comes in."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from cli.printing import HIDDEN
from cli.ui.full_screen.styled_lines import (
    Line,
    between,
    broken,
    cells,
    cut,
    fit,
    text,
)

WORDS = st.text(max_size=40)
WIDTHS = st.integers(0, 60)


@given(WORDS, WIDTHS)
def test_a_text_is_cut_to_its_place_and_fills_it(words: str, width: int) -> None:
    plain = text(words).plain
    assert cut(words, cells(words)) == words
    assert cells(cut(plain, width)) <= width
    assert cells(fit(plain, width)) == width
    assert cells(fit(plain, width, right=True)) == width


@given(st.lists(st.tuples(WORDS, st.sampled_from(["", "dim", "title on cursor"]))), WIDTHS)
def test_a_line_within_a_width_has_this_width(parts: list[tuple[str, str]], width: int) -> None:
    line = Line()
    for words, style in parts:
        line.add(words, style)
    assert line.within(width).width == width
    assert between(line, text("end"), width).width == width


@given(WORDS)
def test_no_control_or_format_character_reaches_the_screen(words: str) -> None:
    hostile = f"a\x1b[2J{words}\u202e\x07b\u200d"
    shown = text(hostile).plain
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert not {unicodedata.category(letter) for letter in shown} & HIDDEN


@given(st.integers(0, 99))
def test_a_tower_of_marks_is_cut_down_and_a_wide_letter_never_cut_in_half(marks: int) -> None:
    shown = text("a" + "\u0301" * marks + "b").plain
    assert shown == "a" + "\u0301" * min(marks, 2) + "b"
    assert cut("漢字漢字", 6) == "漢字…"
    assert fit("漢字", 3) == "漢…" or cells(fit("漢字", 3)) == 3


def test_a_click_does_what_stands_there() -> None:
    line = Line().add("ab").add("漢", action="mark(3)").add("c", action="seal()")
    wanted = ["", "", "mark(3)", "mark(3)", "seal()", ""]
    assert [line.action_at(column) for column in range(6)] == wanted


@given(st.lists(st.text("abc漢 ", min_size=1, max_size=9)), st.integers(1, 40))
def test_words_are_broken_into_lines_and_none_is_lost(words: list[str], width: int) -> None:
    told = " ".join(words)
    lines = broken(told, width)
    assert all(line.width <= width for line in lines)
    lead = len(told) - len(told.lstrip(" "))
    if max((cells(word) for word in told.split(" ")), default=0) + lead <= width:
        assert " ".join(" ".join(line.plain for line in lines).split()) == " ".join(told.split())


def test_blanks_at_the_front_stay_and_a_word_without_room_goes_on_in_the_next_line() -> None:
    lines = broken("  one two three", 9, indent="    ")
    assert [line.plain for line in lines] == ["  one two", "    three"]
    assert [line.plain for line in broken("ab " + "x" * 7, 3)] == ["ab", "xxx", "xxx", "x"]
