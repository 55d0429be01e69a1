"""Pages open, turn and close in a window of any size, and ticket and code are copied."""

from itertools import product

import pytest
from support.at_screen import Sitting, menu_of, seated
from support.sampling import sample
from textual.containers import VerticalScroll

from cli.ui.full_screen.info_pages import Page, Picture
from cli.ui.full_screen.textual_app import TableApp
from p2p_hoity.presentation import screen_updates as updates

pytestmark = pytest.mark.sampled(3)


@seated()
async def test_ctrl_z_gives_the_terminal_back(at: Sitting, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped: list[str] = []
    monkeypatch.setattr(TableApp, "action_suspend_process", lambda app: stopped.append("stopped"))
    await at.press("ctrl+z")
    await at.press("t", "ctrl+z", "escape")
    await at.press("i", "ctrl+z", "escape")
    assert len(stopped) == 3


@seated(size=(20, 5))
async def test_pages_open_in_a_window_of_any_size(at: Sitting) -> None:
    for size, key in product([(20, 5), (3, 2), (1, 1)], "ilrop?#"):
        await at.resize(*size)
        await at.press(key)
        assert isinstance(at.app.screen, Page)
        await at.press("escape")
    assert at.app.failure is None


PAGES = pytest.mark.sampled(1)


@PAGES
@seated()
async def test_a_page_is_written_for_the_width_it_has(at: Sitting) -> None:
    for _line in range(60):
        at.app.remark("all of this happened some time ago, " * 3)
    for size, key in product([(80, 24), (100, 30), (140, 40)], "ilr?#"):
        await at.resize(*size)
        await at.press(key)
        shown = at.app.screen
        assert isinstance(shown, Page)
        assert "Nothing yet." not in [line.plain for line in shown.shown]
        scroll = shown.query_one(VerticalScroll)
        widest = max(line.width for line in shown.shown)
        assert widest <= scroll.scrollable_content_region.width
        if key == "l":
            await at.until(lambda scroll=scroll: scroll.scroll_offset.y == scroll.max_scroll_y)
        else:
            assert scroll.scroll_offset.y == 0
        await at.press("escape")


@PAGES
@seated()
async def test_pages_open_and_close_and_a_key_over_one_turns_or_picks(at: Sitting) -> None:
    for key in sample("ilroph?#", 2, "keys of pages"):
        await at.press(key)
        assert isinstance(at.app.screen, Page)
        await at.press("escape")
        assert not isinstance(at.app.screen, Page)
        await at.press(key)
        other = "h" if key == "i" else "i"
        await at.press(other)
        assert at.app.screen.name == {"h": "advice", "i": "pieces"}[other]
        await at.press("a", "t", "w")
        assert isinstance(at.app.screen, Page)
        await at.press(key)
        assert at.app.screen.name != other
        await at.press(key)
        assert len(at.app.screen_stack) == 1
    await at.press("i", "9", "0")
    assert isinstance(at.app.screen, Page)
    assert menu_of(at).cursor is None
    await at.press("escape", "h", "2")  # but a number picks over a hint
    assert len(at.app.screen_stack) == 1
    assert menu_of(at).cursor == 1
    assert at.company.asked == ["place"]
    await at.press("enter")
    await at.until(lambda: len(at.company.asked) > 1)


@seated()
async def test_a_proven_fault_is_shown_in_full(at: Sitting) -> None:
    at.seat.tell(updates.Accused(1, "two-chains"))
    await at.until(lambda: isinstance(at.app.screen, Page))
    assert at.app.stage.alarm is None
    await at.press("i", "1", "h")
    assert isinstance(at.app.screen, Page)
    assert at.app.screen.name is None
    await at.press("escape")
    assert not isinstance(at.app.screen, Page)
    assert "CHEATED" in at.text


@seated()
async def test_ticket_and_code_are_copied_and_shown_as_a_picture(at: Sitting) -> None:
    await at.press("d")
    assert at.app.clipboard == ""  # there is no code
    at.app.stage.hear(updates.OfferedCode("7-lantern-walrus", "relay.example:4646", 600.0, None))
    await at.press("d")
    assert at.app.clipboard == "7-lantern-walrus@relay.example:4646"
    await at.press("x")
    assert not isinstance(at.app.screen, Picture)  # there is no ticket yet
    at.app.ticket = "hoity3" + "a" * 190
    await at.press("c")
    assert at.app.clipboard == at.app.ticket
    await at.press("x")
    assert isinstance(at.app.screen, Picture)
    await at.press("x")
    assert not isinstance(at.app.screen, Picture)
