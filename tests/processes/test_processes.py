"""Whole games between operating-system processes over loopback TLS."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support import terminals

from p2p_hoity import game_port
from protocol.transcript import verifier


def hoity(home: Path, *args: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "HOITY_HOME": str(home)}
    command = [sys.executable, "-m", "cli", *args]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def check(running: list[terminals.Terminal]) -> list[bytes]:
    """All transcripts and standings are the same, and the verifier says so."""
    files = terminals.finish(running)
    assert len(set(files)) == 1
    standings = [terminal.last["standings"] for terminal in running]
    assert standings.count(standings[0]) == len(running)
    report = verifier.verify(files[0], game_port.read_game)
    assert report.verdict == "ok", report.problem
    assert [list(line) for line in report.standings] == [
        [line["rank"], line["seat"]] for line in standings[0]
    ]
    return files


@pytest.mark.parametrize("variant", ["surprise", "confrontation"])
def test_two_seats(tmp_path: Path, variant: str) -> None:
    check(terminals.open_table(tmp_path, 2, "--variant", variant))


def test_three_seats_with_the_second_edition(tmp_path: Path) -> None:
    check(terminals.open_table(tmp_path, 3, "--edition", "reference-manual"))


@pytest.mark.nightly
@pytest.mark.parametrize("edition", ["uberplay-2004", "reference-manual"])
@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_every_number_of_seats(tmp_path: Path, seats: int, edition: str) -> None:
    check(terminals.open_table(tmp_path, seats, "--edition", edition))


def test_a_killed_seat_resumes_and_all_end_alike(tmp_path: Path) -> None:
    running = terminals.open_table(tmp_path, 3)
    victim = running[1]
    victim.read_until("round", 3)
    victim.process.send_signal(signal.SIGKILL)
    victim.process.wait()
    running[1] = terminals.start(victim.home, "resume", "--auto", "--json")
    files = check(running)
    report = verifier.verify(files[0], game_port.read_game)
    assert report.faults == ()


def test_the_last_line_of_play_holds_the_transcript(tmp_path: Path) -> None:
    done = hoity(tmp_path, "play", "--auto", "--bots", "2", "--json")
    assert done.returncode == 0, done.stderr
    last: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    assert len(last["standings"]) == 3
    verdict = hoity(tmp_path, "verify", "--json", last["transcript"])
    assert verdict.returncode == 0, verdict.stdout
    assert json.loads(verdict.stdout)["verdict"] == "ok"


def test_who_stays_alone_saves_the_game_as_a_claim(tmp_path: Path) -> None:
    running = terminals.open_table(tmp_path, 2, "--variant", "surprise")
    running[0].read_until("round", 2)
    for terminal in running:
        terminal.process.send_signal(signal.SIGKILL)
        terminal.process.wait()
    home = running[0].home
    saved = hoity(home, "resume", "--claim", "--json")
    assert saved.returncode == 0, saved.stderr
    path = json.loads(saved.stdout)["transcript"]
    verdict = hoity(home, "verify", "--json", path)
    assert verdict.returncode == 1
    assert json.loads(verdict.stdout)["problem"]["code"] == "not-final"
    assert list((home / "journals").glob("*.journal"))
