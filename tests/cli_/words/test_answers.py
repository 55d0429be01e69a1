"""Tests of how a typed line is read as an answer."""

from cli.words import translation


def test_a_yes_or_a_no_in_any_language_and_nothing_else() -> None:
    for line in ("", "y", "YES", "s", "sí", "j", "Ja", "Yes!", "y.", "ｙ", "\ufeffy\u200b"):
        assert translation.yes_or_no(line) is True, line
    for line in ("n", "No", "NEIN", "no.", "ｎｏ"):
        assert translation.yes_or_no(line) is False, line
    for line in ("nope", "1", "yesno", "?", "ye s", "y?", "'y", "hoity join 7-vacuum-avalanche"):
        assert translation.yes_or_no(line) is None, line
    assert translation.yes_or_no("", silent=None) is None
    assert translation.yes_or_no("  ", silent=False) is False
