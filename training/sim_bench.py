"""How many rounds a second the simulator plays: `python training/sim_bench.py [SECONDS] [GAMES]`.

On one core, choices at random, in seconds of its own; once without and once with what every
deciding seat sees. Prints JSON; `decisions` are rows a second. Needs numpy.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]

import numpy as np
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


def speed(table: Table, seconds: float, eyes: Eyes | None) -> dict[str, int]:
    """Rounds and decisions a second."""
    began, decisions = time.process_time(), 0
    rounds, point = -int(table.board.round.sum()), table.step()
    while point is not None and time.process_time() - began < seconds:
        if eyes is not None:
            eyes.see(point)
        decisions += len(point)
        point = table.choose(point.at_random(table.rng))
        if table.ended is not None:
            rounds += int(table.ended.rounds.sum())
    taken, rounds = time.process_time() - began, rounds + int(table.board.round.sum())
    return {"rounds": round(rounds / taken), "decisions": round(decisions / taken)}


def main(seconds: float = 3.0, games: float = 4096) -> dict[str, object]:
    """Some tables, blind and seeing."""
    found: dict[str, object] = {"games": int(games)}
    for name, seats, variant in TABLES:
        rng = np.random.default_rng(1)
        table = Table(load(name), seats, variant, int(games), rng, checked=False)
        blind = speed(table, seconds, None)
        seeing = speed(table, seconds, Eyes(table.board))
        found[f"{name} {seats} {variant or ''}".strip()] = {"blind": blind, "seeing": seeing}
    return found


if __name__ == "__main__":
    print(json.dumps(main(*map(float, sys.argv[1:]))))
