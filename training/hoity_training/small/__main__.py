"""The method in small: `python -m hoity_training.small --seed S`.

A line of JSON now and then: NashConv, what both seats could gain in sum by best answers to the
policy and to its average copy, in parts of the payoff range; and at last what they could gain if
always the likeliest choice of the average copy were made.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

import numpy as np

from ..policy import Policy
from .forest import forest
from .game import RANGE, SmallGame, exploitable, greedy, likeliest, uniform
from .learning import Plan, Training
from .selfplay import mixtures


def main(arguments: Sequence[str] | None = None) -> None:
    """Learn and measure as the command line says."""
    parser = argparse.ArgumentParser(prog="python -m hoity_training.small", description=__doc__)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--updates", type=int, default=Plan.updates)
    parser.add_argument("--every", type=int, default=100, help="measure after so many updates")
    given = parser.parse_args(arguments)
    plan, game = Plan(given.seed, given.updates), SmallGame()
    training = Training(plan, forest())
    _tell(nodes=len(forest().seats), informations=len(forest().rows), seed=given.seed)
    _tell(uniform=_part(game, uniform()), greedy=_part(game, greedy(game)))
    for number in range(plan.updates):
        training.update(number)
        if (number + 1) % given.every == 0 or number + 1 == plan.updates:
            policy, average = training.learner.policy, training.learner.average
            _tell(update=number + 1, policy=_of(game, policy), average=_of(game, average))
    always = likeliest(np.exp(mixtures(forest(), training.learner.average)))
    _tell(likeliest_of_average=_part(game, always))


def _of(game: SmallGame, policy: Policy) -> float:
    return _part(game, np.exp(mixtures(forest(), policy)))


def _part(game: SmallGame, chances: object) -> float:
    return round(exploitable(game, np.asarray(chances)) / RANGE, 4)


def _tell(**figures: object) -> None:
    print(json.dumps(figures), flush=True)


if __name__ == "__main__":
    main()
