"""Phase III in lockstep: the sale, the Thief at the cash register, the next Collectible."""

from __future__ import annotations

import numpy as np

from .board import Board
from .cards import CASH, THIEF
from .kinds import HALL, NONE, Bools, Ints
from .pieces import ONE


def bid(board: Board) -> Ints:
    """The Actions in the Auction Hall are shown: sets who buys; the games with a buyer."""
    cash = (board.places == HALL) & board.cards.are(board.actions, CASH)
    bids = np.where(cash, board.cards.number[board.actions], 0)
    sold = bids.any(axis=1)
    board.buyer = np.where(sold, bids.argmax(axis=1), NONE)
    return np.flatnonzero(sold)


def sell(board: Board, games: Ints, windows: Ints) -> None:
    """The tops of these windows change hands, the Cash is paid, the next tops are turned up."""
    buyers = board.buyer[games]
    at = board.pointer[games, windows]
    board.held[games, buyers] |= ONE << board.deck[games, at]
    board.pointer[games, windows] = at + 1
    _pay(board, games, buyers)
    more = at + 1 < board.ends[windows]
    board.known[games[more]] |= ONE << board.deck[games[more], at[more] + 1]
    board.buyer[games] = NONE


def _pay(board: Board, games: Ints, buyers: Ints) -> None:
    """The Cash goes to the one Thief in the Auction Hall, else it stays in the register."""
    cash = ONE << board.actions[games, buyers]
    board.actions[games, buyers] = NONE
    thieves = (board.places[games] == HALL) & board.cards.are(board.actions[games], THIEF)
    stolen = thieves.sum(axis=1) == 1
    board.hands[games[stolen], thieves.argmax(axis=1)[stolen]] |= cash[stolen]
    board.register[games[~stolen]] |= cash[~stolen]


def clear(board: Board) -> None:
    """Every other Action card in the Auction Hall goes back to its hand."""
    board.give_back(board.places == HALL)


def first_window(board: Board, games: Ints) -> Ints:
    """What an absent buyer takes from: the lowest-numbered window that is not empty."""
    found: Ints = board.left[games].argmax(axis=1)
    return found


def owing(board: Board) -> Bools:
    """(N, S) who stands in the Auction Hall and has a card to play there."""
    found: Bools = (board.places == HALL) & ((board.hands & board.cards.hall) != 0)
    return found
