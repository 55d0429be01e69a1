"""How many rounds a second the rules play: `python bench/rules_bench.py [SECONDS]`.

Six seats choose at random on one core, the referee of the tests holding the deck. Prints JSON.
The seconds are processor time, since one process plays.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
sys.path.insert(1, str(Path(__file__).parent.parent / "tests"))

from given_numbers import seconds
from support.rules_driver import Referee

from p2p_hoity.editions.load_edition import NAMES, load


def rounds_per_second(edition: str, limit: float) -> float:
    """Play whole games for about that long."""
    loaded, began, rounds, seed = load(edition), time.process_time(), 0, 0
    while time.process_time() - began < limit:
        rounds += Referee.seat(loaded, 6, seed).play().round
        seed += 1
    return rounds / (time.process_time() - began)


def measured(limit: float) -> dict[str, object]:
    """Both editions."""
    speeds = {name: round(rounds_per_second(name, limit)) for name in NAMES}
    return {"seats": 6, "clock": "processor", "rounds_per_second": speeds}


def main(arguments: Sequence[str] | None = None) -> None:
    """Reads the command line, prints what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seconds", type=seconds, nargs="?", default=3.0)
    print(json.dumps(measured(parser.parse_args(arguments).seconds)))


if __name__ == "__main__":
    main()
