"""Phase IV in lockstep: Exhibits, Thieves, Detectives and the prison."""

from __future__ import annotations

import numpy as np

from .board import Board
from .cards import DETECTIVE, EXHIBIT, THIEF
from .kinds import CASTLE, NONE, VOID, Bools, Ints
from .pieces import ONE, top


def playing(board: Board, kind: int) -> Bools:
    """(N, S) who shows an Action card of this kind in the Castle."""
    found: Bools = (board.places == CASTLE) & board.cards.are(board.actions, kind)
    return found


# Exhibits.


def show(board: Board, choices: Ints) -> None:
    """Exhibits (N, S) are shown: the mask chosen, by default the best that is open, or none."""
    games = np.flatnonzero(board.exhibiting.any(axis=1))
    chosen = np.where(board.exhibiting[games], choices[games], VOID)
    at, seats = np.nonzero(chosen == NONE)
    opened = board.held[games[at], seats] & board.known[games[at]]
    chosen[chosen == VOID] = 0
    chosen[at, seats] = 0
    board.known[games] |= np.bitwise_or.reduce(chosen, axis=1)
    chosen[at, seats] = board.pieces.best_exhibit(opened)
    board.exhibits[games] = board.shown[games] = chosen
    larger, smaller = board.octagons[board.before[games].max(axis=1)].T
    reward_exhibits(board, games, chosen, larger, smaller)


def reward_exhibits(board: Board, games: Ints, exhibits: Ints, first: Ints, second: Ints) -> Ints:
    """The best two of each game (0: none) move by so many fields; (G, S) the exhibits' strength."""
    strength = np.where(exhibits != 0, board.pieces.strength(exhibits), 0)
    left, rows = strength.copy(), np.arange(len(games))
    for fields in (first, second):
        best = left.argmax(axis=1)
        moves = left[rows, best] > 0
        board.advance(games[moves], best[moves], fields[moves])
        left[rows, best] = 0
    return strength


# Thieves.


def begin_thefts(board: Board) -> None:
    """Every Thief in the Castle is still to steal where something was shown."""
    board.thieves = playing(board, THIEF) & (board.exhibits != 0).any(axis=1)[:, None]


def next_thieves(board: Board) -> tuple[Ints, Ints]:
    """The games with a Thief to come and something left to steal; whose Thief has the highest
    number there."""
    due: Bools = board.thieves.any(axis=1) & (board.exhibits != 0).any(axis=1)
    board.thieves[~due] = False
    games = np.flatnonzero(due)
    numbers = np.where(board.thieves[games], board.cards.number[board.actions[games]], 0)
    return games, numbers.argmax(axis=1)


def steal(board: Board, games: Ints, thieves: Ints, chosen: Ints) -> None:
    """A piece (G, S; a bit, or NONE: the oldest) of each exhibit goes to the Thief's owner."""
    exhibits = board.exhibits[games]
    taken = np.where(chosen < 0, top(exhibits), chosen)
    pieces = np.where(exhibits != 0, ONE << np.maximum(taken, 0), 0)
    board.exhibits[games] = exhibits ^ pieces
    board.held[games] ^= pieces
    board.held[games, thieves] |= pieces.sum(axis=1)
    board.thieves[games, thieves] = False


# Detectives and prison.


def end_castle(board: Board) -> None:
    """Detectives catch the Thieves and the cards go home."""
    thieves, detectives = playing(board, THIEF), playing(board, DETECTIVE)
    games = np.flatnonzero(thieves.any(axis=1) & detectives.any(axis=1))
    _reward_detectives(board, games, detectives[games])
    _imprison(board, games, thieves[games])
    board.give_back(board.places == CASTLE)


def _reward_detectives(board: Board, games: Ints, detectives: Bools) -> None:
    late = board.edition.switches.detective_rank == "after"
    figures = (board.figures if late else board.before)[games]
    ahead = figures[:, None, :] > figures[:, :, None]
    at, seats = np.nonzero(detectives)
    board.advance(games[at], seats, 1 + ahead.sum(axis=2)[at, seats])


def _imprison(board: Board, games: Ints, caught: Bools) -> None:
    """Thieves enter cell 1, lowest number first; who leaves the last cell goes home."""
    while len(games):
        numbers = np.where(caught, board.cards.number[board.actions[games]], 1 << 20)
        seats = numbers.argmin(axis=1)
        thieves = board.actions[games, seats]
        board.actions[games, seats] = NONE
        freed = board.prison[games, -1]
        board.prison[games, 1:] = board.prison[games, :-1]
        board.prison[games, 0] = thieves
        _free(board, games[freed >= 0], freed[freed >= 0])
        caught[np.arange(len(games)), seats] = False
        more = caught.any(axis=1)
        games, caught = games[more], caught[more]


def _free(board: Board, games: Ints, cards: Ints) -> None:
    owners = board.seat_of[games, cards // 8]
    board.hands[games, owners] |= ONE << cards


def exhibitors(board: Board) -> Bools:
    """(N, S) who plays Exhibit in the Castle."""
    return playing(board, EXHIBIT)
