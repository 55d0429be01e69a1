"""Tests of looking on in lines: keys show pages, q leaves, and nothing is asked or played."""

import pytest
import trio
from support.at_prompt import prompt_window
from support.cli_stage import NICKNAMES, referee

from cli.ui.lines.line_window import LineWindow
from cli.ui.screen_options import ScreenOptions
from cli.words.card_names import Names
from p2p_hoity import rules
from p2p_hoity.presentation import screen_updates as updates

Shown = pytest.CaptureFixture[str]


def watching() -> tuple[LineWindow, list[str]]:
    left: list[str] = []
    watch = prompt_window(ScreenOptions(left.append, looks_on=True))
    driver = referee(3)
    driver.step(40)
    watch._screen.names = Names(driver.state.edition, NICKNAMES[:3])
    watch._screen.follow(updates.Happened((), rules.view(driver.state, None)))
    return watch, left


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("b", "Register"),
        ("H", "Action cards in hand:"),
        ("i", "In the windows:"),
        ("i zz", "No Collectible is called zz."),
        ("r", "2 AUCTION HALL"),
        ("proofs", "Nothing is proven yet."),
        ("?", "q leaves"),
        ("castle", "q leaves"),
        ("a", "q leaves"),
        ("b x", "q leaves"),
    ],
)
async def test_a_key_shows_its_page(line: str, words: str, capsys: Shown) -> None:
    watch, left = watching()
    await watch._hear(line)
    assert words in capsys.readouterr().out
    assert left == []


async def test_q_leaves_and_an_empty_line_says_nothing(capsys: Shown) -> None:
    for line in ("q", "QUIT", "exit"):
        watch, left = watching()
        await watch._hear("")
        assert capsys.readouterr().out == ""
        await watch._hear(line)
        assert left == ["you left"]


async def test_the_end_of_the_input_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    watch, left = watching()

    async def ended(lines: trio.MemorySendChannel[str], *_given: object) -> None:
        lines.close()

    monkeypatch.setattr("cli.ui.lines.line_window.forward_input", ended)
    await watch.listen()
    assert left == ["the input has ended"]
