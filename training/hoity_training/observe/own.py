"""The table OWN of `p2p_hoity.bots.learned.features` for all rows of a point."""

from __future__ import annotations

import numpy as np

from hoity_training.sim import CASH, DETECTIVE, EXHIBIT, THIEF
from p2p_hoity.bots.learned.features import OWN, length
from p2p_hoity.bots.learned.observation import (
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

from .holdings import counts_of
from .scene import Numbers, Scene, clipped
from .writer import Writer

_EACH = np.arange(len(LETTERS))[:, None]


def own_table(scene: Scene) -> Numbers:
    """(R, OWN)"""
    out = Writer(len(scene.point), length(OWN))
    _table(scene, out)
    _track(scene, out)
    _pieces(scene, out)
    _windows(scene, out)
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
    out.put(*(int(kind == scene.point.kind) for kind in KINDS))
    out.put(*(int(seats == board.seats) for seats in range(2, SEATS + 1)))
    out.put(*(int(variant == board.variant) for variant in VARIANTS))
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
    mine, own, total = scene.holdings, scene.own, scene.board.pieces.total
    counts, opened = mine.counts.take(own, axis=1), mine.counts.take(scene.pair, axis=1)
    size, low, high, run = (array[own] for array in (mine.size, mine.low, mine.high, mine.run))
    out.put(counts / OF_LETTER, opened / OF_LETTER, mine.oldest.take(own, axis=1) / total)
    out.put(size / OF_RUN, size >= MIN_EXHIBIT, mine.top[own] / total)
    out.put((size > 0) & ((run & ~scene.board.known[scene.games]) == 0))
    out.put((low <= _EACH) & (high >= _EACH))
    out.put(mine.second[own] / OF_RUN, mine.size[scene.pair] / OF_RUN)
    out.put(counts.sum(axis=0) / OF_PIECES, mine.hidden[scene.pair] / HAND)


def _windows(scene: Scene, out: Writer) -> None:
    tops, left = scene.tops[scene.games].T, scene.left[scene.games].T
    letters, open_ = scene.top_letters[scene.games].T, left > 0
    ages, gains = (tops + 1) / scene.board.pieces.total, scene.holdings.gains[letters, scene.own]
    others = scene.top_gains.take(scene.others, axis=1).max(axis=1)
    for window in (0, 1):
        out.put((letters[window] == _EACH) & open_[window], ages[window], left[window] / OF_WINDOW)
        out.put(gains[window] * open_[window] / OF_GAIN, others[window] / OF_GAIN)


def _unseen(scene: Scene, out: Writer) -> None:
    pieces = scene.board.pieces
    seen = scene.board.known[scene.games] | scene.holdings.masks[scene.own]
    out.put(counts_of(pieces, ~seen & ((1 << pieces.total) - 1)) / OF_UNSEEN)


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
    out.put(scene.shows.take(scene.pair, axis=1))


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
    shifts = np.arange(0, 4 * len(flags), 4)[:, None]
    out.put(((counts >> shifts) & 15) / (scene.seats - 1))


def _rivals(scene: Scene, out: Writer) -> None:
    size, may_have = scene.holdings.size, scene.holdings.may_have
    out.put((size[scene.others] < size[scene.own]).mean(axis=0))
    out.put((may_have[scene.others] > size[scene.own]).mean(axis=0))
