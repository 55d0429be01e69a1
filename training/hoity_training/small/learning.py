"""Learning the cut-down: the learner of the training; its policy and its critic are tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
import torch

from ..critic import Critic
from ..policy import Policy
from ..ppo import Course, Learner, Step
from .forest import Forest
from .logits import Judgement, Logits
from .selfplay import Games

COURSE = Course(batch=10240, pull=1.0, average=0.1, critic_rate=0.05, least=1e-9)
"""The pull is strong and the average copy quick; gradients of single choices are small."""


@dataclass(frozen=True)
class Plan:
    """A training of the cut-down in numbers; those in pairs go from the first to the second, each
    update by the same factor."""

    seed: int
    updates: int = 500
    games: int = 10240
    trace: float = 0.95
    rate: tuple[float, float] = (5e-2, 5e-3)
    entropy: tuple[float, float] = (0.1, 0.003)
    course: Course = COURSE

    def step(self, update: int) -> Step:
        """The numbers of this update."""
        part = update / max(1, self.updates - 1)
        rate, entropy = (a * (b / a) ** part for a, b in (self.rate, self.entropy))
        return Step(rate, entropy)


class Training:
    """One training under way."""

    def __init__(self, plan: Plan, trees: Forest) -> None:
        torch.set_num_threads(1)
        torch.manual_seed(plan.seed)
        self.plan, self.games = plan, Games(trees)
        self.rng = np.random.default_rng(plan.seed)
        # The learner asks of both no more than that they answer as a policy and a critic do.
        policy = cast(Policy, Logits(len(trees.rows), trees.width))
        critic = cast(Critic, Judgement(len(trees.seats)))
        self.learner = Learner(policy, critic, plan.course, plan.seed)

    def update(self, number: int) -> dict[str, float]:
        """Games, and what is learned from them; what was measured."""
        learner = self.learner
        lessons = self.games.lessons(
            learner.policy, learner.critic, self.plan.games, self.plan.trace, self.rng
        )
        return learner.learn(lessons, self.plan.step(number))
