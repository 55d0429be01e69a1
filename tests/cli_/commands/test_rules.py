"""The command `rules`: the rules of the edition that is named, as wide as the terminal."""

import pytest
from support.shell import Shell


def test_the_rules_are_those_of_the_edition_that_is_named(hoity: Shell) -> None:
    usual, other = (
        hoity.told(0, "rules", *words) for words in ((), ("--edition", "reference-manual"))
    )
    assert "Edition: uberplay-2004, 51 Collectibles" in usual
    assert "Edition: reference-manual" in other
    assert "uberplay-2004" not in other
    assert "no-such-edition" in hoity.told(2, "rules", "--edition", "no-such-edition")


@pytest.mark.parametrize(("columns", "most"), [("40", 40), ("200", 96)])
def test_the_lines_are_as_wide_as_the_terminal_and_no_wider_than_one_reads(
    hoity: Shell, monkeypatch: pytest.MonkeyPatch, columns: str, most: int
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    lines = hoity.done(0, "rules").out.splitlines()
    assert most - 12 < max(map(len, lines)) <= most
    assert all("  " not in line.strip() for line in lines)  # no line was wrapped twice
