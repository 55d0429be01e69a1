"""What `bench` measures and says of it: a row with the spread of each part, and progress."""

import threading
import time
from contextlib import nullcontext
from typing import Any

import pytest
from support.limits import LIMIT
from support.shell import Shell
from support.short_game import short_edition
from support.sim.cheap import shared_nodes

from cli.commands import bench
from cli.local import start_of_play
from cli.words import translation
from p2p_hoity import benchmarks
from p2p_hoity.benchmarks import expected_seconds

SOME = pytest.mark.sampled(3)


@SOME
@pytest.mark.parametrize("seats", [3, pytest.param(6, marks=pytest.mark.nightly)])
def test_bench(hoity: Shell, monkeypatch: pytest.MonkeyPatch, seats: int) -> None:
    """With a short game of three; with a whole one of six among the long tests."""
    monkeypatch.setattr(benchmarks, "SEATS", seats)
    if seats == 3:
        monkeypatch.setattr(benchmarks, "CHOOSERS", seats)
        monkeypatch.setattr(benchmarks, "load", short_edition)
    monkeypatch.setattr(bench, "first_question", iter((2.5,)).__next__)
    benchmarks.whole_game.cache_clear()
    with shared_nodes() if seats == 3 else nullcontext():
        benchmarks.whole_game()
    found = hoity("bench", "--cards", "24", "--rounds", "1", "--json").lines[0]
    benchmarks.whole_game.cache_clear()
    assert (found["cards"], found["clock"], found["start_of_play"]["clock"]) == (
        24,
        "processor",
        "wall",
    )
    assert found["verify"]["operations"]["multiply"] > 0
    one = found["choice_four"]
    assert (one["seats"], one["delays"]) == (benchmarks.CHOOSERS, 3)
    assert one["operations"]["signature"] == 3 * one["seats"] * (one["seats"] - 1)
    assert set(bench.PARTS) == {name for name, it in found.items() if "raw_ms" in spread(it)}
    for row in (*map(found.get, bench.PARTS), found["start_of_play"]):
        assert 0 <= row["low_ms"] <= row["ms"] <= row["high_ms"]


def spread(value: object) -> dict[str, Any]:
    """A part of what a bench has found; nothing for a single figure."""
    return value if isinstance(value, dict) else {}


ROW = {"ms": 20.0, "low_ms": 19.0, "high_ms": 300.0, "raw_ms": 10.0, "ratio": 2.0}
FOUND = {
    "cards": 24,
    "rounds": 4,
    "operation_us": {"multiply": 92.0},
    "operation_range_us": {"multiply": [88.0, 97.0]},
    **dict.fromkeys(bench.PARTS, ROW),
    "shuffle": {**ROW, "ratio": None},
    "choice_four": {**ROW, "seats": 4, "delays": 3},
}
"""What a bench has found. A clock was too coarse to see the operations of one part."""


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a bench find `FOUND` and three starts, of which one is slow."""
    monkeypatch.setattr(bench, "report", lambda *_: FOUND)
    monkeypatch.setattr(bench, "first_question", iter((2.5, 9.0, 2.0)).__next__)


@pytest.mark.parametrize("language", translation.LANGUAGES)
@pytest.mark.usefixtures("measured")
def test_a_bench_has_a_row_with_the_spread_of_each_part_and_says_what_its_columns_are(
    hoity: Shell, language: str
) -> None:
    lines = hoity.done(0, "bench", "--lang", language).out.splitlines()
    translation.speak(language)
    words = {part: translation._(name) for part, name in bench.PARTS.items()}
    rows = {
        part: next(it for it in lines if f"  {name}  " in it + "  ") for part, name in words.items()
    }
    assert {len(row) for row in rows.values()} == {len(rows["shuffle"])}
    assert len(rows["shuffle"]) <= 80
    for part, row in rows.items():
        assert row.split()[-5:] == ["20", "19", "300", "10", "–" if part == "shuffle" else "2.00"]
    told = " ".join(lines)
    assert all(figure in told for figure in ("88", "92", "97", " 2.5 s ", " 9)"))
    if language == "en":
        assert "Raw operations are the calls of libsodium in a part, timed by themselves." in told
        assert "The ratio is the median divided by the raw operations." in told
        assert (
            "One choice at a table of 4: all seats together compute for 20 ms (19 to 300)." in told
        )
        assert "3 network delays" in told
        assert "first question of play with 3 bots: 2.5 s (2 to 9), wall time" in told


@pytest.mark.usefixtures("measured")
def test_a_bench_without_a_start_of_play_says_why_and_has_the_rest(
    hoity: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails() -> float:
        raise start_of_play.NoQuestion("The command play asked nothing in 60 s.")

    monkeypatch.setattr(bench, "first_question", fails)
    done = hoity.done(1, "bench")
    assert "verify a whole game of six" in done.out
    assert "\nThe command play asked nothing in 60 s.\nTo see why" in done.out
    found = hoity.done(1, "bench", "--json").lines[0]
    assert found["start_of_play"]["problem"] == "The command play asked nothing in 60 s."
    assert found["choice_four"] == FOUND["choice_four"]


def test_a_bench_says_how_long_it_takes_and_shows_progress_at_a_terminal_only(
    hoity: Shell, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    watched = threading.Event()
    monkeypatch.setattr(bench, "BEAT", 0.001)
    monkeypatch.setattr(bench, "standing", lambda words: watched.set() if "%" in words else None)
    with bench.progress(1.0):
        pass
    assert not watched.is_set()
    monkeypatch.setattr(bench, "is_watched", lambda: True)
    with bench.progress(0.0):
        assert watched.wait(LIMIT)
    five, fifty = (expected_seconds(rounds, time.process_time) for rounds in (5, 500))
    assert 0 < five < fifty
