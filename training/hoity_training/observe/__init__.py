"""What the deciding seats of many games see: the features of `p2p_hoity.bots.learned.features`.

    eyes = Eyes(table.board)
    seen = eyes.see(point)
    seen.own, seen.others, seen.candidates     # (R, OWN), (R, S - 1, OTHER), (K, CANDIDATE)

Rows and candidates are those of the point, in its order; all numbers are float32.
"""

from __future__ import annotations

from dataclasses import dataclass

from hoity_training.sim import Board, Point

from .candidates import candidate_table
from .others import other_tables
from .own import own_table
from .scene import Memory, Numbers, Scene


@dataclass(frozen=True)
class Seen:
    """The features of a point's rows: `own` (R, OWN), `others` (R, S - 1, OTHER), and of its
    candidates, `candidates` (K, CANDIDATE)."""

    own: Numbers
    others: Numbers
    candidates: Numbers


class Eyes:
    """Looks at one board, and remembers what does not change between two looks."""

    def __init__(self, board: Board) -> None:
        self._memory = Memory(board)

    def see(self, point: Point) -> Seen:
        """What each deciding seat of the point that is due may know."""
        scene = Scene(self._memory, point)
        return Seen(own_table(scene), other_tables(scene), candidate_table(scene))


__all__ = ["Eyes", "Numbers", "Seen"]
