"""The keys of the full screen: each does what exists, and over a page only pages are turned."""

import re

import pytest
from textual.events import Key

from cli.table_view.question_menu import Menu
from cli.table_view.sheets import SHEETS
from cli.ui.full_screen.info_pages import PAGES
from cli.ui.full_screen.key_bindings import KEYS, NUMBERS, OVER_A_PAGE, key_of
from cli.ui.full_screen.textual_app import TableApp


@pytest.mark.parametrize("action", sorted(set(KEYS.values())))
def test_every_key_has_an_action_that_the_application_has(action: str) -> None:
    name, _, given = action.partition("(")
    assert hasattr(TableApp, f"action_{name}")
    if name == "page":
        assert given.strip("')") in {**PAGES, **SHEETS}
    if name == "choose":
        found = re.match(r"'(\w+)'", given)
        assert found is not None
        assert hasattr(Menu, found[1])


def test_digits_pick_the_entry_of_their_number_and_zero_the_tenth() -> None:
    assert {**{str(number): number for number in range(1, 10)}, "0": 10} == NUMBERS
    assert KEYS["1"] == "choose('pick', 1)"
    assert KEYS["0"] == "choose('pick', 10)"


def test_over_a_page_only_keys_of_pages_work() -> None:
    assert set(OVER_A_PAGE) == set("bilrop?#h")
    assert all(KEYS[key] == action for key, action in OVER_A_PAGE.items())


@pytest.mark.parametrize(
    ("event", "key"),
    [
        (Key("question_mark", "?"), "?"),
        (Key("I", "I"), "I"),
        (Key("enter", "\r"), "enter"),
        (Key("escape", "\x1b"), "escape"),
        (Key("up", None), "up"),
        (Key("space", " "), " "),
    ],
)
def test_a_key_is_the_character_that_was_typed_or_has_a_name(event: Key, key: str) -> None:
    assert key_of(event) == key
