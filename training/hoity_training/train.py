"""The training: `python -m hoity_training.train --seed S --minutes M --out DIR`.

Self-play at all kinds of tables. Updates are counted, not timed: the same seed and the same number
of updates make the same weights. DIR gets `log.jsonl`, `checkpoint.pt` and numbered ones.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch

from p2p_hoity.bots.learned import read
from p2p_hoity.editions.load_edition import load as edition

from .contest import contest
from .critic import Critic
from .export import policy_from
from .harvest import Prices, harvest
from .keeping import LAST, Log, Pool, commit, critic_of, learning, load, policy_of, restore, save
from .policy import Policy
from .ppo import Course, Learner, Step
from .rollout import Hall, Players
from .seating import CHANCE, LEARNER, LIKENESS, Alone, Among, League, Seating
from .tables import SHARES, Kind, kinds

UPDATES_PER_MINUTE = 10
"""How many updates `--minutes` stands for: about what one core does."""


@dataclass(frozen=True)
class Plan:
    """A training in numbers; those in pairs go evenly from the first to the second."""

    seed: int
    updates: int
    games: int = 2048
    points: int = 24
    trace: float = 0.95
    rate: tuple[float, float] = (1e-3, 1e-4)
    entropy: tuple[float, float] = (0.03, 0.008)
    listen: int = 10
    """In so many updates at first only the critic learns: no game has ended yet."""
    copies: int = 2
    copied: float = 0.2
    """In what share of the games some seats are played by a copy."""
    likeness: float = 0.15
    """In what share of the games some seats are played by the likeness, if there is one."""
    keep_every: int = 20
    measure_every: int = 20
    save_every: int = 40
    course: Course = field(default_factory=Course)
    prices: Prices = field(default_factory=Prices)

    def step(self, update: int) -> Step:
        """The numbers of this update."""
        part = update / max(1, self.updates)
        rate, entropy = (a + (b - a) * part for a, b in (self.rate, self.entropy))
        return Step(rate, entropy, update < self.listen)


@dataclass(frozen=True)
class Start:
    """What a training goes on from: a policy, and the critic that judged it, if it is known."""

    policy: Policy
    critic: Critic | None = None


@dataclass(frozen=True, kw_only=True)
class Company:
    """At which `tables` it is learned, how their seats are given out, and by which copies they are
    taken: of the own pool, or of `rivals`; one copy that is `always` among those of the pool, or
    none; a `likeness` that plays along, or none; what it starts from, or nothing."""

    tables: Sequence[Kind] = field(default_factory=lambda: list(kinds()))
    seating: Seating | None = None
    rivals: Mapping[int, Policy] | None = None
    always: Policy | None = None
    likeness: Policy | None = None
    start: Start | None = None


class Training:
    """One training under way."""

    def __init__(self, plan: Plan, out: Path, company: Company) -> None:
        self.plan, self.out, self.company = plan, out, company
        torch.set_num_threads(1)
        torch.manual_seed(plan.seed)
        self.rng = np.random.default_rng(plan.seed)
        start = company.start or Start(Policy())
        critic = start.critic or Critic()
        self.learner = Learner(start.policy, critic, plan.course, plan.seed)
        self.pool = Pool()
        self.pool.add(self.learner.policy)
        liked = plan.likeness if company.likeness else 0.0
        seating = company.seating or League(plan.copies, plan.copied, liked)
        self.hall = Hall.opened(company.tables, plan.games, seating, self.rng)
        self.log = Log(out / "log.jsonl")
        self.commit, self.rows, self.first = commit(), 0, 0

    def go_on(self) -> None:
        """Take up what was broken off in this folder. All games begin anew, so it does not become
        what it would have become. FileNotFoundError if nothing was kept."""
        state = load(self.out / LAST)
        restore(self.learner, state)
        self.first, self.rows = state["about"]["update"], state["about"]["rows"]

    def rivals(self) -> Mapping[int, Policy]:
        """Who plays the seats that the learner does not play in the next update, by number."""
        if self.company.rivals is not None:
            return self.company.rivals
        copies, likeness = self.pool.some(self.plan.copies, self.rng), self.company.likeness
        if self.company.always is not None:
            copies[1] = self.company.always
        return copies if likeness is None else {**copies, LIKENESS: likeness}

    def run(self, stop: float) -> None:
        """All updates, or those until `stop` (by the clock that `time.monotonic` reads)."""
        self.log.write(plan=asdict(self.plan), commit=self.commit, first=self.first)
        update = self.first - 1
        for update in range(self.first, self.plan.updates):
            self._update(update)
            if update % self.plan.save_every == 0:
                self._save(update, f"checkpoint-{update:05}.pt")
                self._save(update + 1, LAST)  # who is killed goes on from here
            if time.monotonic() > stop:
                break
        self._save(update + 1, LAST)

    def _update(self, update: int) -> None:
        began = time.monotonic()
        players = Players(self.learner.policy, self.learner.critic, self.rivals())
        for _ in range(self.plan.points):
            self.hall.move(players)
        last = self.hall.expected(self.learner.critic)
        lessons = harvest(self.hall.posts, last, self.plan.trace, self.plan.prices)
        played = time.monotonic()
        figures = self.learner.learn(lessons, self.plan.step(update))
        if update % self.plan.keep_every == 0:
            self.pool.add(self.learner.policy)
        rows = sum(len(one.rows) for one in lessons)
        self.rows += rows
        ended = time.monotonic()
        self.log.write(
            update=update,
            rows=self.rows,
            play=round(played - began, 2),
            learn=round(ended - played, 2),
            per_second=round(rows / (ended - began)),
            **figures,
            **(self._measure() if update % self.plan.measure_every == 0 else {}),
        )

    def _measure(self) -> dict[str, float]:
        """Shares of victory at four seats of one learner against chance, against a copy half as
        old, against the rivals, against the likeness, and of one likeness against learners."""
        four, rng = Kind(edition(), 4, None, 1.0), np.random.default_rng(self.plan.seed)
        own, likeness = self.learner.policy, self.company.likeness
        older, rivals = self.pool.kept[len(self.pool.kept) // 2], self.company.rivals or {}
        tables: dict[str, tuple[dict[int, Policy], Seating]] = {
            "against_chance": ({LEARNER: own}, Alone(CHANCE)),
            "against_older": ({LEARNER: own, 1: older}, Alone(1)),
        }
        if rivals:
            tables["against_rivals"] = {LEARNER: own, **rivals}, Among(len(rivals))
        if likeness is not None:
            tables["against_likeness"] = {LEARNER: own, LIKENESS: likeness}, Alone(LIKENESS)
            tables["of_likeness"] = {LEARNER: likeness, 1: own}, Alone(1)
        return {
            name: round(contest(four, 256, players, seating, rng).share, 3)
            for name, (players, seating) in tables.items()
        }

    def _save(self, update: int, name: str) -> None:
        about = {"update": update, "rows": self.rows, "seed": self.plan.seed}
        save(self.learner, self.out / name, commit=self.commit, **about)


def started(state: Mapping[str, Any]) -> Start:
    """To go on from a checkpoint: its average copy, which learns on, and its critic."""
    return Start(learning(policy_of(state, "average")), critic_of(state))


def start_of(path: Path) -> Start:
    """To go on from a file: a checkpoint, or the weights that ship, which have no critic."""
    if path.suffix == ".pt":
        return started(load(path))
    return Start(learning(policy_from(read(path.read_bytes()))))


def add_course(parser: argparse.ArgumentParser) -> None:
    """How it is learned, where that is not as a `Plan` has it."""
    plan = Plan(0, 0)
    parser.add_argument("--games", type=int, default=plan.games)
    parser.add_argument("--epochs", type=int, default=plan.course.epochs)
    parser.add_argument("--pull", type=float, default=plan.course.pull)
    parser.add_argument("--average", type=float, default=plan.course.average)
    parser.add_argument("--entropy", type=float, nargs=2, default=plan.entropy)
    parser.add_argument("--rate", type=float, nargs=2, default=plan.rate)
    parser.add_argument("--listen", type=int, default=plan.listen)
    parser.add_argument("--copied", type=float, default=plan.copied)
    parser.add_argument("--liked", type=float, default=plan.likeness)
    price = "what every seat pays for a round {}, as a share of victory"
    parser.add_argument(
        "--idle-price", type=float, default=0.0, help=price.format("in which nothing happens")
    )
    parser.add_argument("--round-price", type=float, default=0.0, help=price.format("at all"))


def plan_of(given: argparse.Namespace, updates: int) -> Plan:
    """The plan that the command line says."""
    return Plan(
        given.seed,
        updates,
        games=given.games,
        rate=tuple(given.rate),
        entropy=tuple(given.entropy),
        listen=given.listen,
        copied=given.copied,
        likeness=given.liked,
        course=Course(epochs=given.epochs, pull=given.pull, average=given.average),
        prices=Prices(given.round_price, given.idle_price),
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Train as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--minutes", type=float, required=True, help="stop after these at most")
    parser.add_argument("--updates", type=int, help="how many the plan has; else by the minutes")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--likeness", type=Path, help="a checkpoint of hoity_training.mimic")
    parser.add_argument("--start", type=Path, help="a checkpoint or weights to go on from")
    parser.add_argument("--always", type=Path, help="weights of a copy that always plays along")
    seats = ", ".join(map(str, SHARES))
    parser.add_argument(
        "--shares", type=float, nargs=len(SHARES), help=f"games with {seats} seats, in proportion"
    )
    add_course(parser)
    given = parser.parse_args(arguments)
    given.out.mkdir(parents=True, exist_ok=True)
    updates = given.updates or max(1, round(given.minutes * UPDATES_PER_MINUTE))
    stop = time.monotonic() + 60 * given.minutes
    likeness = policy_of(load(given.likeness), "policy") if given.likeness else None
    start = start_of(given.start) if given.start else None
    tables = list(kinds(dict(zip(SHARES, given.shares or SHARES.values(), strict=True))))
    always = policy_from(read(given.always.read_bytes())) if given.always else None
    company = Company(tables=tables, always=always, likeness=likeness, start=start)
    Training(plan_of(given, updates), given.out, company).run(stop)


if __name__ == "__main__":
    main()
