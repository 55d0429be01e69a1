"""Every moment fits every size, and looks as it was kept; talk has its rows."""

import os
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.moments import MOMENTS, SIZES, Shown, asked_for, assert_fits, begun
from support.sampling import sample, times
from support.screened import table

from cli.table_view.desk import Desk
from cli.table_view.stage import Stage
from cli.ui.full_screen.layout import keys
from cli.words import translation
from cli.words.presence_sentences import seat_request
from cli.words.translation import LANGUAGES
from p2p_hoity import rules
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.staging import Remark
from protocol import game_interface

pytestmark = pytest.mark.sampled(30)

KEPT = Path(__file__).parent / "frames"


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


@pytest.mark.parametrize("seats", [2, 3, 4, 6])
def test_the_parts_of_the_table_stay_in_their_lines_from_round_to_round(seats: int) -> None:
    shown, found = begun(seats, seed=4).until(rules.happenings.PlaceShown), set()
    while shown.driver.state.round < 9:
        shown.step(3)
        for size in SIZES:
            heads = [line.split()[0] for line in shown.lines(*size) if line.strip()]
            found.add((size, heads.index("SEAT"), heads.index("PIECES"), heads.index("Windows")))
    assert len(found) == len(SIZES)


@pytest.mark.parametrize("size", SIZES)
def test_the_key_of_a_hint_is_shown_while_hints_are_given(size: tuple[int, int]) -> None:
    shown = asked_for(begun(), "place")
    assert "h hint" not in shown.lines(*size)[-1]
    shown.desk.has_hints = True
    assert "h hint" in shown.lines(*size)[-1]
    assert "Esc" in shown.lines(*size)[-1]
    shown.desk.menu = None
    assert "h hint" not in shown.lines(*size)[-1]


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


SMALL = (80, 24)


@pytest.mark.parametrize("moment", ["over", "again", "not-again", "ended"])
def test_what_is_said_behind_the_end_is_heard(moment: str) -> None:
    shown = MOMENTS[moment]()
    for number in range(9):
        shown.hear(updates.Said(1, "Ada", f"well played {number}"))
    lines = shown.lines()
    assert [line.strip() for line in lines[-4:-1]] == [
        f"» Ada: well played {number}" for number in (6, 7, 8)
    ]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["Bruno", "Maximiliane", "W" * 24])
def test_a_plain_question_is_read_whole(language: str, name: str) -> None:
    translation.speak(language)
    shown = MOMENTS["seat-request"]()
    shown.desk.answers = seat_request(name, "MLIL-DCD5-6CF4-OPNQ-DKLO")
    lines = shown.lines()
    assert len(lines) == SMALL[1]
    at = next(number for number, line in enumerate(lines) if line.startswith(f" {name}"))
    assert " ".join(" ".join(lines[at:]).split()) == shown.desk.answers


def test_talk_that_has_no_row_is_told_of_in_the_title_and_muted_talk_nowhere() -> None:
    shown = asked_for(begun(6), "action", 9)
    shown.hear(updates.Said(0, "Iris", "mine", is_own=True))
    assert "» talk: l" not in shown.text()
    shown.hear(updates.Said(1, "Ada", "hello"))
    assert "hello" not in shown.text()
    assert "» talk: l" in shown.lines()[0]
    assert "» talk: l" not in shown.text(120, 40)
    shown.desk.muted.add(1)
    assert "» talk: l" not in shown.text()
    shown = asked_for(begun(), "action", 3)
    shown.hear(updates.Said(1, "Ada", "hello"))
    shown.hear(Remark("news"))
    shown.desk.muted.add(2)
    before = shown.text()
    shown.hear(updates.Said(2, "Bruno", "psst"))
    assert shown.text() == before
