"""Tests of looking on in lines: keys show pages, q leaves, and nothing is asked or played."""

import pytest
import trio
from support.cli_stage import NICKNAMES, referee

from cli.ui.lines.line_seat import LineWatch
from cli.words.card_names import Names
from p2p_hoity import rules
from p2p_hoity.presentation import screen_updates as updates

Shown = pytest.CaptureFixture[str]


def watching() -> tuple[LineWatch, list[str]]:
    left: list[str] = []
    watch = LineWatch(left.append)
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
def test_a_key_shows_its_page(line: str, words: str, capsys: Shown) -> None:
    watch, left = watching()
    watch._hear(line)
    assert words in capsys.readouterr().out
    assert left == []


def test_q_leaves_and_an_empty_line_says_nothing(capsys: Shown) -> None:
    for line in ("q", "QUIT", "exit"):
        watch, left = watching()
        watch._hear("")
        assert capsys.readouterr().out == ""
        watch._hear(line)
        assert left == ["you left"]


async def test_the_end_of_the_input_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    watch, left = watching()

    async def ended(lines: trio.MemorySendChannel[str]) -> None:
        lines.close()

    monkeypatch.setattr("cli.ui.lines.line_seat.pump", ended)
    await watch.listen()
    assert left == ["the input has ended"]


def test_the_peer_is_not_held_up_by_a_keyboard(monkeypatch: pytest.MonkeyPatch) -> None:
    watch, _ = watching()

    async def main(number: int) -> int:
        return number + 1

    assert watch.run(main, 1) == 2
    monkeypatch.setattr(watch, "listens", lambda is_asked: True)
    monkeypatch.setattr(watch, "listen", trio.sleep_forever)
    assert watch.run(main, 2) == 3
