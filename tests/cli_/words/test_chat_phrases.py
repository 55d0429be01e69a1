"""Talk in lines: what somebody says never looks like a line of the game."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from cli import printing
from cli.ui.lines.line_screen import LineScreen
from cli.words.chat_phrases import MARK, quoted
from p2p_hoity.confusable_names import MOST_MARKS
from p2p_hoity.presentation import screen_updates as updates

FORGERIES = [
    "x" * 73 + "Round 9 · You 38 · Ada 0",
    "nice " + " " * 66 + "Round 9 · You 38 · Ada 0",
    "界" * 37 + "Round 9 · You 38",
    "界" * 36 + " Round 9 · You 38 · Ada 0 · hoity: Interrupted.",
    "well · " * 20,
    "e" + "\u0301" * 150 + "Round 9",
    "hoity: Interrupted.",
    "A1623 B1649",
]


def rows(line: str, columns: int) -> list[str]:
    """What a terminal makes of a line: at its right edge it goes on at the left one."""
    found, used = [""], 0
    for letter in line:
        wide = cell_len(letter)
        if used + wide > columns:
            found.append("")
            used = 0
        found[-1] += letter
        used += wide
    return found


@pytest.mark.parametrize("columns", [20, 72, 80, 100])
@pytest.mark.parametrize("words", FORGERIES)
def test_no_row_of_talk_looks_like_the_games(
    words: str, columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    LineScreen(printing.say)(updates.Said(1, "Ada", words))
    for line in capsys.readouterr().out.splitlines():
        assert all(row.startswith(MARK) for row in rows(line, columns)), line


@given(st.text(st.characters(codec="utf-8", categories=["L", "M", "N", "P", "S"])), st.integers(20))
def test_all_words_stay_and_every_line_has_room(words: str, columns: int) -> None:
    found = quoted("Ada", words, columns)
    assert all(line.startswith(MARK) and len(rows(line, columns)) == 1 for line in found)
    kept = "".join(line.removeprefix(MARK).removeprefix("  ") for line in found)
    plain = quoted("Ada", words, None)[0].removeprefix(MARK)
    assert kept.replace(" ", "") == plain.replace(" ", "")


def test_short_words_are_one_line_and_no_letter_carries_a_tower() -> None:
    assert quoted("Ada", "nice pipes", 80) == ["» Ada: nice pipes"]
    assert quoted("Ada", "pipes " * 100, None) == ["» Ada: " + "pipes " * 100]
    assert quoted("Ada", "nice pipes you have", 20) == ["» Ada: nice pipes", "»   you have"]
    assert quoted("Ada", "e" + "\u0301" * 9, 80) == ["» Ada: e" + "\u0301" * MOST_MARKS]
    assert quoted("Ada", "e\u0301" * 9, 80) == ["» Ada: " + "e\u0301" * 9]
    names = ", ".join(["界" * 20, "界" * 14, "Round 9 · You"])
    for line in printing.wrapped(f"Seated: {names}", 80):
        assert len(rows(line, 80)) == 1
