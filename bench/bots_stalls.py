"""Rounds in which nothing happens: `python bench/bots_stalls.py [GAMES] [SEATS] [BOT] [--first N]`.

Nothing happens in a round if no figure moves and nothing is sold, stolen or imprisoned. All seats
are played by the same bot. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parent.parent))
sys.path.insert(1, str(Path(__file__).parent.parent / "tests"))

from given_numbers import whole
from support.one_round import idle_runs
from support.rules_driver import Referee

from p2p_hoity.bots import BOTS
from p2p_hoity.editions.load_edition import load
from p2p_hoity.rules import Edition

ROW = 3
"""A game is counted as stalled if nothing happens in so many rounds in a row."""


def runs_of(edition: Edition, seats: int, bot: str, seed: int) -> list[int]:
    """For each round of a game, how many idle rounds in a row end with it."""
    variant = "surprise" if seats == 2 else None
    referee = Referee.seat(edition, seats, seed, variant, [BOTS[bot]] * seats)  # type: ignore[arg-type]
    referee.play()
    return idle_runs(referee)


def measured(given: argparse.Namespace) -> dict[str, object]:
    """Play the games and sum up."""
    edition, began = load(), time.process_time()
    seeds = range(given.first, given.first + given.games)
    games = [runs_of(edition, given.seats, given.bot, seed) for seed in seeds]
    rounds = sum(map(len, games))
    return {
        "games": given.games,
        "seats": given.seats,
        "edition": edition.name,
        "bot": given.bot,
        "median_rounds": median(map(len, games)),
        "idle_percent": round(100 * sum(run > 0 for runs in games for run in runs) / rounds, 2),
        "stalled_percent": round(100 * sum(max(r) >= ROW for r in games) / given.games, 2),
        "longest": max(map(max, games)),
        "seconds": round(time.process_time() - began, 1),
        "clock": "processor",
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Reads the command line, prints what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", type=whole(1, 10**9), nargs="?", default=1000)
    parser.add_argument("seats", type=whole(2, 6), nargs="?", default=3)
    parser.add_argument("bot", choices=BOTS, nargs="?", default="hard", metavar="BOT")
    parser.add_argument("--first", type=whole(0, 10**9), default=0, help="the first game's seed")
    print(json.dumps(measured(parser.parse_args(arguments))))


if __name__ == "__main__":
    main()
