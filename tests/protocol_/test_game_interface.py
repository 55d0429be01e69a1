"""What a game declares: forms of choices, which judge any value, and refused moves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.game_interface import ChoiceForm, IllegalMove


@pytest.mark.parametrize("value", [True, False, 0.0, "0", b"\0", None, [0], (0,), -1, 4])
def test_a_form_of_one_int_admits_nothing_else(value: object) -> None:
    assert not ChoiceForm(0, 3).admits(value)
    assert ChoiceForm(0, 3).admits(3)


@pytest.mark.parametrize("value", [0, (), (0,), [0, 1], (0, True), (0, 4), (0, 1, 2, 3), ((0,), 1)])
def test_a_form_of_two_or_three_ints_admits_nothing_else(value: object) -> None:
    form = ChoiceForm(0, 3, (2, 3))
    assert not form.admits(value)
    assert form.admits((3, 3))
    assert form.admits((0, 1, 2))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(VALUES)
def test_a_form_judges_any_value(value: object) -> None:
    assert ChoiceForm(0, 3).admits(value) is (type(value) is int and 0 <= value <= 3)
    assert ChoiceForm(0, 3, (0, 9)).admits(value) in (True, False)


def test_a_refused_move_has_a_code_and_what_the_rule_was_applied_to() -> None:
    error = IllegalMove("card-of-another-hand", slot=3, seat=1)
    assert str(error) == "card-of-another-hand (slot=3, seat=1)"
    assert (error.code, error.fields) == ("card-of-another-hand", {"slot": 3, "seat": 1})
    assert str(IllegalMove("no-run")) == "no-run"


def test_a_form_has_both_of_its_bounds() -> None:
    form = ChoiceForm(2, 5, (1, 2))
    assert [n for n in range(9) if ChoiceForm(2, 5).admits(n)] == [2, 3, 4, 5]
    assert [n for n in range(9) if form.admits((n,))] == [2, 3, 4, 5]
    assert [count for count in range(5) if form.admits((3,) * count)] == [1, 2]
