"""Learning from lessons: clipped policy gradients with entropy and a pull towards an average copy.

A row's loss is that of PPO, less `entropy` times the entropy of its mixture, plus `pull` times how
far (Kullback and Leibler) the mixture is from that of the average copy.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import nn

from .critic import Critic
from .harvest import Lessons
from .policy import Policy
from .rows import Asked, Numbers, asked
from .sim import Ints


@dataclass(frozen=True)
class Course:
    """How it is learned: the numbers that do not change."""

    epochs: int = 3
    batch: int = 4096
    clip: float = 0.2
    pull: float = 0.1
    average: float = 0.1
    """What part of the way the average copy goes to the learner after each update."""
    critic_rate: float = 1e-3
    critic_batch: int = 2048
    norm: float = 1.0
    least: float = 1e-5
    """Adam's epsilon: how large gradients must be to be followed at full rate."""


@dataclass(frozen=True)
class Step:
    """The numbers that change from update to update; where `listens`, only the critic learns."""

    rate: float
    entropy: float
    listens: bool = False


@dataclass
class Figures:
    """Sums of what is measured while learning; `means` of them."""

    sums: dict[str, float] = field(default_factory=dict)
    counts: dict[str, float] = field(default_factory=dict)

    def add(self, weight: float, **values: float) -> None:
        """These values, each the mean of so many."""
        for name, value in values.items():
            self.sums[name] = self.sums.get(name, 0.0) + weight * value
            self.counts[name] = self.counts.get(name, 0.0) + weight

    def means(self) -> dict[str, float]:
        """Each of them, to five digits."""
        return {name: round(total / self.counts[name], 5) for name, total in self.sums.items()}


@dataclass(frozen=True)
class Batch:
    """Some rows as tensors; `average` (R, width) is the log mixture of the average copy."""

    asked: Asked
    picked: torch.Tensor
    chance: torch.Tensor
    advantage: torch.Tensor


class Learner:
    """A policy that learns, its critic and its slow-moving average copy."""

    def __init__(self, policy: Policy, critic: Critic, course: Course, seed: int) -> None:
        self.policy, self.critic, self.course = policy, critic, course
        self.average = copy.deepcopy(policy).requires_grad_(False)
        self.rng = np.random.default_rng(seed)
        self.steps = torch.optim.Adam(policy.parameters(), eps=course.least)
        rate, least = course.critic_rate, course.least
        self.critic_steps = torch.optim.Adam(critic.parameters(), rate, eps=least)

    def learn(self, lessons: Sequence[Lessons], step: Step) -> dict[str, float]:
        """One update from these lessons; what was measured, by name."""
        figures = Figures()
        for group in self.steps.param_groups:
            group["lr"] = step.rate
        fair = [evened(one.advantage) for one in lessons]
        for _ in range(0 if step.listens else self.course.epochs):
            for batch in self._batches(lessons, fair):
                self._improve(batch, step, figures)
        self._learn_to_judge(lessons, figures)
        self._follow()
        spread = float(np.concatenate([one.advantage for one in lessons]).std())
        figures.add(1, explained=explained(lessons), advantage=spread)
        return figures.means()

    # The policy.

    def _batches(self, lessons: Sequence[Lessons], fair: Sequence[Numbers]) -> Iterator[Batch]:
        total = sum(len(one.rows) for one in lessons)
        count = max(1, round(total / self.course.batch))
        parts = [np.array_split(self.rng.permutation(len(one.rows)), count) for one in lessons]
        for number in range(count):
            yield _batch(lessons, [part[number] for part in parts], fair)

    def _improve(self, batch: Batch, step: Step, figures: Figures) -> None:
        logs = self.policy(batch.asked)
        chances = logs.exp()
        entropy = -(chances * logs).sum(1).mean()
        distance = self._distance(batch.asked, chances, logs)
        now = logs.gather(1, batch.picked[:, None]).squeeze(1)
        ratio = (now - batch.chance).exp()
        clipped = ratio.clamp(1 - self.course.clip, 1 + self.course.clip)
        gained = torch.minimum(ratio * batch.advantage, clipped * batch.advantage).mean()
        loss = -gained - step.entropy * entropy + self.course.pull * distance
        _descend(self.steps, self.policy, loss, self.course.norm)
        figures.add(
            len(batch.picked),
            entropy=entropy.item(),
            distance=distance.item(),
            moved=(batch.chance - now).mean().item(),
            clipped=(ratio != clipped).float().mean().item(),
        )

    def _distance(self, seen: Asked, chances: torch.Tensor, logs: torch.Tensor) -> torch.Tensor:
        """How far the mixtures are from those of the average copy; 0 where nothing pulls."""
        if not self.course.pull:
            return torch.zeros(())
        with torch.no_grad():
            average = self.average(seen)
        distance: torch.Tensor = (chances * (logs - average)).sum(1).mean()
        return distance

    @torch.no_grad()
    def _follow(self) -> None:
        """The average copy goes a part of the way to the policy."""
        both = zip(self.average.parameters(), self.policy.parameters(), strict=True)
        for slow, fast in both:
            slow.lerp_(fast, self.course.average)

    # The critic.

    def _learn_to_judge(self, lessons: Sequence[Lessons], figures: Figures) -> None:
        count = max(1, round(sum(len(one.target) for one in lessons) / self.course.critic_batch))
        parts = [np.array_split(self.rng.permutation(len(one.target)), count) for one in lessons]
        for number in range(count):
            some = [(one, part[number]) for one, part in zip(lessons, parts, strict=True)]
            losses = [self._misjudged(one, games) for one, games in some if len(games)]
            loss = torch.cat(losses).mean()
            _descend(self.critic_steps, self.critic, loss, self.course.norm)
            figures.add(1, misjudged=loss.item())

    def _misjudged(self, lessons: Lessons, games: Ints) -> torch.Tensor:
        target = torch.from_numpy(lessons.target[games])
        seats = torch.from_numpy(lessons.by_seat[games])
        logs: torch.Tensor = self.critic(seats, torch.from_numpy(lessons.by_table[games]))
        return -(target * logs).sum(1)


def _descend(steps: torch.optim.Optimizer, net: nn.Module, loss: torch.Tensor, norm: float) -> None:
    steps.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    nn.utils.clip_grad_norm_(net.parameters(), norm)
    steps.step()


def _batch(lessons: Sequence[Lessons], rows: Sequence[Ints], fair: Sequence[Numbers]) -> Batch:
    some = [(one, part) for one, part in zip(lessons, rows, strict=True) if len(part)]
    return Batch(
        asked([one.rows.take(part) for one, part in some]),
        torch.from_numpy(np.concatenate([one.picked[part] for one, part in some])),
        torch.from_numpy(np.concatenate([one.chance[part] for one, part in some])),
        torch.from_numpy(np.concatenate([a[part] for a, part in zip(fair, rows, strict=True)])),
    )


def evened(advantage: Numbers) -> Numbers:
    """Mean 0 and spread 1. Each number of seats by itself: shares of victory differ the less the
    more they are divided, and the pull is to hold all tables alike."""
    even: Numbers = (advantage - advantage.mean()) / (advantage.std() + 1e-6)
    return even.astype(np.float32)


def explained(lessons: Sequence[Lessons]) -> float:
    """What part of the variance of the shares to expect the critic had foreseen."""
    left = np.concatenate([(one.target - one.expected).ravel() for one in lessons])
    whole = np.concatenate([(one.target - 1 / one.target.shape[1]).ravel() for one in lessons])
    return float(1 - left.var() / max(whole.var(), 1e-9))
