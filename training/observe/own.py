"""The table OWN of `p2p_hoity.bots.learned.features` for all rows of a point."""

from __future__ import annotations

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
from .writer import Writer


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
    out.put_all(int(kind == scene.point.kind) for kind in KINDS)
    out.put_all(int(seats == board.seats) for seats in range(2, SEATS + 1))
    out.put_all(int(variant == board.variant) for variant in VARIANTS)
    out.put(int(switches.action_choice == "together"), int(switches.detective_in_hall))
    out.put(int(switches.detective_rank == "before"))
    out.put(np.minimum(rounds, LATE) / ROUNDS, rounds % 2)


def _track(scene: Scene, out: Writer) -> None:
    board, games = scene.board, scene.games
    own, furthest = scene.figures[scene.pair], scene.figures[scene.others].max(axis=0)
    leader = np.maximum(own, furthest)
    left = np.maximum(0, board.banquet - leader)
    larger, smaller = board.octagons[board.before.max(axis=1)].T
    out.put(own / TRACK, scene.ranks[scene.pair] / SEATS)
    out.put(leader / TRACK, left / FIELDS, np.maximum(0, 1 - left / NEAR))
    out.put(clipped(own - furthest, LEAD))
    out.put(larger[games] / LARGEST_OCTAGON, smaller[games] / LARGEST_OCTAGON)


def _pieces(scene: Scene, out: Writer) -> None:
    mine, pair, total = scene.full, scene.pair, scene.board.pieces.total
    counts, opened = mine.counts.take(pair, axis=1), scene.opened.counts.take(pair, axis=1)
    size, low, high, run = (array[pair] for array in (mine.size, mine.low, mine.high, mine.run))
    out.put_all(counts / OF_LETTER)
    out.put_all(opened / OF_LETTER)
    out.put_all(mine.oldest.take(pair, axis=1) / total)
    out.put(size / OF_RUN, size >= MIN_EXHIBIT, mine.top[pair] / total)
    out.put((size > 0) & ((run & ~scene.board.known[scene.games]) == 0))
    out.put_all((low <= i) & (i <= high) for i in range(len(LETTERS)))
    out.put(mine.second[pair] / OF_RUN, scene.opened.size[pair] / OF_RUN)
    out.put(counts.sum(axis=0) / OF_PIECES, scene.opened.hidden[pair] / HAND)


def _window(scene: Scene, out: Writer, window: int) -> None:
    tops, left = scene.tops[scene.games, window], scene.left[scene.games, window]
    letters, open_ = scene.top_letters[scene.games, window], left > 0
    out.put_all(open_ & (letters == letter) for letter in range(len(LETTERS)))
    out.put((tops + 1) / scene.board.pieces.total, left / OF_WINDOW)
    out.put(scene.full.gains[letters, scene.pair] * open_ / OF_GAIN)
    out.put(scene.top_gains[window].take(scene.others).max(axis=0) / OF_GAIN)


def _unseen(scene: Scene, out: Writer) -> None:
    pieces = scene.board.pieces
    seen = scene.board.known[scene.games] | scene.full.masks[scene.pair]
    out.put_all(counts_of(pieces, ~seen & ((1 << pieces.total) - 1)) / OF_UNSEEN)


def _hand(scene: Scene, out: Writer) -> None:
    hands, pair = scene.hands, scene.pair
    most, highest = scene.deck.largest
    largest = hands.largest_cash[pair]
    lower = (hands.largest_cash[scene.others] < largest).mean(axis=0)
    out.put(hands.cash_count[pair] / OF_CASH, largest / most, hands.next_cash[pair] / most)
    out.put(hands.sum_of_cash[pair] / OF_CASH_SUM, lower)
    out.put(hands.thief_count[pair] / OF_THIEVES)
    out.put(hands.highest_thief[pair] / highest, hands.lowest_thief[pair] / highest)
    out.put(hands.detective[pair], hands.exhibit[pair])


def _prison(scene: Scene, out: Writer) -> None:
    cells = scene.seats
    last = np.zeros(len(scene.pair), np.int64)
    for cell in range(cells):
        last[scene.jailed[scene.games, cell] == scene.pair] = cell + 1
    full = scene.sum_of_seats((scene.jailed >= 0).astype(np.int64))
    out.put(scene.in_prison[scene.pair] / OF_THIEVES)
    out.put(np.where(last > 0, (cells + 1 - last) / cells, 0))
    out.put(full[scene.games] / cells)


def _played(scene: Scene, out: Writer) -> None:
    out.put(scene.in_castle[scene.pair], scene.in_hall[scene.pair])
    out.put_all(scene.shows.take(scene.pair, axis=1))


def _others_played(scene: Scene, out: Writer) -> None:
    """Nine flags of each other are counted at once, as four bits each of one number."""
    nowhere = scene.active & ~(scene.in_castle | scene.in_hall)
    hall = [scene.in_hall & scene.shows[kind] for kind in (CASH, THIEF, DETECTIVE)]
    castle = [scene.in_castle & scene.shows[kind] for kind in (THIEF, DETECTIVE, EXHIBIT)]
    flags = (scene.in_castle, scene.in_hall, nowhere, *hall, *castle)
    packed = np.zeros(len(nowhere), np.int64)
    for i, flag in enumerate(flags):
        packed |= flag << (4 * i)
    counts = scene.sum_of_seats(packed)[scene.games] - packed[scene.pair]
    out.put_all(((counts >> (4 * i)) & 15) / (scene.seats - 1) for i in range(len(flags)))


def _rivals(scene: Scene, out: Writer) -> None:
    own = scene.full.size[scene.pair]
    out.put((scene.opened.size[scene.others] < own).mean(axis=0))
    out.put((scene.opened.may_have[scene.others] > own).mean(axis=0))
