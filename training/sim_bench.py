"""How many rounds a second the simulator plays: `python training/sim_bench.py [SECONDS] [GAMES]`.

On one core, choices at random, in processor time; once without and once with what every
deciding seat sees. Prints JSON; `decisions` are rows a second. Needs numpy.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(Path(__file__).parent), str(ROOT), str(ROOT / "bench")]

import numpy as np
from given_numbers import seconds, whole
from hoity_training.observe import Eyes
from hoity_training.sim import Table

from p2p_hoity.editions.load_edition import load
from p2p_hoity.rules import Variant

TABLES: tuple[tuple[str, int, Variant], ...] = (
    ("uberplay-2004", 4, None),
    ("uberplay-2004", 6, None),
    ("uberplay-2004", 2, "surprise"),
    ("reference-manual", 4, None),
)


def speed(table: Table, limit: float, eyes: Eyes | None) -> dict[str, int]:
    """Rounds and decisions a second."""
    began, decisions = time.process_time(), 0
    rounds, point = -int(table.board.round.sum()), table.step()
    while point is not None and time.process_time() - began < limit:
        if eyes is not None:
            eyes.see(point)
        decisions += len(point)
        point = table.choose(point.at_random(table.rng))
        if table.ended is not None:
            rounds += int(table.ended.rounds.sum())
    taken, rounds = time.process_time() - began, rounds + int(table.board.round.sum())
    return {"rounds": round(rounds / taken), "decisions": round(decisions / taken)}


def main(limit: float = 3.0, games: int = 4096) -> dict[str, object]:
    """Some tables, blind and seeing."""
    found: dict[str, object] = {"games": games, "clock": "processor"}
    for name, seats, variant in TABLES:
        rng = np.random.default_rng(1)
        table = Table(load(name), seats, variant, games, rng, checked=False)
        blind = speed(table, limit, None)
        seeing = speed(table, limit, Eyes(table.board))
        found[f"{name} {seats} {variant or ''}".strip()] = {"blind": blind, "seeing": seeing}
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seconds", type=seconds, nargs="?", default=3.0)
    parser.add_argument("games", type=whole(1, 10**7), nargs="?", default=4096)
    given = parser.parse_args()
    print(json.dumps(main(given.seconds, given.games)))
