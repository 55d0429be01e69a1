"""What is common to the features of all decisions of a board at one moment."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hoity_training.sim import CASTLE, HALL, Board, Ints, Point
from hoity_training.sim.pieces import size

from .hands import Deck, Hands
from .holdings import Holdings, Small

Numbers = NDArray[np.float32]
Reals = NDArray[np.float64]


def clipped(values: Ints, by: int) -> Reals:
    """Divided and brought into -1 to 1."""
    return (values / by).clip(-1, 1)


class Memory:
    """What was reckoned of all seats of a board, kept until it changes."""

    def __init__(self, board: Board) -> None:
        self.board, self.deck = board, Deck(board.cards)
        twice = np.zeros((2, *board.held.shape), np.int64)
        self.hidden = np.zeros(twice.shape, np.int16)
        self.holdings = Holdings(board.pieces, twice.reshape(-1), self.hidden.reshape(-1).copy())
        self.hands = Hands(self.deck, np.zeros(board.hands.size, np.int64))
        seats = np.arange(board.seats)
        self.order: Ints = np.array([np.delete(seats, seat) for seat in seats]).T

    def refresh(self) -> None:
        """Look at the board again."""
        board = self.board
        masks = np.stack([board.held & board.known[:, None], board.held])
        self.hidden[0] = np.bitwise_count(masks[0] ^ board.held)
        self.holdings.update(masks.reshape(-1), self.hidden.reshape(-1))
        self.hands.update(board.hands.reshape(-1))


class Scene:
    """A point's R rows. Arrays of *pairs* (P = N * S,) have a value for each seat of each game of
    the board; `pair` (R,) is the deciding one of each row, `others` (S - 1, R) are the others. Of
    the `holdings` (2 P,) the first half is what is open to all: of `pair`, of `others`; the second
    all that a seat has: of `own` (R,)."""

    def __init__(self, memory: Memory, point: Point) -> None:
        memory.refresh()
        board = memory.board
        self.board, self.deck, self.point = board, memory.deck, point
        self.holdings, self.hands = memory.holdings, memory.hands
        self.games, self.seats = point.games, board.seats
        first = point.games * board.seats
        self.pair: Ints = first + point.seats
        self.own: Ints = self.pair + board.held.size
        self.others: Ints = first + memory.order[:, point.seats]

    def sum_of_seats(self, array: Ints) -> Ints:
        """(N,) the sum over the seats of an array of pairs."""
        by_game = array.reshape(-1, self.seats)
        found = by_game[:, 0].copy()
        for seat in range(1, self.seats):
            found += by_game[:, seat]
        return found

    # By pairs.

    @cached_property
    def figures(self) -> Ints:
        """Fields."""
        return self.board.figures.reshape(-1)

    @cached_property
    def ranks(self) -> Ints:
        """Competition ranks on the track."""
        figures = self.board.figures
        ranks = np.ones(figures.shape, np.int64)
        for seat in range(self.seats):
            ranks += figures[:, seat : seat + 1] > figures
        return ranks.reshape(-1)

    @cached_property
    def in_castle(self) -> Ints:
        """1 in the Castle."""
        found: Ints = (self.board.places.reshape(-1) == CASTLE).astype(np.int64)
        return found

    @cached_property
    def in_hall(self) -> Ints:
        """1 in the Auction Hall."""
        found: Ints = (self.board.places.reshape(-1) == HALL).astype(np.int64)
        return found

    @cached_property
    def active(self) -> Ints:
        """1 who may be asked."""
        return self.board.active.reshape(-1).astype(np.int64)

    @cached_property
    def shows(self) -> Ints:
        """(4, P) 1 for the kind of Action on the table."""
        kinds = self.board.cards.kind.take(self.board.actions.reshape(-1))
        return np.stack([kinds == kind for kind in range(4)]).astype(np.int64)

    @cached_property
    def jailed(self) -> Ints:
        """(N, cells) the pair whose Thief is in each cell, else -1."""
        prison, every = self.board.prison, self.board.every[:, None]
        pairs = every * self.seats + self.board.seat_of[every, prison // 8]
        return np.where(prison < 0, -1, pairs)

    @cached_property
    def in_prison(self) -> Ints:
        """How many of its Thieves are in prison."""
        caught = self.jailed[self.jailed >= 0]
        return np.bincount(caught, minlength=len(self.figures))

    @cached_property
    def exhibits(self) -> Ints:
        """How many pieces are left in what it shows."""
        return size(self.board.exhibits.reshape(-1))

    # Windows.

    @cached_property
    def tops(self) -> Ints:
        """(N, 2) the bit on top of each window, NONE if it is empty."""
        return self.board.tops

    @cached_property
    def top_letters(self) -> Ints:
        """(N, 2) its letter; 0 too where the window is empty."""
        letters: Ints = self.board.pieces.letter.take(np.maximum(self.tops, 0))
        return letters

    @cached_property
    def left(self) -> Ints:
        """(N, 2) pieces left in each window."""
        return self.board.ends - self.board.pointer

    @cached_property
    def top_gains(self) -> Small:
        """(2, P) what the top of each window adds to the run that is open; 0 if it is empty."""
        letters = np.repeat(self.top_letters.T, self.seats, axis=1)
        gains = self.holdings.gains[letters, np.arange(len(self.figures))]
        return gains * np.repeat(self.left.T > 0, self.seats, axis=1)
