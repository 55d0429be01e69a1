"""How a game ends, in a model with links, end notices, departures and restored backups.

Nobody honest is stranded, no two final chains differ, and no seat contradicts itself. Under each
earlier rule the model fails, and what it finds is replayed by the machine, which ends well.
"""

from dataclasses import replace
from typing import Any

import pytest
from support.ending_replay import Replay
from support.models.ending_rules import Rules
from support.models.endings import Action, Endings
from support.mutants import mutant, planted
from support.sampling import sample, times
from support.sim.cheap import cheap_blocks

from protocol.seat import stay_after_end

SOME = pytest.mark.sampled(1)

STEPS = 80
"""Steps of a random walk, after which nearly all seats have left."""


def table(seats: int, quorum: int, *liars: int, **more: Any) -> Endings:
    """Return a small table; only as few cheaters as SPEC 3 says keep its chains from differing."""
    agrees = len(liars) <= 2 * quorum - seats - 1
    serves = len(liars) <= seats - quorum
    return Endings(seats, quorum, frozenset(liars), **{"agrees": agrees, "serves": serves} | more)


FIRST, SECOND = frozenset({0}), frozenset({0, 2})
WHOLE: list[tuple[int, Endings]] = [
    (5843, table(3, 2, 2)),
    pytest.param(171_579, table(3, 2, 2, breaks=FIRST), marks=pytest.mark.nightly),
    pytest.param(366_912, table(3, 2, 2, votes=True), marks=pytest.mark.nightly),
    pytest.param(176_098, table(3, 2, absent=0), marks=pytest.mark.nightly),
]
ANY = {"two_versions": True, "votes": True, "epochs": 3}
RANDOM: dict[str, Endings] = {
    "three seats": table(3, 2, 2, breaks=FIRST, **ANY),
    "four seats": table(4, 3, 3, breaks=SECOND, **ANY | {"epochs": 5}),
    "four seats, a cheater proposes first": table(4, 3, 1, breaks=FIRST, **ANY),
    "four seats, one restored": table(4, 3, restores=1, epochs=2),
    "four seats, one restored beside a cheater": table(4, 3, 3, restores=1, serves=False, **ANY),
    "four seats, one restored and one linked late": table(
        4, 3, restores=1, request=0, serves=False, epochs=3
    ),
    "five seats": table(5, 4, 1, breaks=FIRST, **ANY),
    "five seats, two cheaters": table(5, 4, 1, 3, breaks=FIRST, **ANY),
    "five seats, one restored beside two": table(5, 4, 1, 3, restores=0, **ANY),
    "six seats": table(6, 4, 1, breaks=FIRST, **ANY),
    "six seats, two cheaters": table(6, 4, 1, 2, breaks=FIRST, votes=True, epochs=7),
    "six seats, one restored and one linked late": table(
        6, 4, 2, restores=0, request=1, serves=False, **ANY
    ),
    "six seats, one restored beside two": table(6, 4, 1, 2, restores=0, serves=False, **ANY),
    "four seats, one absent": table(4, 3, absent=0, epochs=2),
    "six seats, one absent beside a cheater": table(6, 4, 1, absent=0, votes=True, epochs=3),
}


@SOME
@pytest.mark.parametrize(("states", "model"), WHOLE)
def test_every_ending_of_a_small_table_is_sound(states: int, model: Endings) -> None:
    assert replace(model).explore() == states  # what it remembers goes with it


@pytest.mark.parametrize("name", sample(RANDOM, 2, "random endings"))
def test_random_endings_are_sound(name: str) -> None:
    for number in sample(range(200), 7, f"endings: {name}"):
        assert replace(RANDOM[name]).walk(f"{name} {number}", STEPS) is None


SPLIT = {"epochs": 3, "serves": False}
PROGRAMS: dict[str, Endings] = {
    "three seats": table(3, 2, standings="xxy", **SPLIT),
    "four seats": table(4, 3, standings="xxyy", **SPLIT),
    "four seats, a cheater between them": table(4, 3, 3, standings="xxy", votes=True, **SPLIT),
    "five seats, a cheater between them": table(5, 4, 4, standings="xxyy", votes=True, **SPLIT),
}
WITHOUT_STANDINGS = Rules(base_without_standings=True)


@pytest.mark.parametrize("name", sample(PROGRAMS, 2, "programs"))
def test_programs_that_differ_in_their_standings_make_no_two_results_final(name: str) -> None:
    """A quorum of votes for the base of one program serves no seat of the other ([N-13])."""
    model = PROGRAMS[name]
    for number in sample(range(200), 7, f"programs: {name}"):
        assert replace(model).walk(f"{name} {number}", STEPS) is None
    wrong = replace(model, rules=WITHOUT_STANDINGS).walk(f"{name} 0", STEPS)
    assert "two final chains" in str(wrong)


@pytest.mark.nightly
def test_every_ending_of_a_small_table_with_two_programs_is_sound() -> None:
    assert table(3, 2, standings="xxy", serves=False).explore() == 26_389


EARLIER: dict[str, tuple[str, Endings, Rules]] = {
    "a seat leaves after a fixed time": (
        "stranded",
        table(4, 3, 1),
        Rules(leaves_by_time=True),
    ),
    "a new link does not begin the time anew": (
        "stranded",
        table(3, 2, 2, breaks=FIRST),
        Rules(leaves_by_time=True),
    ),
    "a halted seat announces its end": (
        "stranded",
        table(3, 2, 2, breaks=FIRST),
        Rules(promised_announce=True),
    ),
    "an end notice outlives its link": (
        "stranded",
        table(4, 3, restores=1),
        Rules(keeps_notices=True),
    ),
    "a resumed seat waits from its first link": (
        "contradicts itself",
        table(4, 3, 3, restores=1, serves=False),
        Rules(waits_from_first_link=True),
    ),
    "an absent seat is not waited for": (
        "a linked absent seat is stranded",
        table(4, 3, absent=0),
        Rules(forgets_absent=True),
    ),
}


def violations(name: str, most: int) -> list[tuple[Action, ...]]:
    """Return traces in which an earlier rule fails, found by random walks."""
    wrong, model, rules = EARLIER[name]
    found = list[tuple[Action, ...]]()
    for number in range(400):
        violation = replace(model, rules=rules).walk(f"{name} {number}", STEPS)
        if violation is not None:
            assert wrong in str(violation)
            found.append(violation.trace)
        if len(found) == most:
            break
    return found


@pytest.mark.parametrize("name", sample(EARLIER, 2, "earlier rules"))
def test_the_model_fails_under_each_earlier_rule_and_the_machine_ends_well(name: str) -> None:
    traces = violations(name, times(1, 20))
    assert traces
    model = EARLIER[name][1]
    for trace in traces:
        with cheap_blocks():
            replay = Replay(model)
            replay.play(trace)
            ended = replay.ends_well()
        assert replay.blamed() <= model.liars
        assert ended or not model.serves


@SOME
def test_a_machine_of_the_earlier_rule_ends_as_the_model_says() -> None:
    since = "    since = max(timers.over, followed.entered, *timers.first_links.values())\n"
    by_time = "    return timers.over + timers.times.step / 1000 - timers.now\n"
    by_time_alone = mutant("leaves by time", (stay_after_end.served_in, since, by_time))
    forgets = mutant(
        "forgets absent seats",
        (stay_after_end.awaited_ends, "state.tip.present | ", "state.tip.present & "),
    )
    for name, wrong in (
        ("a new link does not begin the time anew", by_time_alone),
        ("an absent seat is not waited for", forgets),
    ):
        with planted(wrong), cheap_blocks():
            replays = [(Replay(EARLIER[name][1]), trace) for trace in violations(name, 3)]
            for replay, trace in replays:
                replay.play(trace)
            assert not all(replay.ends_well() for replay, _ in replays), name
