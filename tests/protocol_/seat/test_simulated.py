"""Simulated tables keep every invariant; `soak.simulate` has long runs."""

from collections import Counter

import pytest
from support.cases import fails
from support.machine_table import make_table
from support.mutants import Mutant, planted
from support.sampling import sample
from support.sim.cheap import cheap_blocks, shared_nodes
from support.sim.invariants import Checker, Violation
from support.sim.lies import LIES
from support.sim.plan import draw_plan
from support.sim.runs import Run
from support.sim.tables import play
from support.toy_game import ToyGame

from protocol.consensus import followed_chain

BLOCK = 10
BLOCKS = [(block, first) for block in range(6) for first in range(0, 4 * BLOCK, BLOCK)]
ONCE = ["soak-158", "mutant-97", "b-25", "b-143", "e-442", "a-1", "note-2697", "lasta-1138"]
PAIRS = [f"pairs-{number}" for number in range(10)]


@pytest.mark.parametrize(("block", "first"), sample(BLOCKS, 1, "random tables"))
def test_random_tables_keep_every_promise(block: int, first: int) -> None:
    seen: Counter[str] = Counter()
    with cheap_blocks():
        for number in range(first, first + BLOCK):
            seen += play(f"quick{block}-{number}")
    assert seen["games"] == BLOCK
    assert seen["finished"] > BLOCK
    assert seen["epoch"] > 2
    assert seen["crash"] > 0


@pytest.mark.parametrize("seed", sample(ONCE, 1, "games that once failed"))
def test_games_that_once_failed(seed: str) -> None:
    """Games that once failed stay sound.

    In one a seat signed epoch requests without end; in another a liar hid an input from a seat that
    had resumed with an old journal.
    """
    with cheap_blocks():
        assert play(seed)["games"] == 1


@pytest.mark.parametrize("seed", sample(["real-0", "real-1", "real-2"], 1, "real games"))
def test_the_same_holds_on_the_real_curve(seed: str) -> None:
    with shared_nodes():
        assert play(seed)["games"] == 1


def test_a_game_follows_from_its_seed() -> None:
    with cheap_blocks():
        assert play("again") == play("again")


def test_plans_use_every_lie_and_every_disturbance() -> None:
    plans = [draw_plan(f"plan-{number}") for number in range(600)]
    assert {lie for plan in plans for lie in plan.lies} == set(LIES)
    assert {plan.seats for plan in plans} == {2, 3, 4, 5, 6}
    for name in ("crashes", "partitions", "vanish"):
        assert any(getattr(plan, name) for plan in plans), name
    assert any(plan.quiet and plan.liars for plan in plans)


@pytest.fixture
def checker() -> Checker:
    return Checker(make_table(ToyGame(3), 3)[0], frozenset({2}))


def test_the_checker_refuses_an_honest_seat_at_fault(checker: Checker) -> None:
    checker.found_guilty(0, 2, "bad-body")
    fails(Violation, "honest seat 1", checker.found_guilty, 0, 1, "bad-body")


def test_two_faulty_seats_of_five_neither_fork_nor_frame() -> None:
    """A quorum of four: three honest seats need not end, but must agree."""
    seen: Counter[str] = Counter()
    with cheap_blocks():
        for seed in (pairs := sample(PAIRS, 1, "pairs of liars")):
            seen += play(seed, 5, True, two=True)
    assert seen["games"] == len(pairs)
    assert seen["finished"] > 0 or len(pairs) < len(PAIRS)
    assert all(len(draw_plan(f"p-{n}", 5, True, two=True).liars) == 2 for n in range(20))


def test_the_checker_finds_what_is_open_too_early(checker: Checker) -> None:
    """The checker finds a card that is open before it is drawn, and an open sealed choice."""
    secrets = checker.secrets
    slot, coalition = secrets.stock()[-1], frozenset({2})
    secrets.shares |= {(slot, 0)}
    assert secrets.drawn_early(coalition) == []
    secrets.shares |= {(slot, 1)}
    assert secrets.drawn_early(coalition) == [slot]
    secrets.due[slot].add(b"asked")
    assert secrets.drawn_early(coalition) == []
    choice, coalition = ("bid", 0, b"c"), frozenset({2})
    secrets.sealed.add(choice)
    assert secrets.read_early(coalition) == []
    secrets.givers[choice].add(1)
    assert secrets.read_early(coalition) == [choice]
    assert secrets.read_early(frozenset({0})) == []
    secrets.asked.add(choice)
    assert secrets.read_early(coalition) == []


INCOMPLETE = {
    "it stores all commitments": "node.want.kind in (Kind.SEAL, Kind.BARRIER)",
    "it stores the whole barrier": "node.want.kind is Kind.BARRIER",
}
"""By what a seat lacks when it opens its choice, the steps that it takes for complete too early."""


@pytest.mark.parametrize("lacking", INCOMPLETE)
def test_a_seat_that_opens_too_early_is_found(lacking: str) -> None:
    """A seat that takes two inputs of a step for all reveals while others may still choose."""
    old = "set(inputs) != node.want.speakers"
    new = f"(len(inputs) < 2 if {INCOMPLETE[lacking]} else {old})"
    early = Mutant("two inputs for all", ((followed_chain.grow, old, new),))
    with planted(early), cheap_blocks(), pytest.raises(Violation, match=lacking):
        play("early-2", 4, liar=False)


# Games that reach rules which few games reach, so that each quick run does.


@pytest.mark.sampled(1)
@pytest.mark.parametrize("number", [10, 38])
def test_new_epochs_are_fetched_and_readings_wait_for_a_later_base(number: int) -> None:
    seen, failed = Run("rare").game(number)
    assert not failed
    assert seen["games"] == 1


def test_a_job_ends_when_what_it_was_for_has_passed() -> None:
    seen, failed = Run("rare", slow_jobs=True).game(62)
    assert not failed
    assert seen["jobs"] > 0
