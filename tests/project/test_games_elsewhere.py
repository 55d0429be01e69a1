"""Simulated games and duels of bots by a Dask cluster: what is told is what is told without it."""

import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from soak import simulate
from support.dask_cluster import Reaper, begun
from support.paths import ROOT

pytestmark = pytest.mark.usefixtures("patient")

SIMULATED = ("--games", "10", "--seed", "elsewhere")
FOUGHT = ("6", "3", "normal", "random")
DUEL = str(ROOT / "bench" / "bots_duel.py")


@pytest.fixture(scope="module")
def local() -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "bench")  # as long as workers begin
        with begun(2, threads=2) as one:
            yield one


def told(*words: str) -> str:
    """What a command says, but for how long it took; in a process of its own."""
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=True)
    return untimed(done.stdout)


def untimed(text: str) -> str:
    return re.sub(r'in \d+ s|"seconds": [\d.]+, "clock": "\w+"', "", text)


@pytest.mark.nightly
def test_games_and_duels_are_told_the_same_though_a_worker_is_killed(
    local: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bots_duel: Any = importlib.import_module("bots_duel")
    for module, code, alone, words in (
        (simulate, 0, ("-m", "soak.simulate"), SIMULATED),
        (bots_duel, None, (DUEL,), FOUGHT),
    ):
        monkeypatch.setattr(module, "in_order", reaper := Reaper(local))
        assert module.main([*words, "--dask", local.scheduler_address]) == code
        assert reaper.killed
        assert untimed(capsys.readouterr().out) == told(*alone, *words)


@pytest.mark.nightly
def test_a_game_that_takes_too_long_wherever_it_is_played_has_failed(
    local: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--games", "1", "--seed", "long", "--limit", "0.001")
    assert simulate.main([*words, "--dask", local.scheduler_address]) == 1
    assert "1 failed: ['long-0']" in capsys.readouterr().out


@pytest.mark.nightly
def test_a_duel_is_handed_out_by_its_script(local: Any) -> None:
    assert told(DUEL, *FOUGHT, "--dask", local.scheduler_address) == told(DUEL, *FOUGHT)
