"""What other seats make appear on the full screen, and moments at which a key would do harm."""

import asyncio
from itertools import product

import pytest
import trio
import trio.testing
from support.at_screen import Sitting, screen_window, seated, sit
from support.screened import Company
from textual.widgets import OptionList

from cli.ui.full_screen.colours import Line
from cli.ui.full_screen.info_pages import Choices, Page
from cli.ui.full_screen.textual_app import TableApp
from cli.ui.screen_options import ScreenOptions
from p2p_hoity import rules

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


@seated()
async def test_a_key_struck_for_a_replaced_question_does_not_answer_the_next(at: Sitting) -> None:
    """The answer to the first is put into trio when the second has begun to wait already."""
    found = list[rules.Choice]()
    old = at.company.view()
    choice = old.legal("place")[0]

    async def asks() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(answers)
            found.append(await at.seat.choose(at.company.view(), "place", True))

    async def answers() -> None:
        await trio.testing.wait_all_tasks_blocked()
        at.window.answer(choice, old)
        at.app.call_later(sealed)

    def sealed() -> None:
        assert not found
        menu = at.app.desk.menu
        assert menu is not None
        at.window.answer(choice, menu.view)

    at.window._do(lambda: trio.lowlevel.spawn_system_task(asks))
    await at.until(lambda: found)
    assert len(found) == 1


def test_a_screen_that_fails_at_the_end_costs_no_result(capsys: pytest.CaptureFixture[str]) -> None:
    window = screen_window(ScreenOptions(lambda reason: None, looks_on=True))

    def broken(width: int, height: int) -> list[Line]:
        if window.app.desk.hint:
            raise RuntimeError("drawn badly")
        return []

    async def over() -> str:
        window.app._board.draw = broken
        return "over"

    assert asyncio.run(window.host(over, headless=True)).unwrap() == "over"
    captured = capsys.readouterr()
    assert "Traceback" not in captured.out + captured.err


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
