"""Tests of plain text: the list is fixed, and SPEC's is the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from protocol.text import FORBIDDEN, is_plain

SPEC = (Path(__file__).resolve().parent.parent / "SPEC.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("text", ["Ada", "Zoë", "名前", "a b", "😀", "ñandú-7", ""])
def test_plain_text(text: str) -> None:
    assert is_plain(text)


@pytest.mark.parametrize(
    "text", [" a", "a ", " ", "a\tb", "a\x1b[2J", "a\u202eb", "\ufeff", "\x7f"]
)
def test_text_that_is_not_plain(text: str) -> None:
    assert not is_plain(text)


@pytest.mark.parametrize(("low", "high"), FORBIDDEN)
def test_the_ends_of_each_range(low: int, high: int) -> None:
    assert not is_plain(f"a{chr(low)}b")
    assert not is_plain(f"a{chr(high)}b")
    beyond = high + 1
    inside = any(a <= beyond <= b for a, b in FORBIDDEN)
    assert beyond > 0x10FFFF or is_plain(f"a{chr(beyond)}b") is not inside


def test_spec_names_the_same_ranges() -> None:
    (words,) = re.findall(r"\[H-6\].*?both ends included\): (.*?)\. The list", SPEC, re.DOTALL)
    ranges = []
    for part in words.replace("\n", " ").split(","):
        low, _, high = part.strip().partition("–")
        ranges.append((int(low, 16), int(high or low, 16)))
    assert tuple(ranges) == FORBIDDEN
