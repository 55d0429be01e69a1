"""How much one player gains who trains against frozen copies.

    python -m hoity_training.attack FROZEN... --seed S --minutes M --out DIR

FROZEN is a file of weights, or a checkpoint, such as a likeness (`hoity_training.mimic`). Of
several each seat has its own in each game.

The attacker sits alone at each table, learns as the training does, and may begin as the copy that
it attacks (`--warm`) or as nothing, and with a `--critic` that knows the game. What it gains is its
share of victory above the fair one, in games after the training.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from p2p_hoity.bots.learned import read

from .contest import contest
from .export import policy_from
from .keeping import critic_of, learning, load, policy_of
from .policy import Policy
from .ppo import Course
from .seating import LEARNER, Among
from .tables import SHARES, Kind, kinds
from .train import UPDATES_PER_MINUTE, Company, Plan, Start, Training

Frozen = Sequence[Policy]
"""The copies that are attacked, each at any seat."""
COURSE = Course(batch=1024, pull=0.0)
"""Smaller batches than in self-play, as one seat of a table learns; nothing holds it back."""
TABLES = 4096
"""How many games go on at once: more than in self-play, as one seat of each learns."""
RATES = {True: (3e-4, 1e-4), False: (1e-3, 1e-4)}
"""By whether it begins as the copy it attacks: it is not to forget at once what that knows."""


def attacked_tables(seats: Iterable[int]) -> list[Kind]:
    """The kinds of tables with so many seats; their shares sum to 1."""
    return list(kinds({number: SHARES[number] for number in sorted(set(seats))}))


def attack(plan: Plan, frozen: Frozen, start: Start, seats: Sequence[int], out: Path) -> Training:
    """The training of an attacker, about to begin; its log and checkpoints go to `out`."""
    company = Company(
        tables=attacked_tables(seats),
        seating=Among(len(frozen)),
        rivals=numbered(frozen),
        start=start,
    )
    return Training(plan, out, company)


def begun(frozen: Frozen, warm: bool, critic: Path | None) -> Start:
    """What an attacker begins as: the last copy if it is `warm`, else nothing; it may have the
    critic of a checkpoint."""
    policy = learning(frozen[-1]) if warm else Policy()
    return Start(policy, critic_of(load(critic)) if critic else None)


def numbered(frozen: Frozen) -> dict[int, Policy]:
    """The copies as they sit at the tables."""
    return dict(enumerate(frozen, 1))


def frozen_of(path: Path) -> Policy:
    """The policy in a file of weights, or in a checkpoint."""
    if path.suffix == ".pt":
        return policy_of(load(path), "policy")
    return policy_from(read(path.read_bytes()))


def gains(
    attacker: Policy, frozen: Frozen, seats: Sequence[int], games: int, seed: int
) -> Iterable[dict[str, object]]:
    """By number of seats the attacker's share of victory above the fair one, in per cent, in so
    many games at all kinds of tables with so many seats."""
    rng, players = np.random.default_rng([seed, 1]), {LEARNER: attacker, **numbered(frozen)}
    for number in seats:
        found = []
        for kind in attacked_tables([number]):
            count = max(1, round(games * kind.share))
            found.append((kind.share, contest(kind, count, players, Among(len(frozen)), rng)))
        share = sum(part * won.share for part, won in found)
        yield {
            "seats": number,
            "games": sum(won.games for _, won in found),
            "gain": round(100 * (share - 1 / number), 2),
            "within": round(100 * sum((part * won.within) ** 2 for part, won in found) ** 0.5, 2),
        }


def _go_on(training: Training, parser: argparse.ArgumentParser) -> None:
    try:
        training.go_on()
    except FileNotFoundError as error:
        parser.error(f"there is nothing to go on with: {error.filename}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Train the attacker and say what it gains, one JSON line for each number of seats."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("frozen", type=Path, nargs="+")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--updates", type=int)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--warm", action="store_true")
    parser.add_argument("--critic", type=Path, help="the checkpoint whose critic it begins with")
    parser.add_argument("--resume", action="store_true", help="go on with what DIR has of it")
    parser.add_argument("--seats", type=int, nargs="+", default=[2, 3, 4, 5, 6])
    parser.add_argument("--games", type=int, default=10_000)
    given = parser.parse_args(arguments)
    given.out.mkdir(parents=True, exist_ok=True)
    frozen = tuple(map(frozen_of, given.frozen))
    updates = given.updates or max(1, round(given.minutes * UPDATES_PER_MINUTE))
    rate = RATES[given.warm]
    plan = Plan(given.seed, updates, games=TABLES, rate=rate, entropy=(0.01, 0.0), course=COURSE)
    start = begun(frozen, given.warm, given.critic)
    training = attack(plan, frozen, start, given.seats, given.out)
    if given.resume:
        _go_on(training, parser)
    training.run(time.monotonic() + 60 * given.minutes)
    for line in gains(training.learner.policy, frozen, given.seats, given.games, given.seed):
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
