"""One network that mixes as several do together:
`python -m hoity_training.distil CHECKPOINT... --updates N --seed S --out CHECKPOINT`.

Learning against itself goes in a circle; what comes near to an equilibrium is the average of all
that was played on the way (Heinrich and Silver 2016, "Deep Reinforcement Learning from Self-Play in
Imperfect-Information Games"). The average copies of the checkpoints play whole games, each seat by
one of them that is drawn for the game, and one policy learns, from what they see, how likely they
take each candidate. It begins as the last of them, whose critic is kept.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import torch

from .acting import decide
from .keeping import commit, critic_of, learning, load, policy_of, save
from .mimic import Seen, batches, together
from .policy import NEVER, Policy
from .ppo import Course, Learner
from .rollout import Hall
from .rows import Rows, asked
from .seating import Mixed
from .sim import Ints
from .tables import SHARES, kinds

GAMES, POINTS = 3072, 24
"""How many games go on at once, and by how many points they go on before each update."""
RATE = 1e-3

Policies = Mapping[int, Policy]
"""Those that are averaged, by their numbers."""


@torch.no_grad()
def watched(hall: Hall, policies: Policies, points: int) -> list[Seen]:
    """What was decided while all tables went on by so many points, and instead of what was chosen
    the number of the policy that chose; by number of seats."""
    groups: dict[int, list[Seen]] = {}
    for _ in range(points):
        for post in hall.posts:
            hall.absences.happen(post.table, hall.rng)
            point, rows = post.point, post.see()
            who = post.who[point.games, point.seats]
            (answer,) = decide(policies, [who], [rows], hall.rng)
            there = post.table.board.active[point.games, point.seats]
            kept = np.flatnonzero(there & (rows.count > 1))
            groups.setdefault(post.kind.seats, []).append(Seen(rows.take(kept), who[kept]))
            hall.go_on(post, point, answer)
    return [together(groups[seats]) for seats in sorted(groups)]


@torch.no_grad()
def mixtures(policies: Policies, rows: Sequence[Rows], who: Ints) -> torch.Tensor:
    """(R, width) the log chance of each candidate of these rows, by the policy that is asked."""
    width = max(int(part.count.max(initial=1)) for part in rows)
    made = torch.full((len(who), width), NEVER)
    parts = np.split(who, np.cumsum([len(part) for part in rows])[:-1])
    for number, policy in policies.items():
        theirs = [np.flatnonzero(part == number) for part in parts]
        logs = policy(asked([part.take(some) for part, some in zip(rows, theirs, strict=True)]))
        made[np.flatnonzero(who == number), : logs.shape[1]] = logs
    return made


def learn(
    policy: Policy,
    steps: torch.optim.Optimizer,
    seen: Sequence[Seen],
    policies: Policies,
    rng: np.random.Generator,
) -> float:
    """One update; how far (Kullback and Leibler) the policy was from each that it saw, in nats a
    decision."""
    losses = []
    for rows, who in batches(seen, rng):
        logs = mixtures(policies, rows, who.numpy())
        loss = (logs.exp() * (logs - policy(asked(rows)))).sum(1).mean()
        steps.zero_grad()
        loss.backward()
        steps.step()
        losses.append(loss.item())
    return float(np.mean(losses))


def distil(policy: Policy, policies: Policies, hall: Hall, updates: int) -> list[float]:
    """The policy learns to mix as all of them; what `learn` says, by update."""
    steps, found = torch.optim.Adam(policy.parameters(), RATE), []
    for update in range(updates):
        for group in steps.param_groups:
            group["lr"] = RATE * (1 - update / updates)
        distance = learn(policy, steps, watched(hall, policies, POINTS), policies, hall.rng)
        found.append(round(distance, 4))
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Average the checkpoints into one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoints", type=Path, nargs="+")
    parser.add_argument("--updates", type=int, default=60)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--games", type=int, default=GAMES)
    parser.add_argument("--shares", type=float, nargs=len(SHARES), default=list(SHARES.values()))
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args(arguments)
    torch.set_num_threads(1)
    torch.manual_seed(given.seed)
    states = [load(path) for path in given.checkpoints]
    policies = {number: policy_of(state, "average") for number, state in enumerate(states, 1)}
    tables = list(kinds(dict(zip(SHARES, given.shares, strict=True))))
    rng = np.random.default_rng(given.seed)
    hall = Hall.opened(tables, given.games, Mixed(len(policies)), rng)
    last = learning(policies[len(policies)])
    learner = Learner(last, critic_of(states[-1]), Course(), given.seed)
    distances = distil(learner.policy, policies, hall, given.updates)
    learner.average.load_state_dict(learner.policy.state_dict())
    save(learner, given.out, update=given.updates, seed=given.seed, commit=commit())
    print(json.dumps({"networks": len(policies), "distance": distances}))


if __name__ == "__main__":
    main()
