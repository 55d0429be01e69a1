"""The table OTHER of `p2p_hoity.bots.learned.features` for all rows of a point."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from hoity_training.sim import Ints
from p2p_hoity.bots.learned.features import OTHER, length
from p2p_hoity.bots.learned.observation import (
    LEAD,
    OF_CASH,
    OF_GAIN,
    OF_LETTER,
    OF_PIECES,
    OF_RUN,
    OF_THIEVES,
    SEATS,
    TRACK,
)
from p2p_hoity.rules import HAND
from p2p_hoity.rules.exhibits import MIN_EXHIBIT

from .scene import Numbers, Scene, clipped
from .writer import Writer

AHEAD, LARGER = 1, length(OTHER[:4]) + 2
"""The columns that depend on who looks."""


def other_tables(scene: Scene) -> Numbers:
    """(R, S - 1, OTHER), by rising seat."""
    figures, cash, shape = scene.figures, scene.hands.largest_cash, scene.others.T.shape
    if scene.others.size < len(figures):
        tables = _seen_by_all(scene, scene.others.T.reshape(-1))
    else:
        tables = _seen_by_all(scene, None).take(scene.others.T, axis=0)
    tables = tables.reshape(*shape, length(OTHER))
    tables[:, :, AHEAD] = clipped(figures[scene.others] - figures[scene.pair], LEAD).T
    tables[:, :, LARGER] = (cash[scene.others] > cash[scene.pair]).T
    return tables


def _seen_by_all(scene: Scene, pairs: Ints | None) -> Numbers:
    """(n, OTHER) of each of these pairs (None: of all) what anyone sees of it."""

    def of(array: NDArray[Any]) -> NDArray[Any]:
        return array[..., : len(scene.figures)] if pairs is None else array.take(pairs, axis=-1)

    out = Writer(len(scene.figures) if pairs is None else len(pairs), length(OTHER))
    opened, hands = scene.holdings, scene.hands
    most, highest = scene.deck.largest
    counts, hidden, size = of(opened.counts), of(opened.hidden), of(opened.size)
    out.put(of(scene.figures) / TRACK, 0, of(scene.ranks) / SEATS)
    out.put((counts.sum(axis=0) + hidden) / OF_PIECES, hidden / HAND)
    out.put(counts / OF_LETTER, size / OF_RUN, size >= MIN_EXHIBIT)
    out.put(of(opened.top) / scene.board.pieces.total, of(opened.may_have) / OF_RUN)
    out.put(of(hands.cash_count) / OF_CASH, of(hands.largest_cash) / most, 0)
    out.put(of(hands.thief_count) / OF_THIEVES, of(hands.highest_thief) / highest)
    out.put(of(hands.detective), of(hands.exhibit), of(scene.in_prison) / OF_THIEVES)
    out.put(of(scene.in_castle), of(scene.in_hall), of(scene.shows))
    out.put(of(scene.exhibits) / OF_RUN, of(scene.active))
    out.put(of(scene.top_gains) / OF_GAIN)
    return out.done()
