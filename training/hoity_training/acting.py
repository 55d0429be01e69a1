"""Choosing: which candidate each row takes, by the policy of whoever plays it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .policy import Policy
from .rows import Numbers, Rows, asked
from .sim import Ints


@dataclass(frozen=True)
class Answer:
    """What is chosen at one point: by row the number of the candidate and its log chance."""

    picked: Ints
    chance: Numbers


def decide(
    policies: Mapping[int, Policy],
    who: Sequence[Ints],
    seen: Sequence[Rows],
    rng: np.random.Generator,
) -> list[Answer]:
    """An answer for each part of the rows; `who` are the players of its rows. Of players with no
    policy all candidates are equally likely."""
    answers = [_by_chance(rows, rng) for rows in seen]
    for number, policy in policies.items():
        theirs = [np.flatnonzero(one == number) for one in who]
        _answer(policy, seen, theirs, answers, rng)
    return answers


def _answer(
    policy: Policy,
    seen: Sequence[Rows],
    theirs: Sequence[Ints],
    answers: Sequence[Answer],
    rng: np.random.Generator,
) -> None:
    """The rows of each part that are `theirs` are answered by this policy."""
    some = [at for at, rows in enumerate(theirs) if len(rows)]
    if not some:
        return
    parts = [seen[at].take(theirs[at]) for at in some]
    logs: Numbers = policy(asked(parts)).numpy()
    picked = drawn(logs, np.concatenate([part.count for part in parts]), rng)
    chance = logs[np.arange(len(logs)), picked]
    ends = np.cumsum([len(part) for part in parts])[:-1]
    answered = zip(some, np.split(picked, ends), np.split(chance, ends), strict=True)
    for at, mine, likely in answered:
        answers[at].picked[theirs[at]] = mine
        answers[at].chance[theirs[at]] = likely


def drawn(logs: Numbers, count: Ints, rng: np.random.Generator) -> Ints:
    """By row (R, width) of log chances the number of one candidate, drawn."""
    below = np.exp(logs).cumsum(axis=1) < rng.random((len(logs), 1))
    found: Ints = np.minimum(below.sum(axis=1), count - 1)
    return found


def _by_chance(rows: Rows, rng: np.random.Generator) -> Answer:
    picked = (rng.random(len(rows)) * rows.count).astype(np.int64)
    return Answer(picked, -np.log(rows.count).astype(np.float32))
