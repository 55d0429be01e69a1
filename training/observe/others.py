"""The table OTHER of `p2p_hoity.bots.learned.features` for all rows of a point."""

from __future__ import annotations

from p2p_hoity.bots.learned.features import OTHER, length
from p2p_hoity.bots.learned.sight import (
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

from .own import Writer
from .scene import Numbers, Scene, clipped

AHEAD, LARGER = 1, length(OTHER[:4]) + 2
"""The columns that depend on who looks."""


def other_tables(scene: Scene) -> Numbers:
    """(R, S - 1, OTHER), by rising seat."""
    tables: Numbers = _seen_by_all(scene)[scene.others]
    figures, cash = scene.figures, scene.hands.largest_cash
    tables[:, :, AHEAD] = clipped(figures[scene.others] - figures[scene.pair][:, None], LEAD)
    tables[:, :, LARGER] = cash[scene.others] > cash[scene.pair][:, None]
    return tables


def _seen_by_all(scene: Scene) -> Numbers:
    """(G * S, OTHER) of each seat what anyone sees of it."""
    out = Writer(len(scene.figures), length(OTHER))
    opened, hands = scene.opened, scene.hands
    most, highest = scene.deck.largest
    out.put(scene.figures / TRACK, 0, scene.ranks / SEATS)
    out.put((opened.counts.sum(axis=0) + scene.hidden) / OF_PIECES, scene.hidden / HAND)
    out.put_all(opened.counts / OF_LETTER)
    out.put(opened.size / OF_RUN, opened.size >= MIN_EXHIBIT)
    out.put(opened.top / scene.board.pieces.total, scene.may_have / OF_RUN)
    out.put(hands.cash_count / OF_CASH, hands.largest_cash / most, 0)
    out.put(hands.thief_count / OF_THIEVES, hands.highest_thief / highest)
    out.put(hands.detective, hands.exhibit, scene.in_prison / OF_THIEVES)
    out.put(scene.in_castle, scene.in_hall, *scene.shows)
    out.put(scene.exhibits / OF_RUN, scene.active)
    out.put_all(scene.top_gains / OF_GAIN)
    return out.done()
