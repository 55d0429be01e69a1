"""How many rounds a second the rules play: `python bench/rules_bench.py [SECONDS]`.

Six seats choose at random on one core, the referee of the tests holding the deck. Prints JSON.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from support.rules_driver import Referee

from p2p_hoity.editions.load_edition import NAMES, load


def rounds_per_second(edition: str, seconds: float) -> float:
    """Play whole games for about that long."""
    loaded, began, rounds, seed = load(edition), time.perf_counter(), 0, 0
    while time.perf_counter() - began < seconds:
        rounds += Referee.seat(loaded, 6, seed).play().round
        seed += 1
    return rounds / (time.perf_counter() - began)


def main(seconds: float = 3.0) -> dict[str, object]:
    """Both editions."""
    speeds = {name: round(rounds_per_second(name, seconds)) for name in NAMES}
    return {"seats": 6, "rounds_per_second": speeds}


if __name__ == "__main__":
    print(json.dumps(main(*map(float, sys.argv[1:]))))
