"""Samples of exhaustive cases: the quick suite tries a few of them, the nightly run all.

Each run draws with a seed of its own, which pytest prints in its header. Set `HOITY_TEST_SEED`
to that seed to draw the same cases again.
"""

import os
import random
from collections.abc import Iterable, Sequence
from typing import TypeVar

import pytest

T = TypeVar("T")

SEED = "HOITY_TEST_SEED"
"""Variable that holds the seed of this run. Worker processes inherit it."""
NIGHTLY = "HOITY_TEST_NIGHTLY"
"""Variable that is set in a run that tries all cases."""

# Kinds of tests of which there are several files.

REACHED = pytest.mark.sampled(2)
"""Processes that find each other through relays, routers and proxies."""
AT_WORK = pytest.mark.sampled(4)
"""Processes that leave, crash, lie, keep secrets or play again, and the bots that they start."""
LARGE_FILES = pytest.mark.sampled(1)
"""Files as large as may be."""
AWAY = pytest.mark.sampled(3)
"""Tables in memory whose seats vanish and come back."""
BAD_MOMENTS = pytest.mark.sampled(3)
"""Tables in memory where a peer is silent, talks nonsense, or goes at a bad moment."""
LOOKED_ON = pytest.mark.sampled(4)
"""Tables in memory with onlookers and talk."""


def begin(nightly: bool) -> None:
    """Fix the seed of this run, unless a parent process or the user has fixed it.

    Args:
        nightly: Whether this run tries all cases.
    """
    os.environ.setdefault(SEED, f"{random.randrange(10**6):06}")
    if nightly:
        os.environ[NIGHTLY] = "1"


def seed() -> str:
    """Return the seed of this run."""
    return os.environ[SEED]


def is_nightly() -> bool:
    """Return whether this run tries all cases."""
    return NIGHTLY in os.environ


def sample(cases: Iterable[T], count: int, name: str) -> list[T]:
    """Return a random sample of the cases, in their own order; all of them in the nightly run.

    Args:
        cases: All cases. Their order must be the same in every process of a run.
        count: How many of them the quick suite tries.
        name: What is sampled. Samples of different names are drawn independently.
    """
    listed = list(cases)
    if is_nightly() or count >= len(listed):
        return listed
    chosen = random.Random(f"{seed()} {name}").sample(range(len(listed)), count)
    return [listed[index] for index in sorted(chosen)]


def times(quick: int, nightly: int) -> int:
    """Return how often a random check is repeated: `quick` times, or `nightly` times at night."""
    return nightly if is_nightly() else quick


def not_drawn(items: Sequence[pytest.Item]) -> set[pytest.Item]:
    """Return the tests that the quick suite leaves to the night: those that are not drawn.

    `pytest.mark.sampled(COUNT)` on a test with many cases, on several tests, or on a whole module
    as its `pytestmark` says that they are of one kind, of which so many are drawn.
    """
    kinds: dict[int, list[pytest.Item]] = {}
    for item in items:
        # A mark that several tests have is one object.
        if mark := item.get_closest_marker("sampled"):
            kinds.setdefault(id(mark), []).append(item)
    left = set[pytest.Item]()
    for kind in kinds.values():
        mark = kind[0].get_closest_marker("sampled")
        assert mark is not None
        left |= {*kind} - {*sample(kind, mark.args[0], kind[0].nodeid)}
    return left
