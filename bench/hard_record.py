"""Records how good the shipped weights are: `python bench/hard_record.py < DUELS > hard.json`.

DUELS are lines of `python -m hoity_training.duel p2p_hoity/bots/learned/weights.bin`. The first
games of one network alone, without haste, against normal bots at four seats are played here, for
the test that plays them again.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import platform
import sys
from importlib.resources import files
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
sys.path.insert(1, str(Path(__file__).parent.parent / "tests"))

from support.rules_driver import Referee

from p2p_hoity.bots import BOTS, learned
from p2p_hoity.editions.load_edition import load

FIRST, SEATS = 24, 4


def duels(lines: list[str]) -> list[object]:
    """The duels that stand on the lines; SystemExit if there is none, or a line is none."""
    found = list[object]()
    for number, line in enumerate(lines, 1):
        try:
            found += [json.loads(line)] if line.strip() else []
        except ValueError:
            raise SystemExit(f"hard_record.py: line {number} of the input is no duel") from None
    if not found:
        raise SystemExit("hard_record.py: the input has no duels; see the first line of --help")
    return found


def record(lines: list[str]) -> dict[str, object]:
    """All that is recorded of the weights."""
    fought = duels(lines)
    data = files(learned.__package__ or "").joinpath(learned.WEIGHTS).read_bytes()
    network = learned.read(data)
    return {
        "sha256": hashlib.sha256(data).hexdigest(),
        "commit": network.commit,
        "seed": network.seed,
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "first": {"games": FIRST, "won": sum(map(_share, range(FIRST)))},
        "duels": fought,
    }


def _share(seed: int) -> float:
    """The network's share of the victory in the game of this number."""
    place, alone = seed % SEATS, learned.shipped().choose
    bots = [alone if seat == place else BOTS["normal"] for seat in range(SEATS)]
    return Referee.seat(load(), SEATS, seed, None, bots).play().shares[place]


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    print(json.dumps(record(sys.stdin.readlines()), indent=1))
