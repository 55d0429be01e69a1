"""Phase V in lockstep: hands are opened, the best final exhibits move on, who has won."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .board import Board
from .castle import reward_exhibits
from .kinds import Bools, Floats, Ints

FIRST, SECOND = 8, 4


@dataclass(frozen=True)
class Ended:
    """E games that ended at once: `games` (E,), how many `rounds` (E,) each took; by seat (E, S)
    its `rank` in the standings, its final field `figures`, its final `exhibits` (masks), whose
    hidden pieces were `withheld`, and `shares`, the share of victory, in sum 1."""

    games: Ints
    rounds: Ints
    rank: Ints
    figures: Ints
    exhibits: Ints
    withheld: Bools
    shares: Floats

    def __len__(self) -> int:
        return len(self.games)


def finish(board: Board, games: Ints) -> Ended:
    """Final exhibits, their moves, and the standings."""
    opened = np.where(board.withheld[games], 0, board.held[games])
    board.known[games] |= np.bitwise_or.reduce(opened, axis=1)
    exhibits = board.pieces.best_exhibit(board.held[games] & board.known[games][:, None])
    fields = [np.full(len(games), number, np.int64) for number in (FIRST, SECOND)]
    strength = reward_exhibits(board, games, exhibits, *fields)
    figures = board.figures[games]
    ahead = figures[:, None, :] > figures[:, :, None]
    even = figures[:, None, :] == figures[:, :, None]
    ahead |= even & (strength[:, None, :] > strength[:, :, None])
    rank = 1 + ahead.sum(axis=2)
    winners = rank == 1
    withheld = board.withheld[games]
    shares = winners / winners.sum(axis=1, keepdims=True)
    return Ended(games, board.round[games], rank, figures, exhibits, withheld, shares)
