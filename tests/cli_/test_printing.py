"""Tests of the paper roll: lines are broken between words at the width of the terminal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli import printing

LINE = "  Fields and octagons: 0:3/1  1-5:4/2  6-12:3/2  13-20:2/1  21-24 Banquet"


def test_a_long_line_is_broken_between_words_and_a_number_stays_with_its_word() -> None:
    lines = printing.wrapped(LINE, 40)
    assert len(lines) == 2
    assert all(len(line) <= 40 for line in lines)
    assert lines[0].startswith("  Fields")
    assert lines[1].startswith("    ")
    assert printing.wrapped(LINE, len(LINE)) == [LINE]
    assert printing.wrapped(LINE * 9, None) == [LINE * 9]
    assert printing.wrapped("Bruno holds Cash 4,000, Thief 6, Exhibit", 22) == [
        "Bruno holds",
        "  Cash 4,000, Thief 6,",
        "  Exhibit",
    ]
    words = "say hoity resume and then go on as ever with what was begun some time ago by you"
    assert max(map(len, printing.wrapped(words, 30))) <= 30


@given(st.lists(st.from_regex(r"[a-z-]{1,60}", fullmatch=True), min_size=1), st.integers(20, 99))
def test_no_word_is_ever_broken(words: list[str], columns: int) -> None:
    lines = printing.wrapped(" ".join(words), columns)
    assert " ".join(lines).split() == words
    longest = max(map(len, words))
    assert all(len(line) <= max(columns, longest + 2) for line in lines)


def test_columns_bounds_a_line_also_in_a_pipe(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for columns, width in (("3", 20), ("", None), ("x", None), ("40", 40)):
        monkeypatch.setenv("COLUMNS", columns)
        assert printing.width() == width
    printing.say(LINE)
    out = capsys.readouterr().out.splitlines()
    assert len(out) == 2
    assert max(map(len, out)) <= 40


def test_a_command_is_kept_whole() -> None:
    for command in (
        "hoity resume c1abbcb534cd5a75",
        "hoity resume --claim c1abbcb534cd5a75",
        "hoity verify /tmp/a/transcripts/11f09588ecb62e63.hoity",
        "hoity join TICKET",
        "/usr/bin/python -m pip install prometheus-client",
    ):
        told = f"Left. The game is kept, and to go on say {command} and then wait"
        lines = printing.wrapped(told, 44)
        assert len(lines) > 1
        assert any(command in line for line in lines)


def test_a_command_is_not_broken_as_it_is_typed_in_a_checkout() -> None:
    told = "The game is kept: python3 tasks.py hoity resume 0123456789abcdef"
    assert printing.wrapped(told, 60)[-1].strip() == told.partition(": ")[2]


def test_a_quoted_path_in_a_command_is_not_broken() -> None:
    command = "hoity verify --certificate '/a b/it'\"'\"'s c.hoity'"
    told = f"The certificate is in a folder. Check it with: {command}"
    assert printing.wrapped(told, 30)[-1].strip() == command
