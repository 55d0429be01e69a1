"""All figures of one run: the building blocks, and whole tables of Hoity Toity."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

from protocol import measure

from .whole_tables import table_work


def report(cards: int, rounds: int, clock: Callable[[], float]) -> dict[str, Any]:
    """Times in milliseconds by `clock` (seconds), each the median of `rounds`."""
    watch = measure.Stopwatch(clock, os.urandom, rounds)
    found = {"python": sys.version.split()[0], **measure.blocks(cards, watch)}
    tables = {name: measure.measure(call, watch) for name, call in table_work().items()}
    return {**found, **tables}


ONCE, EACH_ROUND = 185_000, 38_500
"""How long a run takes, in multiplications of a point: building the whole game, and each round."""


def expected_seconds(rounds: int, clock: Callable[[], float]) -> float:
    """About how long a report of so many rounds takes on this machine."""
    one = measure.raw_costs(measure.Stopwatch(clock, os.urandom, 1))["multiply"]
    return one / 1e6 * (ONCE + EACH_ROUND * (rounds + 1))
