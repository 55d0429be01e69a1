"""What is kept of a training: checkpoints, older copies of the policy, and the log of figures."""

from __future__ import annotations

import copy
import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch

from .critic import Critic
from .policy import Policy
from .ppo import Learner

ROOT = Path(__file__).resolve().parent.parent
LAST = "checkpoint.pt"
"""The file of a training as it ended, or was broken off."""


@dataclass
class Pool:
    """Older copies of a policy, the oldest first; when there are too many, every second goes."""

    most: int = 16
    kept: list[Policy] = field(default_factory=list)

    def add(self, policy: Policy) -> None:
        """One more copy, as the policy is now."""
        self.kept.append(copy.deepcopy(policy).requires_grad_(False))
        if len(self.kept) > self.most:
            self.kept = self.kept[::2]

    def some(self, count: int, rng: np.random.Generator) -> dict[int, Policy]:
        """So many of them at random, numbered from 1."""
        drawn = rng.integers(0, len(self.kept), count)
        return {number: self.kept[at] for number, at in enumerate(drawn, 1)}


def save(learner: Learner, path: Path, **about: object) -> None:
    """A checkpoint: the three networks, the optimisers' state, and what it says `about` itself."""
    state = {
        "policy": learner.policy.state_dict(),
        "average": learner.average.state_dict(),
        "critic": learner.critic.state_dict(),
        "steps": learner.steps.state_dict(),
        "critic_steps": learner.critic_steps.state_dict(),
        "about": about,
    }
    partly = path.with_suffix(".part")
    torch.save(state, partly)
    partly.replace(path)


def load(path: Path) -> Mapping[str, Any]:
    """A checkpoint as it was saved."""
    state: Mapping[str, Any] = torch.load(path, weights_only=True)
    return state


def restore(learner: Learner, state: Mapping[str, Any]) -> None:
    """The learner becomes what was saved."""
    learner.policy.load_state_dict(state["policy"])
    learner.average.load_state_dict(state["average"])
    learner.critic.load_state_dict(state["critic"])
    learner.steps.load_state_dict(state["steps"])
    learner.critic_steps.load_state_dict(state["critic_steps"])


def policy_of(state: Mapping[str, Any], part: str) -> Policy:
    """The policy of a checkpoint: `policy` or its `average`."""
    made = Policy()
    made.load_state_dict(state[part])
    return made.requires_grad_(False)


def critic_of(state: Mapping[str, Any]) -> Critic:
    """The critic of a checkpoint, to learn on."""
    made = Critic()
    made.load_state_dict(state["critic"])
    return made


def learning(policy: Policy) -> Policy:
    """The same weights in a policy that learns."""
    return copy.deepcopy(policy).requires_grad_(True)


def commit() -> str:
    """The commit that is checked out, 40 hexadecimal digits."""
    found = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return found.stdout.strip()


@dataclass(frozen=True)
class Log:
    """Figures by update, one JSON object a line."""

    path: Path

    def write(self, **figures: object) -> None:
        """One line more."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(figures) + "\n")
