"""Who is present at many tables: absences, returns and bans."""

from __future__ import annotations

from dataclasses import dataclass

from .board import Board
from .kinds import Bools, Ints


@dataclass(frozen=True)
class Presence:
    """In these games (G,) these seats (G, S) are present from now on, and these are banned."""

    games: Ints
    present: Bools
    banned: Bools


def change(board: Board, presence: Presence) -> None:
    """Who comes back in a round rests until the next one.

    ValueError if a banned seat is present.
    """
    games, present = presence.games, presence.present
    banned = board.banned[games] | presence.banned
    if (present & banned).any():
        raise ValueError("a banned seat cannot be present")
    came = present & ~board.present[games] & (board.round[games] > 0)[:, None]
    board.resting[games] = (board.resting[games] & present) | came
    board.present[games], board.banned[games] = present, banned
