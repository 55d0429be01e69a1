"""The table OWN of `p2p_hoity.bots.learned.features` for all rows of a point."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from p2p_hoity.bots.learned.features import OWN, length
from p2p_hoity.bots.learned.sight import (
    FIELDS,
    KINDS,
    LARGEST_OCTAGON,
    LATE,
    LEAD,
    NEAR,
    OF_CASH,
    OF_CASH_SUM,
    OF_GAIN,
    OF_LETTER,
    OF_PIECES,
    OF_RUN,
    OF_THIEVES,
    OF_UNSEEN,
    OF_WINDOW,
    ROUNDS,
    SEATS,
    TRACK,
    VARIANTS,
)
from p2p_hoity.rules import HAND, LETTERS
from p2p_hoity.rules.exhibits import MIN_EXHIBIT
from training.sim import CASH, DETECTIVE, EXHIBIT, THIEF

from .holdings import counts_of
from .scene import Numbers, Scene, clipped


class Writer:
    """Fills the columns of a table one after the other."""

    def __init__(self, rows: int, columns: int) -> None:
        self.table: Numbers = np.zeros((rows, columns), np.float32)
        self._at = 0

    def put(self, *columns: np.typing.ArrayLike) -> None:
        """These columns; each (rows,) or one value for all."""
        for column in columns:
            self.table[:, self._at] = column
            self._at += 1

    def put_all(self, columns: Iterable[np.typing.ArrayLike]) -> None:
        """The same."""
        self.put(*columns)

    def skip(self, columns: int) -> None:
        """These stay 0."""
        self._at += columns

    def done(self) -> Numbers:
        """The table. RuntimeError if a column is missing, or is one too many."""
        if self._at != self.table.shape[1]:
            raise RuntimeError(f"{self._at} columns are no {self.table.shape[1]}")
        return self.table


def own_table(scene: Scene) -> Numbers:
    """(R, OWN)"""
    out = Writer(len(scene.point), length(OWN))
    _table(scene, out)
    _track(scene, out)
    _pieces(scene, out)
    for window in (0, 1):
        _window(scene, out, window)
    _unseen(scene, out)
    _hand(scene, out)
    _prison(scene, out)
    _played(scene, out)
    _others_played(scene, out)
    _rivals(scene, out)
    return out.done()


def _table(scene: Scene, out: Writer) -> None:
    board, switches = scene.board, scene.board.edition.switches
    rounds = board.round[scene.point.games]
    out.put_all(kind == scene.point.kind for kind in KINDS)
    out.put_all(seats == board.seats for seats in range(2, SEATS + 1))
    out.put_all(variant == board.variant for variant in VARIANTS)
    out.put(switches.action_choice == "together", switches.detective_in_hall)
    out.put(switches.detective_rank == "before")
    out.put(np.minimum(rounds, LATE) / ROUNDS, rounds % 2)


def _track(scene: Scene, out: Writer) -> None:
    board, games = scene.board, scene.point.games
    own, leader = scene.figures[scene.pair], scene.of_game(scene.figures).max(axis=1)[scene.game]
    left = np.maximum(0, board.banquet - leader)
    furthest = scene.figures[scene.others].max(axis=1)
    octagon = board.octagons[board.before[games].max(axis=1)]
    out.put(own / TRACK, scene.ranks[scene.pair] / SEATS)
    out.put(leader / TRACK, left / FIELDS, np.maximum(0, 1 - left / NEAR))
    out.put(clipped(own - furthest, LEAD))
    out.put(octagon[:, 0] / LARGEST_OCTAGON, octagon[:, 1] / LARGEST_OCTAGON)


def _pieces(scene: Scene, out: Writer) -> None:
    mine, total = scene.mine, scene.board.pieces.total
    opened = scene.opened.counts[:, scene.pair]
    count, shown = mine.counts.sum(axis=0), opened.sum(axis=0)
    known = scene.board.known[scene.point.games]
    out.put_all(mine.counts / OF_LETTER)
    out.put_all(opened / OF_LETTER)
    out.put_all(mine.oldest / total)
    out.put(mine.size / OF_RUN, mine.size >= MIN_EXHIBIT, mine.top / total)
    out.put((mine.size > 0) & ((mine.run & ~known) == 0))
    out.put_all((mine.low <= i) & (i <= mine.high) for i in range(len(LETTERS)))
    out.put(mine.second / OF_RUN, scene.opened.size[scene.pair] / OF_RUN)
    out.put(count / OF_PIECES, (count - shown) / HAND)


def _window(scene: Scene, out: Writer, window: int) -> None:
    tops = scene.tops[scene.game, window]
    letters, left = scene.top_letters[scene.game, window], scene.left[scene.game, window]
    open_ = left > 0
    out.put_all(open_ & (letters == letter) for letter in range(len(LETTERS)))
    out.put((tops + 1) / scene.board.pieces.total, left / OF_WINDOW)
    out.put(scene.mine.gains[letters, np.arange(len(letters))] * open_ / OF_GAIN)
    out.put(scene.top_gains[window][scene.others].max(axis=1) / OF_GAIN)


def _unseen(scene: Scene, out: Writer) -> None:
    pieces = scene.board.pieces
    seen = scene.board.known[scene.point.games] | scene.mine.masks
    out.put_all(counts_of(pieces, ~seen & ((1 << pieces.total) - 1)) / OF_UNSEEN)


def _hand(scene: Scene, out: Writer) -> None:
    hands, pair = scene.hands, scene.pair
    most, highest = scene.deck.largest
    largest = hands.largest_cash[pair]
    lower = (hands.largest_cash[scene.others] < largest[:, None]).mean(axis=1)
    out.put(hands.cash_count[pair] / OF_CASH, largest / most, hands.next_cash[pair] / most)
    out.put(hands.sum_of_cash[pair] / OF_CASH_SUM, lower)
    out.put(hands.thief_count[pair] / OF_THIEVES)
    out.put(hands.highest_thief[pair] / highest, hands.lowest_thief[pair] / highest)
    out.put(hands.detective[pair], hands.exhibit[pair])


def _prison(scene: Scene, out: Writer) -> None:
    cells = scene.board.seats
    own = scene.jailed[scene.game] == scene.seat[:, None]
    last = (own * np.arange(1, cells + 1)).max(axis=1)
    out.put(scene.in_prison[scene.pair] / OF_THIEVES)
    out.put(np.where(last > 0, (cells + 1 - last) / cells, 0))
    out.put((scene.jailed >= 0).sum(axis=1)[scene.game] / cells)


def _played(scene: Scene, out: Writer) -> None:
    out.put(scene.in_castle[scene.pair], scene.in_hall[scene.pair])
    out.put_all(scene.shows[:, scene.pair])


def _others_played(scene: Scene, out: Writer) -> None:
    others = scene.board.seats - 1
    nowhere = scene.active & (1 - scene.in_castle) & (1 - scene.in_hall)
    hall = [scene.in_hall & scene.shows[kind] for kind in (CASH, THIEF, DETECTIVE)]
    castle = [scene.in_castle & scene.shows[kind] for kind in (THIEF, DETECTIVE, EXHIBIT)]
    for array in (scene.in_castle, scene.in_hall, nowhere, *hall, *castle):
        out.put(scene.sum_of_others(array) / others)


def _rivals(scene: Scene, out: Writer) -> None:
    own = scene.mine.size[:, None]
    out.put((scene.opened.size[scene.others] < own).mean(axis=1))
    out.put((scene.may_have[scene.others] > own).mean(axis=1))
