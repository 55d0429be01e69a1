"""Whether the rules allow the choices that are given for a point."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from .board import Board
from .kinds import CARD_IDS, CASTLE, HALL, VOID, Bools, Ints, Kind
from .pieces import ONE
from .points import Point, legal_actions

Judge = Callable[[Board, Point, Ints], Bools]


def check(board: Board, point: Point, choices: Ints) -> None:
    """ValueError if there is not one choice for each row, or one that the rules forbid to a seat
    that knows its own Collectibles; NONE and VOID are allowed."""
    if choices.shape != point.games.shape:
        raise ValueError(f"{len(point)} choices are due, not {choices.shape}")
    given = choices >= 0
    allowed = np.where(given, _JUDGES[point.kind](board, point, np.where(given, choices, 0)), True)
    allowed &= choices >= VOID
    if not allowed.all():
        worst = int(allowed.argmin())
        raise ValueError(
            f"game {point.games[worst]}, seat {point.seats[worst]} "
            f"may not choose {point.kind} {choices[worst]}"
        )


def _place(board: Board, point: Point, choices: Ints) -> Bools:
    return _one_of_the_candidates(point, choices, 2)


def _window(board: Board, point: Point, choices: Ints) -> Bools:
    return _one_of_the_candidates(point, choices, 2)


def _turn(board: Board, point: Point, choices: Ints) -> Bools:
    place, card = np.divmod(choices, CARD_IDS)
    legal = legal_actions(board, point.games, point.seats, place)
    open_ = (place == CASTLE) | ((place == HALL) & board.left[point.games].any(axis=1))
    found: Bools = open_ & ((legal >> card) & 1 == 1)
    return found


def _action(board: Board, point: Point, choices: Ints) -> Bools:
    places = board.places[point.games, point.seats]
    legal = legal_actions(board, point.games, point.seats, places)
    found: Bools = (choices < CARD_IDS) & ((legal >> np.minimum(choices, CARD_IDS)) & 1 == 1)
    return found


def _exhibit(board: Board, point: Point, choices: Ints) -> Bools:
    held = board.held[point.games, point.seats]
    own: Bools = (choices & ~held) == 0
    return own & board.pieces.is_exhibit(choices)


def _theft(board: Board, point: Point, choices: Ints) -> Bools:
    exhibit = board.exhibits[point.games, point.owners]
    found: Bools = (choices < board.pieces.total) & (
        (exhibit & (ONE << np.minimum(choices, 62))) != 0
    )
    return found


def _one_of_the_candidates(point: Point, choices: Ints, width: int) -> Bools:
    legal = np.zeros((len(point), width), np.bool_)
    legal[point.row, point.option] = True
    listed: Bools = legal[np.arange(len(point)), np.minimum(choices, width - 1)]
    return listed & (choices < width)


_JUDGES: Mapping[Kind, Judge] = {
    "place": _place,
    "action": _action,
    "turn": _turn,
    "window": _window,
    "exhibit": _exhibit,
    "theft": _theft,
}
