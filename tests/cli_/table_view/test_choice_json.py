"""Choices as programs read and write them: each has one form."""

from typing import Any

import pytest
from support.cases import fails

from cli.table_view.choice_json import choice_from_json, choice_json
from p2p_hoity.rules import Choice, IllegalMove

FORMS: list[tuple[Any, Choice, Any]] = [
    ("place", 0, "Castle"),
    ("place", 1, "Auction Hall"),
    ("action", 7, 7),
    ("turn", (1, 3), ["Auction Hall", 3]),
    ("window", 1, 1),
    ("exhibit", (4, 5, 9), [4, 5, 9]),
    ("theft", (9, 4), [9, 4]),
]


@pytest.mark.parametrize(("kind", "choice", "told"), FORMS, ids=str)
def test_a_choice_comes_back(kind: Any, choice: Choice, told: Any) -> None:
    assert choice_json(kind, choice) == told
    assert choice_from_json(kind, told) == choice


@pytest.mark.parametrize(
    ("kind", "value", "code"),
    [
        ("place", 0, "no-place"),
        ("place", "castle", "no-place"),
        ("place", None, "no-place"),
        ("place", ["Castle"], "no-place"),
        ("turn", [0, 3], "no-place"),
        ("turn", ["Castle"], "not-a-turn"),
        ("turn", [], "not-a-turn"),
        ("turn", "Castle", "not-a-turn"),
        ("window", "Castle", "not-a-window"),
        ("exhibit", [9, 5, 4], "not-rising"),
    ],
)
def test_any_other_form_is_no_choice(kind: Any, value: Any, code: str) -> None:
    fails(IllegalMove, code, choice_from_json, kind, value)
