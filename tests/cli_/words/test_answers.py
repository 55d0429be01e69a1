"""Tests of how a typed line is read as an answer."""

import pytest

from cli.words import answers


@pytest.mark.parametrize("line", ["", "y", "YES", "s", "sí", "j", "Ja"])
def test_a_yes_in_any_language(line: str) -> None:
    assert answers.yes_or_no(line) is True


@pytest.mark.parametrize("line", ["n", "No", "NEIN"])
def test_a_no_in_any_language(line: str) -> None:
    assert answers.yes_or_no(line) is False


@pytest.mark.parametrize("line", ["nope", "1", "yesno", "?", "ye s"])
def test_anything_else_is_neither(line: str) -> None:
    assert answers.yes_or_no(line) is None


def test_a_line_without_a_word_stands_for_what_is_asked() -> None:
    assert answers.yes_or_no("", silent=None) is None
    assert answers.yes_or_no("  ", silent=False) is False
