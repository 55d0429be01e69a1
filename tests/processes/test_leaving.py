"""Real `hoity` seats that leave for now: the others go on long before their patience is out."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.going_table import Table
from support.liars.table import environment

LONG = "times=300000,120000,1000,8000"
SLOWLY = {0: (LONG, "think=0.4"), 1: ("think=0.4",), 2: ("think=0.4",)}


def test_who_leaves_with_ctrl_c_is_not_waited_for_and_comes_back(tmp_path: Path) -> None:
    with Table(tmp_path, 3, SLOWLY) as table:
        table.fill()
        host, goer = table.running[0], table.running[2]
        goer.read_until("round", 2)
        goer.process.send_signal(signal.SIGINT)
        assert goer.end() == 130
        seat, errors = table.seat_of(2), goer.errors()
        assert "Interrupted. The game is kept; take your seat again with: hoity resume" in errors
        assert "Traceback" not in errors
        assert host.read_until("type", "left")["seat"] == seat
        assert host.read_until("type", "late")["gone"] == [seat]
        away = host.read_until("type", "attendance")
        while away["seats"][seat] != "absent":
            away = host.read_until("type", "attendance")
        table.resume(2)
        found = table.judge([0, 1, 2])
        assert (found["away"], found["back"]) == (1, 1)
        assert found["seconds"] < 120


def leave_at_the_first_question(table: Table, typed: str, *options: str) -> tuple[int, str]:
    """Exit code and last words of a seat without a bot that is told this in its first question."""
    home = table.path / "2"
    env = environment(home)
    words = ("join", table.ticket, "--yes", "--listen", "127.0.0.1:0", *options)
    done = subprocess.run(
        [sys.executable, "-m", "cli", *words],
        env=env,
        input=typed,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("typed", "options", "words"),
    [
        ("q\n", (), "you left"),
        pytest.param("", (), "the input has ended", marks=pytest.mark.nightly),
        ('{"leave": true}\n', ("--json",), "you left"),
        pytest.param("", ("--json",), "--auto lets a bot answer", marks=pytest.mark.nightly),
    ],
)
def test_every_way_out_is_told_to_the_others(
    tmp_path: Path, typed: str, options: tuple[str, ...], words: str
) -> None:
    with Table(tmp_path, 3, SLOWLY) as table:
        table.join(1)
        code, said = leave_at_the_first_question(table, typed, *options)
        assert code == 130, said
        assert words in said
        ends = typed.startswith("{")  # a program may say so before there is a question
        if not ends:
            assert "hoity resume" in said
        host = table.running[0]
        told = host.read_until("type", "ended" if ends else "left")
        if ends:
            assert told["code"] == "seat-left"
            return
        table.running[2] = table.start(2, "think=0.4", "resume", "--auto", "--json")
        found = table.judge([0, 1, 2])
        assert found["seconds"] < 120
