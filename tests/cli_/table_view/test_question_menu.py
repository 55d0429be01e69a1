"""The menu: what is picked is what is sealed, and nothing is sealed that was not picked."""

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.moments import Shown, asked_for, begun
from support.sampling import times

from cli.table_view.question_menu import Menu, menu
from cli.table_view.seats import DONE
from cli.ui.full_screen.layout import frame
from cli.ui.full_screen.seats_and_pieces import POINTER
from cli.words.board_text import own_slots
from cli.words.choice_names import ordered, sealing
from cli.words.choice_notes import note
from p2p_hoity import rules

THEFTS: list[tuple[rules.Kind, int]] = [("theft", seats) for seats in (3, 4, 5, 6)]


def open_menu(kind: str, seats: int = 4, seed: int = 1, round: int = 1) -> Menu:
    """A question of this kind."""
    found = asked_for(begun(seats, seed), kind, round).desk.menu
    assert found is not None
    return found


@pytest.mark.parametrize("kind", ["place", "action", "window", "turn"])
def test_nothing_is_picked_and_every_legal_choice_is_an_entry_and_can_be(kind: str) -> None:
    found = open_menu(kind, seats=2 if kind == "turn" else 4)
    assert found.choice is None
    assert found.why_not()
    assert [entry.value for entry in found.entries] == ordered(found.view, found.kind)
    assert {entry.value for entry in found.entries} == set(found.view.legal(found.kind))
    for number, entry in enumerate(found.entries, 1):
        found.pick(number)
        assert found.choice == entry.value
        assert not found.why_not()


@given(st.lists(st.sampled_from([-1, 1]), max_size=30))
def test_arrows_walk_around_and_numbers_of_no_entry_pick_nothing(steps: list[int]) -> None:
    found = open_menu("action")
    for number in (0, -1, 99):
        found.pick(number)
        assert found.cursor is None
        assert f"number {number}." in found.complaint
    for step in steps:
        found.move(step)
        assert found.cursor in range(len(found.entries))


@given(st.integers(1, 9), st.integers(2, 9), st.data())
@settings(max_examples=times(16, 40))
def test_any_marks_are_judged_as_the_rules_do(seed: int, round: int, data: st.DataObject) -> None:
    found = open_menu("exhibit", seed=seed, round=round)
    for slot in data.draw(st.sets(st.sampled_from(own_slots(found.view)))):
        found.mark(slot)
    choice = found.choice
    assert choice == (tuple(sorted(found.picked)) or None)
    try:
        found.view.check("exhibit", choice)
        legal = True
    except rules.IllegalMove:
        legal = False
    assert (not found.why_not()) == legal
    assert found.verdict


def test_marks_are_set_on_ones_own_pieces_and_the_best_exhibits_a_key_away() -> None:
    found = open_menu("exhibit")
    assert found.choice is None
    assert found.why_not()
    found.toggle()
    assert found.picked == {found.slots[0]}
    found.toggle()
    assert not found.picked
    other = next(s for s in range(51) if s not in found.slots)
    found.mark(other)
    assert not found.picked
    found = open_menu("exhibit", round=5)
    for number, choice in enumerate(found.view.legal("exhibit")[:9], 1):
        found.pick(number)
        assert found.choice == choice


def test_a_theft_takes_one_piece_of_every_exhibit() -> None:
    found = open_menu("theft", seed=2, round=4)
    groups = rules.theft_options(found.view.state)
    for group in groups:
        for slot in group:
            found.mark(slot)
            assert len(found.picked & set(group)) == 1
    assert found.choice == tuple(group[-1] for group in groups)
    assert not found.why_not()


def test_a_theft_promises_what_the_pointed_or_the_marked_pieces_bring() -> None:
    found = open_menu("theft", seed=2, round=4)
    assert found.promise == note(found.view, "theft", found.slots[found.at], found.names)
    for group in rules.theft_options(found.view.state):
        found.mark(group[0])
    assert found.choice is not None
    assert found.promise == note(found.view, "theft", found.choice, found.names) != ""
    assert open_menu("exhibit").promise == ""


def test_a_theft_goes_on_to_an_exhibit_that_lacks_a_mark_and_names_it() -> None:
    found = open_menu("theft", 5, seed=10)
    one, other = groups(found)
    assert min(len(one), len(other)) > 1
    assert found.why_not().startswith("Nothing is marked yet")
    found.at = found.slots.index(one[1])
    found.toggle()
    assert found.slots[found.at] == other[0]
    owners = [seat for seat, shown in enumerate(found.view.state.exhibits) if shown]
    assert found.names.seat(owners[1]) in found.why_not()
    assert found.names.seat(owners[0]) not in found.why_not()
    found.walk(1)
    found.toggle()
    assert found.slots[found.at] == other[1]
    assert found.choice == (one[1], other[1])
    assert not found.why_not()
    found = with_exhibits((2, 3, 2))
    first, second, third = groups(found)
    found.at = found.slots.index(second[1])
    found.toggle()
    assert found.slots[found.at] == third[0]
    who = [
        found.names.seat(seat) for seat, pieces in enumerate(found.view.state.exhibits) if pieces
    ]
    assert found.why_not() == f"Not marked yet: a piece of {who[2]}."
    found.toggle()
    assert found.slots[found.at] == first[0]
    assert found.why_not() == f"Not marked yet: a piece of {who[0]}."
    found.toggle()
    assert found.choice == (first[0], second[1], third[0])
    found = with_exhibits((1, 3, 2))
    only, second, _third = groups(found)
    assert found.picked == set(only)
    assert found.slots[found.at] == second[0]


def groups(found: Menu) -> list[list[int]]:
    """The pieces of each exhibit that a theft may take, in the order of the screen."""
    options = rules.theft_options(found.view.state)
    return [[slot for slot in found.slots if slot in group] for group in options]


def with_exhibits(sizes: tuple[int, int, int]) -> Menu:
    """A theft from three exhibits of so many pieces, by seat."""
    found = open_menu("theft", 5, seed=10)
    state = found.view.state
    others = [seat for seat in range(5) if seat != found.view.seat][:3]
    shown = [(), (), (), (), ()]
    for seat, size in zip(others, sizes, strict=True):
        shown[seat] = state.collectibles[seat][:size]
    moved = state.but(exhibits=tuple(shown))
    return menu(replace(found.view, state=moved), "theft", found.names)


# What is drawn.


def drawn(shown: Shown, size: tuple[int, int]) -> tuple[list[int], int | None, set[int]]:
    """The pieces that can be marked, in the order of the screen; which is pointed at; the ticks."""
    slots: list[int] = []
    pointed, ticked, before = None, set(), ""
    for line in frame(shown.stage, shown.desk, *size):
        for span in line.spans:
            if found := re.fullmatch(r"choose\('mark', (\d+)\)", span.action):
                slot = int(found[1])
                slots.append(slot)
                pointed = slot if before == POINTER else pointed
                if before == DONE or span.text.endswith(DONE):
                    ticked.add(slot)
            before = span.text
    return slots, pointed, ticked


@pytest.mark.sampled(6)
@pytest.mark.parametrize("size", [(80, 24), (100, 30), (140, 40)])
@pytest.mark.parametrize(("kind", "seats"), [("exhibit", 4), ("exhibit", 6), *THEFTS])
def test_the_cursor_walks_as_the_screen_shows_and_what_is_ticked_is_sealed(
    kind: rules.Kind, seats: int, size: tuple[int, int]
) -> None:
    shown = asked_for(begun(seats, seed=10), kind, 4)
    found = shown.desk.menu
    assert found is not None
    for step in (1, -1):
        for _piece in found.slots:
            slots, pointed, _ = drawn(shown, size)
            assert slots == list(found.slots)
            assert pointed == found.slots[found.at]
            place = found.at
            found.walk(step)
            assert found.at == (place + step) % len(slots)
    for at in range(0, len(found.slots), 2):
        found.at = at
        found.toggle()
        assert drawn(shown, size)[2] == found.picked
        if not found.why_not():
            assert found.choice is not None
            assert set(found.choice) == found.picked  # type: ignore[arg-type]
            told = sealing(found.view, found.kind, found.choice, found.names)
            assert found.verdict.endswith(told)
