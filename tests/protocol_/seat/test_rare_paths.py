"""Simulated games that reach rules which few games reach, so that each quick run does."""

import pytest
from support.sim.runs import Run


@pytest.mark.parametrize("number", [10, 38])
def test_closes_are_fetched_and_readings_wait_for_the_base_of_a_later_epoch(number: int) -> None:
    seen, failed = Run("rare").game(number)
    assert not failed
    assert seen["games"] == 1


def test_a_job_ends_when_what_it_was_for_has_passed() -> None:
    seen, failed = Run("rare", slow_jobs=True).game(62)
    assert not failed
    assert seen["jobs"] > 0
