"""How often a bot wins against others: `python bench/bots_duel.py GAMES SEATS BOT OTHERS`.

Prints one JSON object. A shared victory counts for its share. The bots are the levels, `random`,
and `one-round`, which always does what brings most in the present round. `--dask SCHEDULER` has the
games played by the workers of a cluster, which have this checkout; what is told is the same, but
for the clock: the seconds are processor time where one process plays, and wall time where a cluster
does.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Literal

sys.path.insert(0, str(Path(__file__).parent.parent))
sys.path.insert(1, str(Path(__file__).parent.parent / "tests"))

from given_numbers import whole
from support.one_round import one_round_choice
from support.rules_driver import Referee

from cli.words.error_sentences import sentence
from p2p_hoity.bots import BOTS
from p2p_hoity.coded_errors import CodedError
from p2p_hoity.dask_cluster import in_order
from p2p_hoity.editions.load_edition import load
from p2p_hoity.rules import Edition
from p2p_hoity.worker_processes import ProcessEnded

PLAYERS = {**BOTS, "one-round": one_round_choice}


def share(edition: Edition, seats: int, one: str, others: str, seed: int) -> tuple[float, int]:
    """The one bot's share of the victory, and how many rounds the game took."""
    place = seed % seats
    choosers = [PLAYERS[one if seat == place else others] for seat in range(seats)]
    variant: Literal["surprise"] | None = "surprise" if seats == 2 else None
    final = Referee.seat(edition, seats, seed, variant, choosers).play()
    return final.shares[place], final.round


def played(
    edition: Edition, seats: int, games: int, one: str, others: str, scheduler: str | None
) -> list[tuple[float, int]]:
    """`share` of each game, in their order; ProcessEnded if one ends whoever plays it."""
    work, seeds = partial(share, edition, seats, one, others), range(games)
    if scheduler is None:
        return [work(seed) for seed in seeds]
    found = list[tuple[float, int]]()
    for one_game in in_order(scheduler, work, seeds):
        if isinstance(one_game, ProcessEnded):
            raise one_game
        found.append(one_game)
    return found


def measured(given: argparse.Namespace) -> dict[str, object]:
    """Play the games and sum up."""
    edition = load()
    clock = time.perf_counter if given.dask else time.process_time
    began = clock()
    results = played(edition, given.seats, given.games, given.one, given.others, given.dask)
    return {
        "games": given.games,
        "seats": given.seats,
        "edition": edition.name,
        "bot": given.one,
        "others": given.others,
        "wins_percent": round(100 * sum(won for won, _ in results) / given.games, 1),
        "mean_rounds": round(sum(rounds for _, rounds in results) / given.games, 1),
        "seconds": round(clock() - began, 1),
        "clock": "wall" if given.dask else "processor",
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Reads the command line, prints what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", type=whole(1, 10**9), nargs="?", default=1000)
    parser.add_argument("seats", type=whole(2, 6), nargs="?", default=4)
    parser.add_argument("one", choices=PLAYERS, nargs="?", default="normal", metavar="BOT")
    parser.add_argument("others", choices=PLAYERS, nargs="?", default="random", metavar="OTHERS")
    parser.add_argument("--dask", metavar="SCHEDULER", help="tcp://HOST:PORT of a Dask cluster")
    given = parser.parse_args(arguments)
    try:
        print(json.dumps(measured(given)))
    except CodedError as error:
        parser.exit(error.code.exit_code, f"{parser.prog}: {sentence(error.reason)}\n")
    except ProcessEnded:
        parser.exit(1, f"{parser.prog}: a game ended the process that played it\n")


if __name__ == "__main__":
    main()
