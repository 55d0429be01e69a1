"""Real `hoity` seats that leave for now: the others go on although their step timeout is long."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.process_table import ProcessTable
from support.sampling import AT_WORK
from support.terminals import LISTEN, hoity

pytestmark = AT_WORK


@pytest.fixture
def table(tmp_path: Path) -> Iterator[ProcessTable]:
    """Three seats: one may leave in the first round, the host waits for it in the second."""
    table = ProcessTable(tmp_path, 3)
    table.habits = {0: (table.waits(2),), 2: (table.waits(1, "left"),)}
    with table:
        yield table


def come_back(table: ProcessTable) -> None:
    """Once the others play without seat 2, have it take its seat again and play to the end."""
    host = table.running[0]
    seat = host.read_until("type", "left")["seat"]
    assert host.read_until("type", "timed-out")["muster"]["gone"] == [seat]
    while host.read_until("board")["board"]["seats"][seat]["presence"] != "absent":
        pass
    table.let_go("left")
    table.resume(2)
    while seat not in host.read_until("returned")["returned"]:
        pass
    table.let_go()
    found = table.judge()
    assert (found["away"], found["back"]) == (1, 1)


def test_who_leaves_with_ctrl_c_is_not_waited_for_and_comes_back(table: ProcessTable) -> None:
    table.fill()
    goer = table.running[2]
    goer.read_until("round", 1)
    goer.interrupt()
    assert goer.end() == 130
    errors = goer.errors()
    assert "Interrupted. The game is not lost. Take your seat again with: hoity resume" in errors
    assert "Traceback" not in errors
    come_back(table)


@pytest.mark.parametrize(
    ("typed", "options", "words"),
    [
        ("q\n", (), "you left"),
        pytest.param("", (), "the input has ended", marks=pytest.mark.nightly),
        ('{"type": "leave"}\n', ("--json",), "you left"),
        pytest.param("", ("--json",), "With --auto a bot answers", marks=pytest.mark.nightly),
    ],
)
def test_every_way_out_is_told_to_the_others(
    table: ProcessTable, typed: str, options: tuple[str, ...], words: str
) -> None:
    """A seat without a bot is told this in its first question."""
    table.join(1)
    words_of_join = ("join", table.ticket, "--yes", *LISTEN, *options)
    left = hoity(table.path / "2", *words_of_join, code=130, typed=typed)
    assert words in left.stderr
    if typed.startswith("{"):  # a program may say so before there is a question
        assert table.running[0].read_until("type", "ending")["code"] == "seat-left"
        return
    assert "hoity resume" in left.stderr
    come_back(table)
