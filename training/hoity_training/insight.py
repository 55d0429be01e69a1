"""What one who sees all sees of a game: numbers for the critic, every hand included."""

from __future__ import annotations

from typing import Final

import numpy as np

from .rows import Numbers
from .sim import CASTLE, HALL, KINDS, Board, Ints, Kind
from .sim.pieces import ONE, top

SEAT_NUMBERS: Final = 55
TABLE_NUMBERS: Final = 41
LETTERS: Final = 6
MOST_SEATS: Final = 6


def insight(board: Board, games: Ints, kind: Kind) -> tuple[Numbers, Numbers]:
    """Of these games (G,) by seat (G, S, SEAT_NUMBERS), and of each table (G, TABLE_NUMBERS)."""
    seats = np.concatenate(
        [
            _track(board, games),
            _pieces(board, games),
            _hands(board, games),
            _round(board, games),
        ],
        axis=2,
        dtype=np.float32,
    )
    return seats, _table(board, games, kind)


def _track(board: Board, games: Ints) -> Numbers:
    figures = board.figures[games]
    ahead = (figures[:, None, :] > figures[:, :, None]).sum(2)
    leader = figures.max(1, keepdims=True)
    return _stack(figures / 50, (figures - leader) / 10, ahead / board.seats)


def _pieces(board: Board, games: Ints) -> Numbers:
    pieces, held, known = board.pieces, board.held[games], board.known[games][:, None]
    best = pieces.best_exhibit(held)
    strength = np.where(best != 0, pieces.strength(best), 0)
    better = (strength[:, None, :] > strength[:, :, None]).sum(2)
    age = (top(held[..., None] & pieces.of_letter) + 1).clip(0) / pieces.total
    counts, open_counts = pieces.counts(held), pieces.counts(held & known)
    numbers = _stack(
        np.bitwise_count(best) / 10,
        best != 0,
        better / board.seats,
        np.bitwise_count(pieces.best_exhibit(held & known)) / 10,
        counts.sum(2) / 15,
    )
    return np.concatenate([counts / 5, open_counts / 5, age, numbers], axis=2, dtype=np.float32)


def _hands(board: Board, games: Ints) -> Numbers:
    cards, hands = board.cards, board.hands[games]
    bits = (hands[..., None] >> np.arange(48)) & 1
    values = bits * cards.number[:48]
    cash = values * (cards.kind[:48] == 0)
    owned = (ONE * 0xFF) << (8 * board.colours[games])
    thieves = values * (cards.kind[:48] == 1)
    inside = _in_prison(board, games)
    kinds = [np.bitwise_count(hands & mask) for mask in cards.of_kind]
    return _stack(
        kinds[0] / 4,
        cash.max(2) / 24,
        cash.sum(2) / 50,
        kinds[1] / 2,
        thieves.max(2) / 12,
        kinds[2],
        kinds[3],
        np.bitwise_count(inside & owned) / 2,
    )


def _in_prison(board: Board, games: Ints) -> Ints:
    prison = board.prison[games]
    masks = np.where(prison >= 0, ONE << prison.clip(0), 0)
    found: Ints = np.bitwise_or.reduce(masks, axis=1)[:, None]
    return found


def _round(board: Board, games: Ints) -> Numbers:
    places, kind = board.places[games], board.cards.kind
    shown, sealed = kind[board.actions[games]], kind[board.sealed[games].clip(-1)]
    left, tops = board.exhibits[games], board.tops[games]
    return _stack(
        places == CASTLE,
        places == HALL,
        *(shown == k for k in range(4)),
        *(sealed == k for k in range(4)),
        np.bitwise_count(left) / 10,
        left != 0,
        board.thieves[games],
        board.active[games],
        board.exhibiting[games],
        *(_gain(board, games, tops[:, window]) / 4 for window in (0, 1)),
        board.buyer[games][:, None] == np.arange(board.seats),
        board.cards.number[board.actions[games]] / 24,
        board.cards.number[board.sealed[games].clip(-1)] / 24,
        np.broadcast_to((board.round[games] % 2)[:, None], places.shape),
    )


def _gain(board: Board, games: Ints, tops: Ints) -> Ints:
    """(G, S) by how much a top makes each seat's largest run of letters larger."""
    held = board.held[games]
    more = held | np.where(tops >= 0, ONE << tops.clip(0), 0)[:, None]
    return _run(board, more) - _run(board, held)


def _run(board: Board, masks: Ints) -> Ints:
    run, best = np.zeros(masks.shape, np.int64), np.zeros(masks.shape, np.int64)
    for letter in board.pieces.of_letter:
        count = np.bitwise_count(masks & letter)
        run = (run + count) * (count != 0)
        best = np.maximum(best, run)
    return best


def _table(board: Board, games: Ints, kind: Kind) -> Numbers:
    made = np.zeros((len(games), TABLE_NUMBERS), np.float32)
    switches, leader = board.edition.switches, board.figures[games].max(1)
    made[:, KINDS.index(kind)] = 1
    made[:, 6 + board.seats - 2] = 1
    made[:, 11] = board.variant == "surprise"
    made[:, 12] = board.variant == "confrontation"
    made[:, 13] = switches.action_choice == "together"
    made[:, 14] = switches.detective_in_hall
    made[:, 15] = switches.detective_rank == "before"
    made[:, 16] = leader / 50
    made[:, 17] = (1 - (board.banquet - leader) / 10).clip(0)
    made[:, 18:20] = board.octagons[board.before[games].max(1)] / 5
    made[:, 20] = (board.prison[games] >= 0).sum(1) / board.seats
    made[:, 21] = board.round[games] / 30
    for window, at in ((0, 22), (1, 31)):
        tops = board.tops[games, window]
        made[:, at] = (tops + 1) / board.pieces.total
        made[:, at + 1] = (board.ends[window] - board.pointer[games, window]) / 24
        letters = board.pieces.letter[tops.clip(0)]
        made[np.arange(len(games)), at + 2 + letters] = tops >= 0
    made[:, 40] = board.left[games].any(1)
    return made


def _stack(*parts: object) -> Numbers:
    return np.stack([np.asarray(part, np.float32) for part in parts], axis=2)
