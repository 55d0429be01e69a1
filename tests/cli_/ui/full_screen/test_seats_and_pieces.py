"""The seats and their pieces on the screen: whole where it matters, and nothing hidden."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.boxes import box
from support.moments import SIZES, asked_for, assert_fits, begun
from support.sampling import times

from cli.table_view.seats import DONE
from cli.table_view.stage import Stage
from cli.ui.full_screen.seats_and_pieces import POINTER, pieces, seat_style
from cli.ui.full_screen.styled_lines import COLOURS, CUT
from p2p_hoity import rules
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.rules.happenings import PlaceShown
from protocol import game_interface


@pytest.mark.parametrize(("seed", "steps"), [(17, 49), (45, 40), (48, 1), (49, 34)])
def test_two_windows_under_the_last_letter_are_shown_whole(seed: int, steps: int) -> None:
    shown = begun(seed=seed).step(steps)
    tops = [shown.view.piece(window[0]).letter for window in shown.view.state.windows]
    assert tops == ["F", "F"]
    (line,) = [line for line in shown.lines() if line.startswith(" Windows")]
    assert CUT not in line


@given(
    st.integers(0, 99),
    st.integers(2, 6),
    st.integers(24, 128),
    st.integers(0, 120),
    st.sampled_from([*SIZES, (20, 10), (200, 60)]),
)
@settings(max_examples=times(16, 400))
def test_a_box_with_colours_of_its_own_fits_and_each_seat_has_a_look(
    seed: int, colours: int, pieces: int, steps: int, size: tuple[int, int]
) -> None:
    seats = min(colours, pieces // 4)
    shown = begun(seats, seed, edition=box(seed, colours, pieces))
    for _step in range(steps):
        if isinstance(rules.expected(shown.driver.state), game_interface.Over):
            break
        shown.step()
    assert_fits(shown, *size)
    if shown.driver.state.colours:
        looks = [seat_style(shown.stage, seat).removeprefix("*") for seat in range(seats)]
        assert len(set(looks)) == seats
        assert set(looks) <= set(COLOURS)


def test_no_hidden_collectible_of_another_seat_is_drawn() -> None:
    """Another deck behind the same open cards gives the same screen."""
    one, other = (asked_for(begun(seed=5), "place", 3) for _ in range(2))
    hidden = [s for s, card in enumerate(other.driver.state.known) if card is None and s >= 4]
    cards = [other.driver.deck[slot] for slot in hidden]
    for slot, card in zip(hidden, reversed(cards), strict=True):
        other.driver.deck[slot] = card
    for each in (one, other):
        each.hear(updates.Resumed(each.view))
    for size in SIZES:
        assert one.lines(*size)[:-8] == other.lines(*size)[:-8]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(1, 7))
def test_every_exhibit_and_all_that_a_thief_may_take_is_on_the_smallest_screen(seed: int) -> None:
    shown = asked_for(begun(4, seed), "exhibit", 8)
    found = shown.desk.menu
    assert found is not None
    for number, entry in enumerate(found.entries, 1):
        found.pick(number)
        lines = shown.lines()
        assert f" {number} {entry.words} " in "\n".join(lines)
        own = next(line for line in lines if DONE in line and "You" in line)
        assert own.count(DONE) == len(found.picked)
    shown = asked_for(begun(6, seed), "theft", 12)
    found = shown.desk.menu
    assert found is not None
    for slot in found.slots:
        found.mark(slot)
        lines = shown.lines()
        assert any(POINTER in line and DONE in line for line in lines)


def test_how_many_pieces_one_does_not_see_is_counted_of_others_only() -> None:
    shown = begun(4).until(PlaceShown)
    heading, own, *others, windows = (line.plain for line in pieces(shown.stage, None, 80))
    assert "PIECES" in heading
    assert own.split()[:2] == ["I", "You"]
    assert " – " in own
    assert own.count("*") == 4
    assert len(others) == 3
    for line in others:
        assert " 4" in line
        assert " – " not in line
        assert "*" not in line
    assert windows.strip().startswith("Windows")
    assert pieces(Stage(), None, 80) == []
