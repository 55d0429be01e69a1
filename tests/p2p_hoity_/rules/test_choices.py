"""Tests of choices as they travel."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.cases import each
from support.sampling import times

from p2p_hoity.rules import IllegalMove, choice_from_wire

GOOD = [
    ("place", 0, 0),
    ("place", 1, 1),
    ("action", 47, 47),
    ("turn", [1, 3], (1, 3)),
    ("turn", (0, 6), (0, 6)),
    ("window", 1, 1),
    ("exhibit", [0, 2, 50], (0, 2, 50)),
    ("theft", [9], (9,)),
    ("theft", [9, 3, 255, 0, 1], (9, 3, 255, 0, 1)),
]
BAD = [
    *(("place", v) for v in (2, -1, True, False, None, "0", 0.0, [0], b"\0")),
    *(("action", v) for v in (48, -1, True, [1])),
    *(("turn", v) for v in (0, [0], [0, 1, 2], [2, 1], [0, 48], [True, 1], [0, False], "01")),
    *(("window", v) for v in (2, True, [])),
    *(("exhibit", v) for v in (3, [], [1, 2], [2, 1, 3], [1, 1, 2], [1, 2, 256], [0, 1, True])),
    *(("theft", v) for v in (3, [], [1, 1], [0, 1, 2, 3, 4, 5], [-1], [None])),
    ("dance", 1),
]


@pytest.mark.parametrize(("kind", "value", "choice"), GOOD)
def test_a_choice_of_the_right_shape_is_taken(kind, value, choice):
    assert choice_from_wire(kind, value) == choice


@each(BAD)
def test_any_other_shape_is_refused(case):
    kind, value = case
    with pytest.raises(IllegalMove):
        choice_from_wire(kind, value)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 300) | st.text(max_size=3) | st.binary(max_size=3),
    lambda inner: st.lists(inner, max_size=6),
    max_leaves=8,
)


@given(st.sampled_from(["place", "action", "turn", "window", "exhibit", "theft"]), VALUES)
@settings(max_examples=times(60, 150))
def test_any_value_gives_a_choice_or_a_illegal_move(kind, value):
    try:
        choice = choice_from_wire(kind, value)
    except IllegalMove:
        return
    assert choice_from_wire(kind, choice) == choice
    assert choice == (tuple(value) if isinstance(value, list) else value)
