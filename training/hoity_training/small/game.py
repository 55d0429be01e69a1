"""The cut-down as a game of OpenSpiel, for its exact measures."""

from __future__ import annotations

from typing import Final

import numpy as np
import pyspiel
from open_spiel.python.algorithms.best_response import BestResponsePolicy
from open_spiel.python.algorithms.exploitability import nash_conv
from open_spiel.python.policy import Policy as Strategy

from ..rows import Numbers
from .deals import SEATS
from .forest import NOBODY, forest

RANGE: Final = 1.0
"""Between the least and the largest payoff of a seat: the share of victory, less a half."""
LONGEST: Final = 32
"""More choices than any game has, the deal included."""

TYPE: Final = pyspiel.GameType(
    short_name="hoity_small",
    long_name="Hoity Toity, cut down for two seats",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=SEATS,
    min_num_players=SEATS,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=False,
    provides_observation_tensor=False,
)


class SmallGame(pyspiel.Game):
    """The game; its states are nodes of the forest."""

    def __init__(self) -> None:
        trees = forest()
        info = pyspiel.GameInfo(
            num_distinct_actions=trees.below.shape[1],
            max_chance_outcomes=len(trees.roots),
            num_players=SEATS,
            min_utility=-RANGE / 2,
            max_utility=RANGE / 2,
            utility_sum=0.0,
            max_game_length=LONGEST,
        )
        super().__init__(TYPE, info, {})

    def new_initial_state(self) -> SmallState:
        """Before the deal."""
        return SmallState(self)


class SmallState(pyspiel.State):
    """A node, or None before the deal. The names of what it can do are OpenSpiel's."""

    def __init__(self, game: SmallGame) -> None:
        super().__init__(game)
        self.at: int | None = None

    def current_player(self) -> int:
        """The seat that chooses, or who else is due."""
        if self.at is None:
            return int(pyspiel.PlayerId.CHANCE)
        seat = int(forest().seats[self.at])
        return int(pyspiel.PlayerId.TERMINAL) if seat == NOBODY else seat

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The deals."""
        deals = len(forest().roots)
        return [(deal, 1 / deals) for deal in range(deals)]

    def _legal_actions(self, player: int) -> list[int]:
        return list(range(forest().rows.count[self.info]))

    def _apply_action(self, action: int) -> None:
        trees = forest()
        self.at = int(trees.roots[action] if self.at is None else trees.below[self.at, action])

    def is_terminal(self) -> bool:
        """Whether nobody is due."""
        return self.at is not None and forest().seats[self.at] == NOBODY

    def returns(self) -> list[float]:
        """By seat its share of victory, less a half; nothing before the end."""
        share = float(forest().shares[self.at]) - 0.5 if self.is_terminal() else 0.0
        return [share, -share]

    @property
    def info(self) -> int:
        """The number of what the seat that chooses knows."""
        return int(forest().infos[self.at])

    def information_state_string(self, player: int | None = None) -> str:
        """That number: two nodes have the same where the seat cannot tell them apart."""
        return str(self.info)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"deal {action}"
        kind, choice = forest().options[self.info][action]
        return f"{kind} {choice}"

    def __str__(self) -> str:
        return "before the deal" if self.at is None else f"node {self.at}"


class Mixed(Strategy):
    """Both seats choose by these chances (I, width), by information."""

    def __init__(self, game: SmallGame, chances: Numbers) -> None:
        super().__init__(game, list(range(SEATS)))
        self.chances = chances

    def action_probabilities(
        self, state: SmallState, player_id: int | None = None
    ) -> dict[int, float]:
        """Those of this state."""
        return dict(enumerate(self.chances[state.info, : forest().rows.count[state.info]].tolist()))


def exploitable(game: SmallGame, chances: Numbers) -> float:
    """NashConv: what the seats could gain in sum by answering these chances best."""
    return float(nash_conv(game, Mixed(game, chances), use_cpp_br=False))


def uniform() -> Numbers:
    """All choices alike."""
    count = forest().rows.count[:, None]
    return ((np.arange(forest().below.shape[1]) < count) / count).astype(np.float32)


def likeliest(chances: Numbers) -> Numbers:
    """Always the likeliest choice."""
    return np.eye(chances.shape[1], dtype=np.float32)[chances.argmax(axis=1)]


def greedy(game: SmallGame) -> Numbers:
    """What does best against a seat that chooses by chance, always."""
    trees, by_chance = forest(), Mixed(game, uniform())
    best = [BestResponsePolicy(game, seat, by_chance) for seat in range(SEATS)]
    chances = np.zeros((len(trees.rows), trees.width), np.float32)
    for info in range(len(chances)):
        seat = trees.seats[np.flatnonzero(trees.infos == info)[0]]
        chances[info, best[seat].best_response_action(str(info))] = 1
    return chances
