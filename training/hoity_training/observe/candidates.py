"""The table CANDIDATE of `p2p_hoity.bots.learned.features` for all candidates of a point."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from hoity_training.sim import CARD_IDS, CASH, EXHIBIT, THIEF, Ints, Kind
from hoity_training.sim.pieces import ONE, size, top
from p2p_hoity.bots.learned.features import CANDIDATE, length
from p2p_hoity.bots.learned.move_candidates import (
    CARD_AT,
    CASH_AT,
    EXHIBIT_AT,
    PIECE_AT,
    PLACE_AT,
    THIEF_AT,
)
from p2p_hoity.bots.learned.observation import LEAD, OF_GAIN, OF_LETTER, OF_RUN, OF_WINDOW

from .holdings import loss_of
from .scene import Numbers, Reals, Scene, clipped


def candidate_table(scene: Scene) -> Numbers:
    """(K, CANDIDATE)"""
    return _TABLES[scene.point.kind](scene)


def _empty(scene: Scene) -> Numbers:
    return np.zeros((len(scene.point.row), length(CANDIDATE)), np.float32)


# Places and Actions.


def _places(scene: Scene) -> Numbers:
    table = _empty(scene)
    _put_places(table, scene.point.option)
    return table


def _put_places(table: Numbers, places: Ints) -> None:
    for place in (0, 1):
        table[:, PLACE_AT + place] = places == place


def _actions(scene: Scene) -> Numbers:
    table = _empty(scene)
    _put_cards(scene, table, scene.point.option)
    return table


def _turns(scene: Scene) -> Numbers:
    table = _empty(scene)
    places, cards = np.divmod(scene.point.option, CARD_IDS)
    _put_places(table, places)
    _put_cards(scene, table, cards)
    return table


def _put_cards(scene: Scene, table: Numbers, cards: Ints) -> None:
    kinds, numbers = scene.board.cards.kind[cards], scene.board.cards.number[cards]
    for kind in range(4):
        table[:, CARD_AT + kind] = kinds == kind
    cash, thieves = np.flatnonzero(kinds == CASH), np.flatnonzero(kinds == THIEF)
    rows = scene.point.row
    hands, (most, highest) = scene.hands, scene.deck.largest
    _put_cash(scene, table, cash, cards[cash])
    larger = _with_more(scene, hands.largest_cash, scene.in_castle, rows[cash], numbers[cash])
    higher = _with_more(scene, hands.highest_thief, scene.in_hall, rows[thieves], numbers[thieves])
    table[cash, CASH_AT] = numbers[cash] / most
    table[cash, CASH_AT + 2] = larger
    table[thieves, THIEF_AT] = numbers[thieves] / highest
    table[thieves, THIEF_AT + 1] = higher


def _put_cash(scene: Scene, table: Numbers, at: Ints, cards: Ints) -> None:
    """The share of the other own Cash that is less."""
    own = scene.hands.cash[scene.pair[scene.point.row[at]]]
    below = (ONE << scene.deck.place[cards]) - 1
    table[at, CASH_AT + 1] = size(own & below) / np.maximum(size(own) - 1, 1)


def _with_more(scene: Scene, most: Ints, elsewhere: Ints, rows: Ints, numbers: Ints) -> Reals:
    """The share of others who are active, not elsewhere, and hold more."""
    threats = np.where((scene.active & ~elsewhere) == 1, most, 0)[scene.others]
    found = np.zeros(len(rows), np.int64)
    for threat in threats:
        found += threat[rows] > numbers
    return found / len(threats)


# Exhibits.


def _exhibits(scene: Scene) -> Numbers:
    table, point, mine = _empty(scene), scene.point, scene.holdings
    rows, masks, own = point.row, point.option, scene.own[point.row]
    sizes, spans = size(masks), scene.board.pieces.span_length[point.slot // 2]
    known = scene.board.known[point.games][rows]
    numbers = (
        sizes / OF_RUN,
        sizes == mine.size[own],
        (top(masks) + 1) / scene.board.pieces.total,
        size(masks & known) / sizes,
        spans / 6,
        point.slot % 2,
        size(masks & mine.run[own]) / OF_RUN,
        _above_rivals(scene, sizes),
    )
    _put(table, EXHIBIT_AT, numbers)
    return table


def _put(table: Numbers, at: int, columns: tuple[np.typing.ArrayLike, ...]) -> None:
    for i, column in enumerate(columns):
        table[:, at + i] = column


def _above_rivals(scene: Scene, sizes: Ints) -> np.typing.ArrayLike:
    shows = scene.in_castle & scene.shows[EXHIBIT]
    runs = np.where(shows == 1, scene.holdings.size[: len(shows)], -1)
    largest = runs[scene.others].max(axis=0)[scene.point.row]
    return np.where(largest < 0, 0, clipped(sizes - largest, 5))


# Single pieces: of windows and of exhibits.


def _windows(scene: Scene) -> Numbers:
    rows, windows = scene.point.row, scene.point.option
    game = scene.games[rows]
    tops, left = scene.tops[game, windows], scene.left[game, windows]
    nobody = np.full(len(rows), -1, np.int64)
    return _with_pieces(scene, tops, nobody, (left / OF_WINDOW, 0, 0, 0, 0))


def _thefts(scene: Scene) -> Numbers:
    point, rows = scene.point, scene.point.row
    owners = point.owners[rows]
    pairs = scene.games[rows] * scene.seats + owners
    letters = scene.board.pieces.letter[point.option]
    counts = scene.holdings.counts.take(pairs, axis=1)
    last = (
        0,
        loss_of(counts, letters) / OF_GAIN,
        clipped(scene.figures[pairs] - scene.figures[scene.pair[rows]], LEAD),
        counts[letters, np.arange(len(rows))] / OF_LETTER,
        scene.exhibits[pairs] / OF_RUN,
    )
    return _with_pieces(scene, point.option, pairs, last)


def _with_pieces(
    scene: Scene, bits: Ints, owners: Ints, last: tuple[np.typing.ArrayLike, ...]
) -> Numbers:
    """`owners` are pairs, -1 for none."""
    table, mine, own = _empty(scene), scene.holdings, scene.own[scene.point.row]
    letters = scene.board.pieces.letter[bits]
    others = scene.others[:, scene.point.row]
    gains = mine.gains[letters, others] * (others != owners)
    run = (mine.low[own] - 1 <= letters) & (letters <= mine.high[own] + 1)
    numbers = (
        (bits + 1) / scene.board.pieces.total,
        mine.gains[letters, own] / OF_GAIN,
        run & (mine.size[own] > 0),
        mine.counts[letters, own] / OF_LETTER,
        gains.max(axis=0) / OF_GAIN,
        *last,
    )
    _put(table, PIECE_AT, numbers)
    return table


_TABLES: Mapping[Kind, Callable[[Scene], Numbers]] = {
    "place": _places,
    "action": _actions,
    "turn": _turns,
    "window": _windows,
    "exhibit": _exhibits,
    "theft": _thefts,
}
