"""Tests of looking on in lines: keys show pages, q leaves, and nothing is asked or played."""

from __future__ import annotations

import pytest
from support.cli_stage import NICKNAMES, referee

from cli.ui.line_watch import LineWatch
from cli.words.cards import Names
from p2p_hoity import rules

Shown = pytest.CaptureFixture[str]


def watching() -> tuple[LineWatch, list[str]]:
    left: list[str] = []
    watch = LineWatch(left.append)
    driver = referee(3)
    for _ in range(40):
        driver.step()
    watch._screen.names = Names(driver.state.edition, NICKNAMES[:3])
    watch._screen.look(rules.view(driver.state, None))
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


@pytest.mark.parametrize("line", ["q", "QUIT", "exit"])
def test_q_leaves(line: str) -> None:
    watch, left = watching()
    watch._hear(line)
    assert left == ["you left"]


def test_an_empty_line_says_nothing(capsys: Shown) -> None:
    watch, _ = watching()
    watch._hear("")
    assert capsys.readouterr().out == ""


def test_without_a_terminal_nothing_is_heard_and_the_peer_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    watch, _ = watching()

    async def main(number: int) -> int:
        return number + 1

    assert watch.run(main, 1) == 2


def test_the_peers_end_is_not_held_up_by_a_keyboard(monkeypatch: pytest.MonkeyPatch) -> None:
    import trio

    watch, _ = watching()

    async def listen() -> None:
        await trio.sleep_forever()

    monkeypatch.setattr(watch, "listens", lambda is_asked: True)
    monkeypatch.setattr(watch, "listen", listen)

    async def main() -> str:
        return "over"

    assert watch.run(main) == "over"
