"""Simulated setups in which a faulty seat tries to part the others ([D-3], [D-10], [E-30])."""

from collections import Counter

import pytest
from support.mutants import MUTANTS, planted
from support.sampling import sample
from support.sim.cheap import cheap_blocks
from support.sim.invariants import Violation
from support.sim.setups import DEEDS, WHEN, draw_setup, play_setup

IN_EACH_WAY = range(3)
"""Setups that end in each way."""


def test_nobody_is_parted_blamed_or_left_waiting() -> None:
    numbers = [*IN_EACH_WAY, *sample(range(len(IN_EACH_WAY), 2000), 12, "setups")]
    seen: Counter[str] = Counter()
    with cheap_blocks():
        for number in numbers:
            seen += play_setup(f"setup {number}")
    assert seen["setups"] == len(numbers)
    assert min(seen[what] for what in ("left", "played", "ended", "leaving")) > 0


def test_links_that_break_and_seats_that_crash_throw_nobody_out() -> None:
    with cheap_blocks():
        for number in sample(range(1000), 6, "disturbed setups"):
            assert play_setup(f"disturbed {number}", disturbed=True)["thrown out"] == 0


def test_plans_use_every_deed_and_every_moment() -> None:
    plans = [draw_setup(f"plan {number}", disturbed=True) for number in range(300)]
    deeds = [deed for plan in plans for deed in plan.deeds]
    assert {deed.what for deed in deeds} == set(DEEDS)
    assert {deed.when for deed in deeds} == set(WHEN)
    assert {plan.seats for plan in plans} == {3, 4, 5, 6}
    assert any(plan.quorum == plan.seats for plan in plans)
    assert any(plan.flap for plan in plans)
    assert any(plan.crash for plan in plans)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("name", "seed"),
    [("no deals are needed to return", "m-299"), ("a confirmed seat ends setup", "m-1")],
)
def test_the_simulator_finds_an_error(name: str, seed: str) -> None:
    wrong = next(mutant for mutant in MUTANTS if mutant.name == name)
    with cheap_blocks():
        play_setup(seed)
        with planted(wrong), pytest.raises(Violation, match=seed):
            play_setup(seed)
