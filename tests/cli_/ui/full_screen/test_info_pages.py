"""The pages over the table, and the menu: what they say, to whom, and of which names."""

import ast
from pathlib import Path

import pytest
from support.at_screen import Sitting, seated, sit
from support.moments import MOMENTS, Shown, begun
from support.screened import Company
from support.source import files_under, nodes_of
from textual.widgets import OptionList

from cli.table_view.desk import Desk
from cli.table_view.stage import Stage
from cli.ui.full_screen import info_pages
from cli.ui.full_screen.info_pages import HELP, LEGEND, PLAYING, Choices, Page, page
from cli.ui.full_screen.layout import health
from cli.words import choice_names
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.screen_updates import Attending

NAMES = ["[/x]Bruno", "[red]Bruno", "[@click=app.quit]B", "[b]", "a\\[b", "[/]", "$x", "%s{0}"]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_no_markup_in_the_menu(name: str) -> None:
    async def script(at: Sitting) -> None:
        await at.asked()
        await at.press("escape")
        assert isinstance(at.app.screen, Choices)
        found = at.app.screen.query_one(OptionList)
        prompts = [str(found.get_option_at_index(i).prompt) for i in range(found.option_count)]
        shown = "\n".join(strip.text for strip in found.render_lines(found.size.region))
        assert any(prompt.endswith(name) for prompt in prompts)
        assert name in shown
        await at.press("escape")

    sit(script, Company(3, names=("Iris", name, "Clara")))


def test_a_name_with_a_tower_of_marks_covers_no_line_of_the_menu_or_the_table() -> None:
    async def script(at: Sitting) -> None:
        await at.asked()
        drawn = "\n".join(line.plain for line in at.app._board.draw(100, 30))
        await at.press("escape")
        found = at.app.screen.query_one(OptionList)
        prompts = [str(found.get_option_at_index(i).prompt) for i in range(found.option_count)]
        for shown in (drawn, "\n".join(prompts)):
            assert "Bru\u0301\u0301no" in shown
            assert "\u0301" * 3 not in shown
        await at.press("escape")

    sit(script, Company(3, names=("Iris", "Bru" + "\u0301" * 9 + "no", "Clara")))


KEPT = Path(__file__).parent / "frames"


def test_every_mark_that_the_screen_draws_is_explained_in_its_help() -> None:
    drawn = set("".join(path.read_text("utf-8") for path in KEPT.glob("*.txt")))
    nodes = (node for path in files_under("cli/ui/full_screen") for node in nodes_of(path))
    short = [getattr(node, "value", "") for node in nodes if isinstance(node, ast.Constant)]
    words = "".join(one for one in short if isinstance(one, str) and len(one) < 50)
    drawn |= {mark for mark in words if not mark.isascii()}
    marks = {mark for mark in drawn if not mark.isalnum()} - set(" \n'(),.:;/@-−“”─█░")
    assert marks <= set("".join(key for key, _words in (*HELP, *LEGEND)))


def test_an_onlooker_is_told_of_no_lost_links_and_no_keys_of_players() -> None:
    shown = MOMENTS["watched"]()
    seats = (Attending.LINKED, *[Attending.UNLINKED] * 3)
    shown.hear(updates.Attendance(seats))
    assert "4/4 linked" in health(shown.stage, shown.desk).plain
    played = MOMENTS["place"]()
    played.hear(updates.Attendance(seats))
    assert "1/4 linked" in health(played.stage, played.desk).plain

    def keys(one: Shown) -> set[str]:
        lines = [line.plain for line in page("help", one.stage, Desk(), 90)[1]]
        return {line[:13].strip() for line in lines}

    assert keys(played) >= PLAYING
    assert not keys(shown) & PLAYING
    for one, waits_longer in ((played, True), (shown, False)):
        one.desk.menu = None
        one.wait({1}, 100.0, 200.0)
        assert ("w waits longer" in one.text()) is waits_longer
        assert "goes on without them" in one.text()
        pieces = "".join(line.plain for line in page("pieces", one.stage, Desk(), 90)[1])
        assert ("only you see it" in pieces) is waits_longer


@seated(size=(100, 40))
async def test_talk_can_be_read_again_but_that_of_a_muted_seat(at: Sitting) -> None:
    at.seat.tell(updates.Said(1, "Ada", "psst"))
    await at.until(lambda: "psst" in at.text)
    at.app._chosen("mute 1")
    await at.until(lambda: "psst" not in at.text)
    at.app._chosen("mute 1")
    await at.until(lambda: "psst" in at.text)
    for number in range(30):
        at.seat.tell(updates.Said(1, "Ada", f"word {number}"))
    await at.until(lambda: "word 29" in at.text)
    _title, lines = info_pages.page("log", at.app.stage, at.app.desk, 60)
    assert [line.plain for line in lines].count("» Ada: word 0") == 1
    at.app.desk.muted = {1}
    _title, lines = info_pages.page("log", at.app.stage, at.app.desk, 60)
    assert not any("word" in line.plain for line in lines)


@pytest.mark.parametrize("allowed", [True, False])
@seated(asked=False)
async def test_a_hint_is_shown_against_ones_own_bots_only(at: Sitting, allowed: bool) -> None:
    at.seat.is_among_own_bots = allowed
    await at.asked()
    await at.press("h")
    shown = at.app.screen
    assert isinstance(shown, Page)
    words = "\n".join(line.plain for line in shown.shown)
    assert (choice_names.HINTS in words) == allowed
    assert (choice_names.NOT_HERE in words) != allowed


def test_the_page_of_links_names_the_relay_until_there_is_a_direct_link() -> None:
    shown = begun(3)
    assert shown.stage.scene.table is not None
    name = shown.stage.scene.table.header.roster[1].nickname
    shown.hear(updates.Linked(name, "relay+8.0.0.1:4646"))
    assert "through the relay 8.0.0.1:4646" in page_of(shown)
    shown.hear(updates.Linked(name))
    assert "relay" not in page_of(shown)


def page_of(shown: Shown) -> str:
    return " ".join(line.plain for line in page("links", shown.stage, Desk(), 100)[1])


@pytest.mark.parametrize(("is_resumed", "is_alone"), [(True, True), (True, False), (False, True)])
def test_that_others_may_have_finished_is_told_who_came_back_and_finds_nobody(
    is_resumed: bool, is_alone: bool
) -> None:
    shown = begun(3)
    if is_resumed:
        shown.hear(updates.Resumed(shown.view, ()))
    linked, lost = Attending.LINKED, Attending.UNLINKED
    shown.there(linked, lost if is_alone else linked, lost)
    told = page_of(shown)
    assert "Bruno" in told
    assert ("finished without you" in told) is (is_resumed and is_alone)


def test_a_page_of_which_there_is_nothing_says_so() -> None:
    for name, title in (("log", "Log"), ("proofs", "Proofs"), ("links", "Links and keys")):
        found, (line,) = page(name, Stage(), Desk(), 80)
        assert (found, line.plain) == (title, "Nothing yet.")
