"""The simulator beside the rules: `python tests/agree.py [ROUNDS] [SEED]`.

Every number of seats, both editions, all switches, both variants of two seats; half of the rounds
with absences, returns, bans, void choices and hands that nobody opens. Prints one JSON object.
"""

import json
import sys
import time
from itertools import product

from agreement import CALM, UNRULY, agree
from support.unruly_games import TABLES

from p2p_hoity.editions.load_edition import load
from p2p_hoity.rules import Edition
from p2p_hoity.rules.edition import SWITCH_VALUES

GAMES = 8


def editions(name: str) -> list[Edition]:
    """An edition with every setting of its switches."""
    edition = load(name)
    settings = product(*SWITCH_VALUES.values())
    named = (dict(zip(SWITCH_VALUES, one, strict=True)) for one in settings)
    return [edition.with_switches(**switches) for switches in named]  # type: ignore[arg-type]


def main(rounds: int = 100_000, seed: int = 1) -> dict[str, object]:
    """Compare at least so many rounds; AssertionError where a field differs."""
    began, played, decisions = time.perf_counter(), 0, 0
    cases = [
        (edition, seats, variant, unrest)
        for name, seats, variant in TABLES
        for edition in editions(name)
        for unrest in (CALM, UNRULY)
    ]
    for number, (edition, seats, variant, unrest) in enumerate(cases):
        quota = -(-rounds // len(cases))
        beside = agree(edition, seats, variant, quota, seed + number, unrest, GAMES)
        played, decisions = played + beside.rounds, decisions + beside.decisions
    seconds = round(time.perf_counter() - began, 1)
    return {"tables": len(cases), "rounds": played, "decisions": decisions, "seconds": seconds}


if __name__ == "__main__":
    print(json.dumps(main(*map(int, sys.argv[1:]))))
