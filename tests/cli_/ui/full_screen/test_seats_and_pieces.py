"""The seats and their pieces on the screen: whole where it matters, and nothing hidden."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.boxes import box
from support.moments import SIZES, asked_for, assert_fits, begun, over
from support.sampling import times

from cli.table_view.seats import DONE, seat_style
from cli.table_view.stage import Stage
from cli.ui.full_screen.seats_and_pieces import POINTER, WINDOW, WINDOWS, pieces, seats
from cli.ui.full_screen.styled_lines import COLOURS
from cli.words.card_names import grid
from p2p_hoity import rules
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.rules.happenings import PlaceShown
from protocol import game_interface


@pytest.mark.parametrize("number", [2, 4, 6])
def test_heads_windows_and_the_register_stay_where_they_are(number: int) -> None:
    """From the first round to the last, and so does what stands below a head."""
    shown, found, steps = begun(number, seed=2).until(PlaceShown), set(), 0
    while not isinstance(rules.expected(shown.driver.state), game_interface.Over):
        shown.step()
        steps += 1
        for width, _height in SIZES if steps % 7 == 1 else ():
            heading, *_rows, windows = (line.plain for line in pieces(shown.stage, None, width))
            head, *_seats, prison = (line.plain for line in seats(shown.stage, width))
            found.add((width, heading, head, width > 80 and prison.index("Register")))
            for at, sign in enumerate(WINDOWS):
                assert windows.find(sign) in (-1, FIRST[width] + at * WINDOW)
    assert len(found) == len(SIZES)


FIRST = {80: 10, 100: 13, 120: 13}
"""Where the first window stands, by the width of the screen."""


def test_the_best_exhibit_is_never_cut_and_a_crowded_column_runs_on_behind_its_letter() -> None:
    shown = asked_for(begun(seed=2), "theft", 4)
    _head, own, _ada, bruno, clara, _windows = (
        line.plain.rstrip() for line in pieces(shown.stage, None, 80)
    )
    assert own.endswith("ABBBCCDE  1594")
    assert bruno.endswith("A–F: 11   1468")
    assert " 15 16 18 18 F 17 " in clara
    for seed in range(3, 9):
        shown = over(6, seed=seed)
        for width, _height in SIZES:
            for row, line in zip(
                grid(shown.view).rows, pieces(shown.stage, None, width)[1:], strict=False
            ):
                letters = f"{row.best[:1]}–{row.best[-1:]}: {len(row.best)}"
                assert f" {row.best or '—'} " in line.plain or f" {letters} " in line.plain
                assert shown_or_counted(line.plain, width) == sum(map(len, row.cells))


def shown_or_counted(row: str, width: int) -> int:
    """How many pieces a row shows, with those that it only counts."""
    end = width - (9 if width == 80 else 16) - len(" –  1468 ")
    words = row[9 if width == 80 else 12 : end].replace("*", "").split()
    return sum(int(word) if word.startswith("+") else word.isdecimal() for word in words)


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
    assert "?" not in own
    assert own.count("*") == 4
    assert len(others) == 3
    for line in others:
        assert " ?4" in line
        assert "*" not in line
    assert windows.strip().startswith("Windows")
    assert pieces(Stage(), None, 80) == []
