"""The scenes of all rows of a point: what is common to the features of its games and seats."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from training.sim import CASTLE, HALL, NONE, Board, Bools, Ints, Point
from training.sim.pieces import size

from .hands import Deck, Hands
from .holdings import Holdings, Small, may_have

Numbers = NDArray[np.float32]


def clipped(values: Ints, by: int) -> NDArray[np.float64]:
    """Divided and brought into -1 to 1."""
    return (values / by).clip(-1, 1)


class Scene:
    """A point's R rows in G games of S seats. Arrays of *pairs* (G * S,) have a value for each
    seat of each game; `pair` (R,) is the deciding one of each row, `others` (R, S - 1) the
    others."""

    def __init__(self, board: Board, deck: Deck, point: Point) -> None:
        self.board, self.deck, self.point = board, deck, point
        fresh = np.ones(len(point), np.bool_)
        fresh[1:] = point.games[1:] != point.games[:-1]
        self.games: Ints = point.games[fresh]
        self.game: Ints = np.cumsum(fresh) - 1
        self.seat = point.seats
        self.pair: Ints = self.game * board.seats + self.seat
        seats = np.arange(board.seats)
        order = np.array([np.delete(seats, seat) for seat in seats])
        self.others: Ints = (self.game * board.seats)[:, None] + order[self.seat]

    def pairs(self, array: NDArray[np.generic]) -> Ints:
        """An array by game and seat as one by pairs; flags as 0 and 1."""
        found: Ints = array[self.games].astype(np.int64, copy=False).reshape(-1)
        return found

    def of_game(self, array: Ints) -> Ints:
        """An array by pairs as one by game and seat."""
        return array.reshape(len(self.games), self.board.seats)

    def sum_of_others(self, array: Ints) -> Ints:
        """(R,) the sum over the other seats of an array by pairs."""
        found: Ints = self.of_game(array).sum(axis=1)[self.game] - array[self.pair]
        return found

    # By pairs.

    @cached_property
    def figures(self) -> Ints:
        """Fields."""
        return self.pairs(self.board.figures)

    @cached_property
    def ranks(self) -> Ints:
        """Competition ranks on the track."""
        figures = self.board.figures[self.games]
        ahead = figures[:, None, :] > figures[:, :, None]
        found: Ints = 1 + ahead.sum(axis=2).reshape(-1)
        return found

    @cached_property
    def held(self) -> Ints:
        """All pieces, hidden ones too."""
        return self.pairs(self.board.held)

    @cached_property
    def opened(self) -> Holdings:
        """What is open to all."""
        known = np.repeat(self.board.known[self.games], self.board.seats)
        return Holdings(self.board.pieces, self.held & known)

    @cached_property
    def hidden(self) -> Small:
        """How many pieces are not open."""
        found: Small = np.bitwise_count(self.held ^ self.opened.masks).astype(np.int16)
        return found

    @cached_property
    def may_have(self) -> Small:
        """The largest run there can be."""
        return may_have(self.opened.counts, self.hidden)

    @cached_property
    def hands(self) -> Hands:
        """Action hands."""
        return Hands(self.deck, self.pairs(self.board.hands))

    @cached_property
    def in_castle(self) -> Ints:
        """1 in the Castle."""
        found: Ints = (self.pairs(self.board.places) == CASTLE).astype(np.int64)
        return found

    @cached_property
    def in_hall(self) -> Ints:
        """1 in the Auction Hall."""
        found: Ints = (self.pairs(self.board.places) == HALL).astype(np.int64)
        return found

    @cached_property
    def active(self) -> Ints:
        """1 who may be asked."""
        present = self.board.present[self.games] & ~self.board.resting[self.games]
        return present.astype(np.int64).reshape(-1)

    @cached_property
    def shows(self) -> Ints:
        """(4, G * S) 1 for the kind of Action on the table."""
        kinds = self.board.cards.kind[self.pairs(self.board.actions)]
        return np.stack([kinds == kind for kind in range(4)]).astype(np.int64)

    @cached_property
    def jailed(self) -> Ints:
        """(G, cells) the seat whose Thief is in each cell, else NONE."""
        prison = self.board.prison[self.games]
        at = np.arange(len(self.games))[:, None]
        seats = self.board.seat_of[self.games][at, prison // 8]
        return np.where(prison < 0, NONE, seats)

    @cached_property
    def in_prison(self) -> Ints:
        """How many of its Thieves are in prison."""
        seats = np.arange(self.board.seats)
        found: Ints = (self.jailed[:, :, None] == seats).sum(axis=1).reshape(-1)
        return found

    @cached_property
    def exhibits(self) -> Ints:
        """How many pieces are left in what it shows."""
        return size(self.pairs(self.board.exhibits))

    # Windows.

    @cached_property
    def tops(self) -> Ints:
        """(G, 2) the bit on top of each window, NONE if it is empty."""
        return self.board.tops[self.games]

    @cached_property
    def top_letters(self) -> Ints:
        """(G, 2) its letter; 0 too where the window is empty."""
        letters: Ints = self.board.pieces.letter[self.tops.clip(0)]
        return letters

    @cached_property
    def left(self) -> Ints:
        """(G, 2) pieces left in each window."""
        return self.board.ends - self.board.pointer[self.games]

    @cached_property
    def top_gains(self) -> Ints:
        """(2, G * S) what the top of each window adds to the run that is open; 0 if it is empty."""
        found = []
        for window in (0, 1):
            letters = np.repeat(self.top_letters[:, window], self.board.seats)
            gains = self.opened.gains[letters, np.arange(len(letters))].astype(np.int64)
            found.append(gains * np.repeat(self.left[:, window] > 0, self.board.seats))
        return np.stack(found)

    # By row.

    @cached_property
    def mine(self) -> Holdings:
        """The deciding seat's own pieces, all of them."""
        return Holdings(self.board.pieces, self.held[self.pair])

    @cached_property
    def others_may_be(self) -> tuple[Bools, Bools]:
        """(R, S - 1) which others are, or may yet be, in the Castle, in the Auction Hall."""
        castle, hall = self.active & ~self.in_hall & 1, self.active & ~self.in_castle & 1
        return castle[self.others] == 1, hall[self.others] == 1
