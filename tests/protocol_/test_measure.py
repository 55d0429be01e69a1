"""How the times of several rounds are summed up, on a clock that the test moves."""

import os
from itertools import accumulate, chain

import pytest

from protocol import measure
from protocol.measure import RAW, Spread, Stopwatch


def clock_of(*taken: float) -> Stopwatch:
    """Return a stopwatch on whose clock the rounds take so many seconds."""
    readings = accumulate(chain.from_iterable((1.0, seconds) for seconds in taken))
    return Stopwatch(readings.__next__, os.urandom, len(taken))


def nothing() -> None:
    """Take no time."""


def test_the_lowest_and_the_highest_round_stand_beside_the_median() -> None:
    found = clock_of(3.0, 1.0, 8.0).spread(nothing)
    assert found == Spread(3.0, 1.0, 8.0)
    assert found.milliseconds() == {"ms": 3000.0, "low_ms": 1000.0, "high_ms": 8000.0}
    assert clock_of(3.0).spread(nothing) == Spread(3.0, 3.0, 3.0)


def test_calls_shorter_than_a_tick_are_timed_together() -> None:
    made = list[None]()
    assert clock_of(3.0, 1.0).spread(lambda: made.append(None), 10) == Spread(0.2, 0.1, 0.3)
    assert len(made) == 20


@pytest.mark.parametrize(("cost", "raw", "ratio"), [(0.5, 1000.0, 3.0), (0.0, 0.0, None)])
def test_a_part_is_compared_with_its_operations_if_the_clock_sees_them(
    cost: float, raw: float, ratio: float | None
) -> None:
    costs = dict.fromkeys(RAW, cost)
    found = measure.compared(Spread(3.0, 1.0, 8.0), {"add": 1, "multiply": 1}, costs)
    assert (found["ms"], found["low_ms"], found["high_ms"]) == (3000.0, 1000.0, 8000.0)
    assert (found["raw_ms"], found["ratio"]) == (raw, ratio)
