"""Tests of the bench: its tables reach what is measured, and its estimate follows the clock."""

import os
from collections.abc import Iterator
from dataclasses import replace
from itertools import count, islice

import pytest
from support.cheap_group import cheap_cards

from p2p_hoity import benchmarks
from p2p_hoity.editions.load_edition import load
from p2p_hoity.game_adapter import read_game
from p2p_hoity.rules.edition import Castle, Edition
from protocol import measure, transcript


def short() -> Edition:
    """Return the usual edition on a short track."""
    return replace(load(), castles=(Castle(3, 2, 5),))


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let tables have three seats and a short game."""
    monkeypatch.setattr(benchmarks, "SEATS", 3)
    monkeypatch.setattr(benchmarks, "CHOOSERS", 3)
    monkeypatch.setattr(benchmarks, "load", short)
    benchmarks.whole_game.cache_clear()
    yield
    benchmarks.whole_game.cache_clear()


@pytest.fixture
def cheap() -> Iterator[None]:
    """Let cards be integers. What libsodium computes with them is no point of the curve."""
    with cheap_cards():
        yield


@pytest.mark.usefixtures("cheap")
def test_a_table_in_one_process_plays_its_game_to_a_valid_end() -> None:
    table = benchmarks.open_table(3)
    table.run(lambda machine: machine.may_leave())
    assert len({machine.transcript() for machine in table.machines}) == 1
    report = transcript.verify(table.machines[0].transcript(), read_game)
    assert report.ok
    assert len(report.standings) == 3


@pytest.mark.usefixtures("cheap")
def test_a_whole_game_is_played_once_and_one_that_does_not_hold_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    benchmarks.verify()
    assert benchmarks.whole_game() is benchmarks.whole_game()
    cut = benchmarks.whole_game()[:-1]
    with monkeypatch.context() as patched:
        patched.setattr(benchmarks, "whole_game", lambda: cut)
        with pytest.raises(RuntimeError, match="does not verify"):
            benchmarks.verify()


@pytest.mark.usefixtures("cheap")
def test_each_table_at_a_place_waits_for_a_choice_of_place() -> None:
    steps = []
    for table in islice(benchmarks.at_a_place(), 3):
        assert {machine.tip.want.name for machine in table.machines} == {benchmarks.PLACE}
        steps.append(table.machines[0].tip.step)
        assert benchmarks._choose(table) == 3
    assert steps[0] > 0


@pytest.mark.usefixtures("cheap")
def test_a_choice_is_measured_in_so_many_rounds_by_the_clock_that_is_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(measure, "raw_costs", lambda watch: dict.fromkeys(measure.RAW, 0.001))
    ticks = count()
    watch = measure.Stopwatch(lambda: float(next(ticks)), os.urandom, rounds=2)
    found = benchmarks.choice(watch)
    assert (found["seats"], found["delays"]) == (3, 3)
    assert found["ms"] == 1000.0
    assert found["operations"]["signature"] > 0
    assert found["raw_ms"] == pytest.approx(sum(found["operations"].values()))


def test_more_rounds_and_a_slower_clock_make_a_longer_estimate() -> None:
    def expected(tick: float, rounds: int, more: int = 0) -> float:
        ticks = count()
        return benchmarks.expected_seconds(rounds, lambda: tick * next(ticks), more)

    one = expected(1e-3, 1)
    assert expected(2e-3, 1) == pytest.approx(2 * one)
    each = expected(1e-3, 2) - one
    assert expected(1e-3, 5) == pytest.approx(one + 4 * each)
    assert each > 0
    assert expected(1e-3, 1, benchmarks.EACH_ROUND) == pytest.approx(one + each)
