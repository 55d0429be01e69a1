"""A policy that plays like a bot of plain Python, so that it can sit at many tables at once:
`python -m hoity_training.mimic BOT --games N --seed S --out CHECKPOINT`.

The bot plays whole games against itself at all kinds of tables, and the policy learns what it
chose, by cross-entropy. It is a likeness, not the bot: what is said of the bot is measured by
`training.duel` on the bot itself.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random

import numpy as np
import torch

from p2p_hoity.bots import BOTS
from p2p_hoity.bots.learned import sight_of
from p2p_hoity.bots.learned.move_candidates import Pick, picks
from p2p_hoity.bots.learned.observation import Sight, other_blocks, own_block
from p2p_hoity.rules import Choice, Expected, View

from .critic import Critic
from .keeping import commit, save
from .policy import Policy
from .ppo import Course, Learner
from .referee import Referee
from .rows import Rows, asked, joined
from .sim import Ints
from .tables import Kind, kinds

BATCH = 1024


@dataclass(frozen=True)
class Seen:
    """Decisions at tables of equally many seats, and which candidate was chosen in each."""

    rows: Rows
    picked: Ints


def nearest(scene: Sight, pick: Pick, choice: Choice) -> int:
    """The number of the candidate that is this choice, or else is most like it: the piece of its
    letter, or the exhibit that shares most with it and has least besides."""
    choices = [candidate.choice for candidate in pick]
    if choice in choices:
        return choices.index(choice)
    if isinstance(choice, int):
        letters = [scene.view.piece(slot).letter for slot in choices if isinstance(slot, int)]
        return letters.index(scene.view.piece(choice).letter)
    shared = [len(set(choice) ^ set(one)) for one in choices if isinstance(one, tuple)]
    return shared.index(min(shared))


class Watcher:
    """Lets a bot choose, and remembers what it was asked and what it chose."""

    def __init__(self, bot: str) -> None:
        self.bot = BOTS[bot]
        self.rows: list[Rows] = []
        self.picked: list[int] = []

    def choose(self, view: View, due: Expected, rng: Random) -> Choice:
        """What the bot chooses."""
        choice = self.bot(view, due, rng)
        scene = sight_of(view, due)
        found = picks(scene)
        chosen = choice if scene.kind == "theft" and isinstance(choice, tuple) else (choice,)
        own, others = [own_block(scene)], [other_blocks(scene)]
        for pick, part in zip(found, chosen, strict=True):
            if len(pick) > 1:
                numbers = np.array([candidate.numbers for candidate in pick], np.float32)
                count = np.array([len(pick)])
                blocks = np.array(own, np.float32), np.array(others, np.float32)
                self.rows.append(Rows(*blocks, numbers, count))
                self.picked.append(nearest(scene, pick, part))
        return choice


def watched(bot: str, kind: Kind, seed: int) -> Seen:
    """One game of the bot against itself."""
    watcher = Watcher(bot)
    Referee(kind.edition, kind.seats, kind.variant, [watcher.choose] * kind.seats, seed).play()
    return Seen(joined(watcher.rows), np.array(watcher.picked))


def collected(bot: str, games: int, seed: int, processes: int) -> list[Seen]:
    """So many games, by the shares of the kinds of tables; by number of seats."""
    every = list(kinds())
    rng = np.random.default_rng(seed)
    drawn = rng.choice(len(every), games, p=[kind.share for kind in every])
    seeds = rng.integers(0, 2**31, games).tolist()
    tables = [every[at] for at in drawn]
    with ProcessPoolExecutor(processes) as pool:
        seen = list(pool.map(partial(watched, bot), tables, seeds, chunksize=4))
    groups: dict[int, list[Seen]] = {}
    for kind, one in zip(tables, seen, strict=True):
        groups.setdefault(kind.seats, []).append(one)
    return [together(groups[seats]) for seats in sorted(groups)]


def together(parts: Sequence[Seen]) -> Seen:
    """One part after the other."""
    picked = np.concatenate([part.picked for part in parts])
    return Seen(joined([part.rows for part in parts]), picked)


def learn(policy: Policy, seen: Sequence[Seen], epochs: int, seed: int) -> list[float]:
    """By epoch the mean cross-entropy, in nats a decision."""
    rng, found = np.random.default_rng(seed), []
    steps = torch.optim.Adam(policy.parameters(), 2e-3)
    for epoch in range(epochs):
        for group in steps.param_groups:
            group["lr"] = 2e-3 * (1 - epoch / epochs)
        losses = []
        for rows, picked in batches(seen, rng):
            loss = -policy(asked(rows)).gather(1, picked[:, None]).mean()
            steps.zero_grad()
            loss.backward()
            steps.step()
            losses.append(loss.item())
        found.append(round(float(np.mean(losses)), 4))
    return found


def batches(
    seen: Sequence[Seen], rng: np.random.Generator
) -> Iterator[tuple[list[Rows], torch.Tensor]]:
    """All of it in any order, about BATCH rows at a time, of each number of seats alike: the rows
    and what was picked."""
    count = max(1, sum(len(one.picked) for one in seen) // BATCH)
    parts = [np.array_split(rng.permutation(len(one.picked)), count) for one in seen]
    for number in range(count):
        some = [(one, part[number]) for one, part in zip(seen, parts, strict=True)]
        rows = [one.rows.take(at) for one, at in some if len(at)]
        picked = np.concatenate([one.picked[at] for one, at in some])
        yield rows, torch.from_numpy(picked)


def main(arguments: Sequence[str] | None = None) -> None:
    """Watch, learn, and save what was learned as a checkpoint."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bot", choices=sorted(BOTS))
    parser.add_argument("--games", type=int, default=1500)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args(arguments)
    torch.set_num_threads(1)
    torch.manual_seed(given.seed)
    seen = collected(given.bot, given.games, given.seed, given.processes)
    learner = Learner(Policy(), Critic(), Course(), given.seed)
    losses = learn(learner.policy, seen, given.epochs, given.seed)
    learner.average.load_state_dict(learner.policy.state_dict())
    save(learner, given.out, bot=given.bot, seed=given.seed, commit=commit())
    rows = sum(len(one.picked) for one in seen)
    print(json.dumps({"bot": given.bot, "rows": rows, "cross_entropy": losses}))


if __name__ == "__main__":
    main()
