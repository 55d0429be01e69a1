"""How often a bot wins against others: `python bench/bots_duel.py GAMES SEATS BOT OTHERS`.

Prints one JSON object. A shared victory counts for its share.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from support.rules_driver import Referee

from p2p_hoity.bots import BOTS
from p2p_hoity.editions import load
from p2p_hoity.rules import Edition


def share(edition: Edition, seats: int, seed: int, one: str, others: str) -> tuple[float, int]:
    """The one bot's share of the victory, and how many rounds the game took."""
    place = seed % seats
    choosers = [BOTS[one if seat == place else others] for seat in range(seats)]
    variant = "surprise" if seats == 2 else None
    final = Referee.seat(edition, seats, seed, variant, choosers).play()
    winners = [line.seat for line in final.standings if line.rank == 1]
    return (place in winners) / len(winners), final.round


def main(
    games: int = 1000, seats: int = 4, one: str = "normal", others: str = "random"
) -> dict[str, object]:
    """Play the games and sum up."""
    edition, began = load(), time.perf_counter()
    results = [share(edition, seats, seed, one, others) for seed in range(games)]
    return {
        "games": games,
        "seats": seats,
        "edition": edition.name,
        "bot": one,
        "others": others,
        "wins_percent": round(100 * sum(won for won, _ in results) / games, 1),
        "mean_rounds": round(sum(rounds for _, rounds in results) / games, 1),
        "seconds": round(time.perf_counter() - began, 1),
    }


if __name__ == "__main__":
    print(json.dumps(main(*map(int, sys.argv[1:3]), *sys.argv[3:5])))
