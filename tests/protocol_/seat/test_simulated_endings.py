"""Simulated ends of games: seats leave as the program does, and liars try to strand one of them."""

from dataclasses import replace

import pytest
from support.sampling import sample
from support.sim.invariants import Violation
from support.sim.plan import draw_plan_of_absence, draw_plan_of_ending
from support.sim.tables import TIMEOUTS, World, play

STEP = TIMEOUTS.step / 1000


def strands_nobody(seed: str, absence: bool = False) -> None:
    """Play a game. Raises Violation if a seat waits for ever, RuntimeError if more is wrong."""
    try:
        play(seed, ending=not absence, absence=absence)
    except Violation as violation:
        if "have not finished" not in str(violation):
            raise RuntimeError("another promise is broken") from violation
        raise


def test_endings_use_every_attack() -> None:
    plans = [draw_plan_of_ending(f"plan-{number}", STEP) for number in range(200)]
    endings = [plan.ending for plan in plans if plan.ending is not None]
    assert len(endings) == len(plans)
    assert {plan.seats for plan in plans} == {4, 5, 6}
    assert all(len(plan.liars) == plan.seats - plan.quorum for plan in plans)
    assert all(plan.ending.favoured not in plan.liars for plan in plans if plan.ending)
    assert any(ending.nap for ending in endings)
    assert any(ending.crash and ending.crash.lost for ending in endings)
    assert any(ending.told is None and ending.shown > STEP - 0.5 for ending in endings)
    assert any(ending.told is not None and ending.parted > 1 for ending in endings)


@pytest.mark.parametrize("seed", sample([f"honest-{number}" for number in range(8)], 2, "ends"))
def test_where_nobody_lies_all_leave_soon(seed: str) -> None:
    plan = replace(draw_plan_of_ending(seed, STEP), liars=frozenset())
    assert plan.ending is not None
    world = World(replace(plan, ending=replace(plan.ending, parted=0.0)))
    world.run()
    assert world.endings is not None
    assert all(process.stood_up for process in world.processes)
    assert world.now < 60


@pytest.mark.sampled(3)
@pytest.mark.parametrize("number", sample(range(200), 6, "attacks at the end"))
def test_attacks_at_the_end_strand_nobody(number: int) -> None:
    assert play(f"end-{number}", ending=True)["games"] == 1


@pytest.mark.parametrize("seed", ["end-3", "end-26"])
def test_nobody_waits_for_ever_for_a_seat_that_was_shown_the_last_inputs_alone(seed: str) -> None:
    """All liars show their last inputs to one seat just before the step times out.

    They request epochs with the others, and promise none.
    """
    strands_nobody(seed)


@pytest.mark.parametrize("seed", ["end-0", "end-13"])
def test_nobody_waits_for_ever_for_a_seat_whose_links_broke_at_the_end(seed: str) -> None:
    """While one seat has no honest link, a liar gives the others two versions and a request."""
    strands_nobody(seed)


def test_absences_have_every_table_and_come_back_early_and_late() -> None:
    plans = [draw_plan_of_absence(f"plan-{number}", STEP) for number in range(200)]
    back = [plan.ending.absent for plan in plans if plan.ending and plan.ending.absent]
    assert len(back) == len(plans)
    assert {(plan.seats, len(plan.liars)) for plan in plans} == {
        (3, 0),
        (4, 0),
        (5, 0),
        (6, 0),
        (6, 1),
    }
    assert all(absent.seat not in plan.liars for plan, absent in zip(plans, back, strict=True))
    assert min(absent.late for absent in back) < 0.1
    assert max(absent.late for absent in back) > STEP / 2


@pytest.mark.sampled(2)
@pytest.mark.parametrize("number", sample(range(200), 6, "absences at the end"))
def test_no_absent_seat_that_is_linked_is_left_behind(number: int) -> None:
    assert play(f"absence-{number}", absence=True)["games"] == 1


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", ["absence-2", "absence-24", "absence-39"])
def test_an_absent_seat_comes_back_just_before_the_others_would_leave(seed: str) -> None:
    """Of 200 such games 31 left it behind, linked, while only present seats were waited for."""
    strands_nobody(seed, absence=True)
