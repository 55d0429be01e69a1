"""Tests of look-alikes: twins at one table are found, and names that differ are left alone."""

from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from p2p_hoity.confusable_names import twins, twins_among

TWINS = [
    ("ada", "ada"),
    ("ada", "Ada"),
    ("Ada", "Аdа"),  # Cyrillic
    ("Ida", "ida"),
    ("Ali", "AIi"),
    ("Bill", "Bi11"),
    ("Ana", "Aná"),
    ("Ana", "Ana\u0323"),
    ("Anna Lena", "AnnaLena"),
    ("Modern", "Modem"),
    ("Ｂｏｂ", "Bob"),
    ("ΒΟΒ", "bob"),  # Greek
    ("strasse", "Straße"),
    ("Ꭰan", "Dan"),  # Cherokee
]


@each(TWINS)
def test_twins(case: tuple[str, str]) -> None:
    one, other = case
    assert twins(one, other)
    assert twins(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Ada", "Ida"), ("Ana", "Anna"), ("名前", "名字"), ("seat 1", "seat 2"), ("Иван", "Ивана")],
)
def test_names_that_differ(one: str, other: str) -> None:
    assert not twins(one, other)


def test_the_first_twins_of_a_table_are_named_and_each_letter_stands_in_one_group() -> None:
    text = files("p2p_hoity").joinpath("drawn_alike.txt").read_text("utf-8")
    every = "".join(line.split()[1] for line in text.splitlines() if not line.startswith("#"))
    assert len(every) == len(set(every))
    assert twins_among(["ada", "bob", "Bоb", "ADA"]) == ("ada", "ADA")
    assert twins_among(["ada", "bob"]) is None


@given(st.text(max_size=24))
def test_every_name_is_its_own_twin(name: str) -> None:
    assert twins(name, name)
