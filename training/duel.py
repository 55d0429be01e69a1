"""How often one bot wins against others, by the real rules: `python -m training.duel WEIGHTS`.

`hard` is the bot of these weights as the game runs it, in plain Python. Each line is one pairing at
one number of seats: the share of victory of the one seat, with half its 95 % interval. Editions and
the variants of two seats take turns.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from p2p_hoity.bots import BOTS, Bot
from p2p_hoity.bots.learned import Learned, read
from p2p_hoity.editions import NAMES, load
from p2p_hoity.rules import Variant

from .contest import Won, summed
from .referee import Referee

PAIRINGS = (("hard", "normal"), ("normal", "hard"), ("hard", "random"))
VARIANTS: tuple[Variant, ...] = ("surprise", "confrontation")


@dataclass(frozen=True)
class Duel:
    """One seat of this bot against all others of that bot."""

    one: str
    others: str
    seats: int
    weights: Path

    def share(self, seed: int) -> float:
        """What share of victory the one seat has in the game of this number."""
        place = seed % self.seats
        bots = [self._bot(self.one if seat == place else self.others) for seat in range(self.seats)]
        turn = seed // self.seats
        variant = VARIANTS[turn // 2 % 2] if self.seats == 2 else None
        edition = load(NAMES[turn % 2])
        final = Referee(edition, self.seats, variant, bots, seed).play()
        winners = [line.seat for line in final.standings if line.rank == 1]
        return (place in winners) / len(winners)

    def _bot(self, name: str) -> Bot:
        return _hard(self.weights).choose if name == "hard" else BOTS[name]


@cache
def _hard(weights: Path) -> Learned:
    return Learned(read(weights.read_bytes()))


def fought(duel: Duel, seeds: Iterable[int], processes: int) -> Won:
    """The one seat's share in the games of these numbers."""
    with ProcessPoolExecutor(processes) as pool:
        return summed(np.array(list(pool.map(duel.share, seeds, chunksize=8))))


def main(arguments: Sequence[str] | None = None) -> None:
    """Fight what the command line says, one JSON line for each pairing and number of seats."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("weights", type=Path)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--seats", type=int, nargs="+", default=[2, 3, 4, 5, 6])
    parser.add_argument("--pairing", nargs=2, action="append", metavar=("ONE", "OTHERS"))
    parser.add_argument("--first", type=int, default=0, help="the first game's number")
    parser.add_argument("--processes", type=int, default=1)
    given = parser.parse_args(arguments)
    seeds = range(given.first, given.first + given.games)
    for seats in given.seats:
        for one, others in given.pairing or PAIRINGS:
            won = fought(Duel(one, others, seats, given.weights), seeds, given.processes)
            print(json.dumps(_line(one, others, seats, won)), flush=True)


def _line(one: str, others: str, seats: int, won: Won) -> dict[str, object]:
    return {
        "one": one,
        "others": others,
        "seats": seats,
        "games": won.games,
        "percent": round(100 * won.share, 1),
        "within": round(100 * won.within, 1),
        "fair": round(100 / seats, 1),
    }


if __name__ == "__main__":
    main()
