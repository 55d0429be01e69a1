"""The frame: every moment fits every size, and is what the kept pictures show."""

import ast
import os
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.boxes import box, with_colours
from support.moments import MOMENTS, Shown, asked_for, begun
from support.sampling import sample, times
from support.screened import table
from support.source import files_under, nodes_of

from cli.table_view.desk import Desk
from cli.table_view.seats import DONE
from cli.table_view.stage import Stage
from cli.ui.full_screen.colours import COLOURS, CUT, cells
from cli.ui.full_screen.info_pages import HELP, LEGEND, page
from cli.ui.full_screen.layout import keys
from cli.ui.full_screen.question_panel import question
from cli.ui.full_screen.seats_and_pieces import POINTER, seat_style
from cli.words import happening_sentences, translation
from cli.words.card_names import Names
from cli.words.translation import LANGUAGES
from p2p_hoity import rules
from p2p_hoity.editions.load_edition import load
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.rules import happenings
from protocol import game_interface

KEPT = Path(__file__).parent / "frames"
SIZES = ((80, 24), (100, 30), (120, 40))


def assert_fits(shown: Shown, width: int, height: int) -> None:
    """Assert that a screen has these rows and columns, and nothing that moves the cursor."""
    lines = shown.lines(width, height)
    assert len(lines) == height
    assert {cells(line) for line in lines} == {width}
    assert not {"\x1b", "\u202e"} & set("".join(lines))


@pytest.mark.sampled(12)
@pytest.mark.parametrize("name", MOMENTS)
def test_a_moment_looks_as_it_was_kept(name: str) -> None:
    """`HOITY_KEEP=1` keeps what is drawn now: look at the difference before it is committed."""
    pages = ["\n".join(line.rstrip() for line in MOMENTS[name]().lines(*size)) for size in SIZES]
    text = "\n\n".join(pages) + "\n"
    path = KEPT / f"{name}.txt"
    if os.environ.get("HOITY_KEEP"):
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("name", "language"), sample(product(MOMENTS, LANGUAGES), 10, "moments by language")
)
def test_a_moment_fits_every_size_in_every_language(name: str, language: str) -> None:
    translation.speak(language)
    shown = MOMENTS[name]()
    for width, height in (*SIZES, (200, 60), (79, 23), (40, 12), (20, 5)):
        assert_fits(shown, width, height)


def test_every_mark_that_the_screen_draws_is_explained_in_its_help() -> None:
    drawn = set("".join(path.read_text("utf-8") for path in KEPT.glob("*.txt")))
    nodes = (node for path in files_under("cli/ui/full_screen") for node in nodes_of(path))
    short = [getattr(node, "value", "") for node in nodes if isinstance(node, ast.Constant)]
    words = "".join(one for one in short if isinstance(one, str) and len(one) < 50)
    drawn |= {mark for mark in words if not mark.isascii()}
    marks = {mark for mark in drawn if not mark.isalnum()} - set(" \n'(),.:;/@-“”─█░")
    assert marks <= set("".join(key for key, _words in (*HELP, *LEGEND)))


@pytest.mark.parametrize("size", SIZES)
def test_the_key_of_a_hint_is_shown_while_hints_are_given(size: tuple[int, int]) -> None:
    shown = asked_for(begun(), "place")
    assert "h hint" not in shown.lines(*size)[-1]
    shown.desk.has_hints = True
    assert "h hint" in shown.lines(*size)[-1]
    assert "Esc" in shown.lines(*size)[-1]
    shown.desk.menu = None
    assert "h hint" not in shown.lines(*size)[-1]


@pytest.mark.parametrize(("seed", "steps"), [(17, 49), (45, 40), (48, 1), (49, 34)])
def test_two_windows_under_the_last_letter_are_shown_whole(seed: int, steps: int) -> None:
    shown = begun(seed=seed).step(steps)
    tops = [shown.view.piece(window[0]).letter for window in shown.view.state.windows]
    assert tops == ["F", "F"]
    (line,) = [line for line in shown.lines() if line.startswith(" Windows")]
    assert CUT not in line


def test_keys_that_fit_nowhere_are_cut() -> None:
    shown = asked_for(begun(), "place")
    whole = keys(shown.stage, shown.desk, 200).plain
    assert "choose" in whole
    short = keys(shown.stage, shown.desk, 12)
    assert short.width <= 12
    assert short.plain[:8] == whole[:8]


@given(
    st.integers(2, 6),
    st.integers(0, 5),
    st.integers(0, 260),
    st.integers(1, 200),
    st.integers(3, 60),
)
@settings(max_examples=times(24, 60))
def test_a_game_fits_any_size(seats: int, seed: int, steps: int, width: int, height: int) -> None:
    shown = begun(seats, seed)
    for _step in range(steps):
        if isinstance(rules.expected(shown.driver.state), game_interface.Over):
            break
        shown.step()
    assert_fits(shown, width, height)


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


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_known_colour_is_named_in_each_language_and_another_one_as_it_is(language: str) -> None:
    translation.speak(language)
    edition = with_colours(load(), "black", "white", "Türkis", "light blue")
    shown = begun(4, edition=edition).until(happenings.RoundBegan)
    own = {"en": ("black", "white"), "de": ("schwarz", "weiß"), "es": ("negro", "blanco")}
    names = Names(edition, ("Ana", "Bob", "Cleo", "Dan"))
    told = happening_sentences.tell(names, shown.driver.record[0])
    for name in (*own[language], "Türkis", "light blue"):
        assert f"({name}" in told
        assert name in shown.text(120, 40)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("seats", range(2, 7))
def test_the_question_stands_by_all_that_one_decides_on(seats: int, size: tuple[int, int]) -> None:
    shown = asked_for(begun(seats, seed=3), "turn" if seats == 2 else "action", 4)
    text = shown.text(*size)
    assert shown.desk.menu is not None
    for name in shown.stage.names.nicknames[1:]:  # type: ignore[union-attr]
        assert text.count(name[:8]) >= 2  # among the seats and among the pieces
    for entry in shown.desk.menu.entries[:3]:
        assert entry.words in text
    for word in ("Banquet", "octagon", "Prison", "Register", "Windows", "Enter"):
        assert word in text


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


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("moment", ["action-castle", "action-hall", "surprise", "confrontation"])
def test_notes_are_read_whole_on_the_smallest_screen(moment: str, language: str) -> None:
    translation.speak(language)
    shown = MOMENTS[moment]()
    assert shown.desk.menu is not None
    lines = question(shown.stage, shown.desk.menu, SIZES[0][0], 20)
    assert [line.plain for line in lines if CUT in line.plain] == []


def test_what_was_said_ages_and_no_plain_question_is_shown_before_the_reveal_is_over() -> None:
    shown = asked_for(begun(), "place", 2)
    shown.hear(updates.Said(1, "Ada", "psst"))
    assert "psst" in shown.text()
    shown.step(200)
    assert "psst" not in shown.text()
    assert "psst" in "".join(line.plain for line in page("log", shown.stage, Desk(), (), 70)[1])
    shown = begun(staged=True).revealing()
    shown.desk.answers = "Another game? y or n"
    assert "Another" not in shown.lines()[-1]
    shown.stage.hurry()
    assert "Another" in shown.lines()[-1]


HOSTILE = ("漢字漢字漢字漢字漢字", "a\u0301\u0301\u0301\u0301\u0301\u0301", "ﷺﷺﷺ", "W" * 24)


def test_hostile_names_stay_in_their_columns() -> None:
    shown = asked_for(begun(), "action", 4)
    hostile = Shown(Stage(staged=False), Desk(), shown.driver)
    hostile.hear(
        updates.Started(table(4, names=HOSTILE), 0),
        updates.Happened(tuple(shown.driver.record), shown.view),
        updates.Said(1, HOSTILE[1], "\x1b[2J\u202etalk" * 40),
    )
    for size in SIZES:
        assert_fits(hostile, *size)


@pytest.mark.parametrize("seats", [3, 6])
def test_every_option_can_be_reached_where_not_all_have_room(seats: int) -> None:
    shown = asked_for(begun(seats, seed=2), "action", 2)
    assert shown.desk.menu is not None
    for number, entry in enumerate(shown.desk.menu.entries, 1):
        shown.desk.menu.pick(number)
        assert f"▸ {number} {entry.words}" in shown.text()
