"""A seat line by line: what stands there before a game, and what is asked."""

import pytest
import trio
import trio.testing
from support.at_prompt import prompt_window
from support.at_screen import screen_window
from support.screened import table

from cli.ui.lines.line_window import LineWindow
from cli.ui.screen_options import ScreenOptions
from cli.words.table_terms import TableOffer
from p2p_hoity.game_adapter import HoityToity
from p2p_hoity.table.playing.session import Outcome

TABLE = table(3)


@pytest.mark.parametrize("at_terminal", [True, False])
def test_the_ticket_stands_below_the_terms_in_lines_of_its_own(
    at_terminal: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: at_terminal)
    seat = prompt_window(ScreenOptions(lambda reason: None))
    assert isinstance(TABLE.game, HoityToity)
    seat.show_ticket("HOITY1-WORD", TableOffer(TABLE.header.terms, TABLE.game, ("Iris",)))
    said = capsys.readouterr().out
    assert said.index("Seats: 3; seated so far: Iris") < said.index("HOITY1-WORD")
    assert ("Type c to copy it" in said) is at_terminal


@pytest.mark.parametrize(("typed", "answer"), [("y", True), ("n", False)])
async def test_who_answers_after_the_screen_has_failed_does_so_in_lines(
    typed: str, answer: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    window = screen_window(ScreenOptions(lambda reason: None))
    line = LineWindow(window.seat)
    window.seat.move_to(line)
    found: list[bool] = []

    async def answers() -> None:
        found.append(await window.seat.agree())
        found.append(await window.seat.admit("Bob", "ABCD"))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(line.hear)
        nursery.start_soon(answers)
        for _question in range(2):
            await trio.testing.wait_all_tasks_blocked()
            await line.typed.send(typed)
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    assert found == [answer, answer]
    said = capsys.readouterr().out
    assert said.index("Sit down?") < said.index("Bob")


def test_a_seat_at_the_screen_that_never_played_ends_without_a_word(
    capsys: pytest.CaptureFixture[str],
) -> None:
    screen_window(ScreenOptions(lambda reason: None)).end(Outcome(None, ()))
    assert capsys.readouterr().out == ""
