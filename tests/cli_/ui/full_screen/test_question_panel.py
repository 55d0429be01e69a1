"""The open question on the screen: its notes and entries are read whole, and reached."""

from dataclasses import replace

import pytest
from support.moments import MOMENTS, SIZES, asked_for, begun

from cli.table_view.headline import headline
from cli.ui.full_screen.layout import header, health
from cli.ui.full_screen.question_panel import question
from cli.ui.full_screen.styled_lines import CUT
from cli.words import translation
from cli.words.translation import LANGUAGES
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.rules import theft_options


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("moment", ["action-castle", "action-hall", "surprise", "confrontation"])
def test_notes_are_read_whole_on_the_smallest_screen(moment: str, language: str) -> None:
    translation.speak(language)
    shown = MOMENTS[moment]()
    assert shown.desk.menu is not None
    lines = question(shown.stage, shown.desk.menu, SIZES[0][0], 20)
    assert [line.plain for line in lines if CUT in line.plain] == []


def test_what_a_piece_would_do_is_read_whole_and_its_name_as_far_as_there_is_room() -> None:
    shown = MOMENTS["window"]()
    asked = shown.desk.menu
    assert asked is not None
    told = "makes ABCDEEFF, oldest 1502; Bruno would have BCDEEF"
    asked.entries = tuple(replace(entry, note=told) for entry in asked.entries)
    lines = [line.plain for line in question(shown.stage, asked, SIZES[0][0], 20)]
    assert all(line.rstrip().endswith(told) for line in lines)
    assert [line[5:20] for line in lines] == ["Window 1: E 182", "Window 2: E 186"]


@pytest.mark.parametrize("seats", [3, 6])
def test_every_option_can_be_reached_where_not_all_have_room(seats: int) -> None:
    shown = asked_for(begun(seats, seed=2), "action", 2)
    assert shown.desk.menu is not None
    for number, entry in enumerate(shown.desk.menu.entries, 1):
        shown.desk.menu.pick(number)
        assert f"▸ {number} {entry.words}" in shown.text()


SMALL = (80, 24)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("language", LANGUAGES)
def test_talk_without_a_row_cuts_nothing_and_a_theft_is_read_whole(
    language: str,
) -> None:
    translation.speak(language)
    shown = asked_for(begun(6), "action", 10)
    shown.hear(updates.Said(1, "Ada", "hello"))
    first = header(shown.stage, shown.desk, SMALL[0], has_unseen=True).plain
    assert "» " in first
    assert headline(shown.stage) in first
    assert first.endswith(health(shown.stage, shown.desk).plain)
    for seed in range(1, 30):
        shown = asked_for(begun(6, seed), "theft", 4)
        if len(theft_options(shown.driver.state)) > 1:
            break
    found = shown.desk.menu
    assert found is not None
    for group in theft_options(shown.driver.state):
        found.mark(group[0])
    whole, narrow = (
        [line.plain for line in question(shown.stage, found, SMALL[0], rows)] for rows in (20, 3)
    )
    for lines in (whole, narrow):
        assert not any(CUT in line for line in lines)
        for slot in found.picked:
            assert str(shown.view.piece(slot).year) in "".join(lines)
    assert whole[0].lstrip().startswith("←")
    assert narrow[0].lstrip().startswith("←") is (len(whole) <= 3)
