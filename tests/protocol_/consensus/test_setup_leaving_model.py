"""How confirmed seats leave setup, in a model with links and faulty seats ([D-9] to [D-11]).

All honest seats play or all leave, and none waits for ever. Without one of the rules the model
finds a seat that is thrown out of a game that begins.
"""

from collections import Counter
from dataclasses import replace

import pytest
from support.models.setup_leaving import Rules, draw, play
from support.sampling import times

WITHOUT = {
    "one round only": (Rules(rounds=-1), 4, 0.0),
    "no deals are counted": (Rules(counts_deals=False), 4, 0.0),
    "rounds shorter than two frames": (Rules(round=1.0), 4, 0.0),
    "a seat gives up by its own clock only": (Rules(follows=False), 3, 30.0),
    "a seat leaves by its own clock only": (Rules(needs_quorum=False), 3, 30.0),
}
"""Rules that are not enough, with a number of seats and a late clock that show it."""


def total(name: str, games: int, seats: int, flaps: float = 0.0) -> Counter[str]:
    """Return what came of many tables."""
    counts: Counter[str] = Counter()
    for number in range(games):
        seed = f"{name} {seats} {number}"
        verdict = play(seed, draw(seed, seats, flaps=flaps))
        counts["thrown out"] += verdict.thrown_out
        counts["waiting"] += bool(verdict.waiting)
        counts["playing"] += bool(verdict.playing)
        counts["left"] += bool(verdict.latest)
        counts["parted"] += bool(verdict.playing and verdict.latest)
    return counts


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_all_honest_seats_play_or_all_leave(seats: int) -> None:
    counts = total("plain", times(40, 20_000), seats)
    assert counts["thrown out"] == counts["waiting"] == counts["parted"] == 0
    assert counts["playing"] > 0 < counts["left"]


def test_two_faulty_seats_of_six_part_nobody_either() -> None:
    counts = Counter[str]()
    for number in range(times(20, 5000)):
        seed = f"two {number}"
        verdict = play(seed, draw(seed, 6, liars=2))
        counts["parted"] += bool(verdict.playing and verdict.latest)
        counts["waiting"] += bool(verdict.waiting)
    assert counts.total() == 0


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seats", [4, 5, 6])
def test_links_that_break_for_two_seconds_throw_nobody_out(seats: int) -> None:
    counts = total("flaps", times(20, 5000), seats, 2.0)
    assert counts["thrown out"] == counts["waiting"] == 0


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", WITHOUT)
def test_each_rule_is_needed(name: str) -> None:
    """At three seats one is late, since its machine slept."""
    rules, seats, late = WITHOUT[name]
    assert any(parted(f"{name} {number}", seats, late, rules) for number in range(3000))


def test_a_late_clock_alone_parts_nobody() -> None:
    for number in range(times(40, 5000)):
        assert not parted(f"late {number}", 3, 30.0, Rules())


def parted(seed: str, seats: int, late: float, rules: Rules) -> bool:
    """Return whether some honest seats play and others have left."""
    verdict = play(seed, replace(draw(seed, seats), late=late), rules)
    return bool(verdict.playing and verdict.latest)
