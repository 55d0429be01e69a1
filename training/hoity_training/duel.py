"""How often one bot wins against others, by the real rules.

    python -m hoity_training.duel WEIGHTS

`hard` is the bot of these weights as the game runs it, in plain Python. Each line is one pairing at
one number of seats: the share of victory of the one seat, with half its 95 % interval. Editions and
the variants of two seats take turns. `--dask SCHEDULER` has the games played by the workers of a
cluster, which have this checkout; what is told is the same.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

from p2p_hoity.dask_cluster import in_order
from p2p_hoity.worker_processes import ProcessEnded

from .contest import Won, summed
from .pairing import Duel

PAIRINGS = (("hard", "normal"), ("normal", "hard"), ("hard", "random"))


def fought(duel: Duel, seeds: range, processes: int, scheduler: str | None = None) -> Won:
    """Return the one seat's share in the games of these numbers.

    Raises:
        ProcessEnded: If a process that played a game was ended.
    """
    if scheduler:
        return summed(np.array(list(_by_cluster(duel, seeds, scheduler))))
    with ProcessPoolExecutor(processes) as pool:
        return summed(np.array(list(pool.map(duel.share, seeds, chunksize=8))))


def _by_cluster(duel: Duel, seeds: range, scheduler: str) -> Iterator[float]:
    for found in in_order(scheduler, duel.share, seeds):
        if isinstance(found, ProcessEnded):
            raise found
        yield found


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("weights", type=Path)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--seats", type=int, nargs="+", default=[2, 3, 4, 5, 6])
    parser.add_argument("--pairing", nargs=2, action="append", metavar=("ONE", "OTHERS"))
    parser.add_argument("--first", type=int, default=0, help="the first game's number")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--dask", metavar="SCHEDULER", help="tcp://HOST:PORT of a Dask cluster")
    return parser


def main(arguments: Sequence[str] | None = None) -> None:
    """Fight what the command line says, one JSON line for each pairing and number of seats."""
    given = _parser().parse_args(arguments)
    seeds, weights = range(given.first, given.first + given.games), given.weights.read_bytes()
    for seats in given.seats:
        for one, others in given.pairing or PAIRINGS:
            duel = Duel(one, others, seats, weights)
            won = fought(duel, seeds, given.processes, given.dask)
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
