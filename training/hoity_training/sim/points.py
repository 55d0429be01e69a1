"""Decision points: who decides now, and between which candidates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .board import Board
from .kinds import CARD_IDS, HALL, Bools, Ints, Kind
from .pieces import ONE, size, top_bit


@dataclass(frozen=True)
class Point:
    """One kind of choice, asked of R rows at once; rows rise by game, then seat, then owner.

    `games`, `seats` (R,): whose choice each row is; `owners` (R,): whose exhibit a theft is from (a
    Thief decides one row for each exhibit), else -1. The K candidates of all rows one after the
    other: `row` (K,) whose, `slot` (K,) which of the kind's fixed slots, `option` (K,) what a
    choice is written as: place 0 Castle, 1 Auction Hall; action a card id; turn `place * 48 +
    card`; window 0 or 1; exhibit a mask of pieces; theft the bit of a piece. Row r has the
    candidates `first[r]` up to `first[r] + count[r]`.
    """

    kind: Kind
    games: Ints
    seats: Ints
    owners: Ints
    row: Ints
    slot: Ints
    option: Ints
    first: Ints
    count: Ints

    def __len__(self) -> int:
        return len(self.games)

    def pick(self, nth: Ints) -> Ints:
        """(R,) the choice that is each row's candidate of this number."""
        chosen: Ints = self.option[self.first + nth]
        return chosen

    def at_random(self, rng: np.random.Generator) -> Ints:
        """(R,) a choice for each row, all candidates equally likely."""
        return self.pick((rng.random(len(self.games)) * self.count).astype(np.int64))


def bits_of(masks: Ints, width: int) -> tuple[Ints, Ints]:
    """Row and bit of every bit set below `width`, rising."""
    octets = -(-width // 8)
    bytes_ = np.ascontiguousarray(masks).view(np.uint8).reshape(-1, 8)[:, :octets]
    flat = np.flatnonzero(np.unpackbits(bytes_, axis=1, bitorder="little").view(np.bool_))
    if octets & (octets - 1) == 0:
        shift = (8 * octets).bit_length() - 1
        return flat >> shift, flat & (8 * octets - 1)
    row, bit = np.divmod(flat, 8 * octets)
    return row, bit


def point(kind: Kind, games: Ints, seats: Ints, masks: Ints, width: int) -> Point:
    """A point whose candidates are the bits of each row's mask."""
    row, slot = bits_of(masks, width)
    count = size(masks)
    nobody = np.full(len(games), -1, np.int64)
    return Point(kind, games, seats, nobody, row, slot, slot, np.cumsum(count) - count, count)


def where(asked: Bools) -> tuple[Ints, Ints]:
    """Game and seat of everyone who is asked, rising."""
    games, seats = np.nonzero(asked)
    return games, seats


# The kinds, each of its own candidates.


def place_point(board: Board, asked: Bools) -> Point:
    """The Castle; the Auction Hall too for who holds what is played there."""
    games, seats = where(asked)
    hall = ((board.hands[games, seats] & board.cards.hall) != 0).astype(np.int64)
    hall &= board.left[games].any(axis=1)
    return point("place", games, seats, 1 | (hall << HALL), 2)


def legal_actions(board: Board, games: Ints, seats: Ints, places: Ints) -> Ints:
    """(R,) masks of the cards that may be played there; an Exhibit only with a valid exhibit."""
    castle = np.full(len(games), board.cards.castle, np.int64)
    exhibit = board.pieces.holds_exhibit(board.held[games, seats])
    castle[~exhibit] &= ~board.cards.exhibits
    belongs = np.where(places == HALL, board.cards.hall, castle)
    found: Ints = board.hands[games, seats] & belongs
    return found


def action_point(board: Board, asked: Bools) -> Point:
    """Every card of the hand that may be played in the seat's Place; slot and option are its id."""
    games, seats = where(asked)
    legal = legal_actions(board, games, seats, board.places[games, seats])
    return point("action", games, seats, legal, CARD_IDS)


def turn_point(board: Board, asked: Bools) -> Point:
    """Every Place with every card for it."""
    games, seats = where(asked)
    masks = np.empty((len(games), 2), np.int64)
    for place in (0, HALL):
        there = np.full(len(games), place, np.int64)
        masks[:, place] = legal_actions(board, games, seats, there)
    masks[:, HALL] *= board.left[games].any(axis=1)
    twice, card = bits_of(masks.reshape(-1), CARD_IDS)
    option = (twice & 1) * CARD_IDS + card
    count = size(masks).sum(axis=1)
    nobody = np.full(len(games), -1, np.int64)
    first = np.cumsum(count) - count
    return Point("turn", games, seats, nobody, twice >> 1, option, option, first, count)


def window_point(board: Board, games: Ints, seats: Ints) -> Point:
    """The windows that hold a Collectible."""
    left = board.left[games].astype(np.int64)
    return point("window", games, seats, left[:, 0] | (left[:, 1] << 1), 2)


def exhibit_point(board: Board, asked: Bools) -> Point:
    """42 slots: span k whole is slot 2k, its smallest form, where that is another, slot 2k + 1."""
    games, seats = where(asked)
    held = board.held[games, seats]
    forms = exhibit_forms(board, held)
    legal = forms.reshape(len(games), -1)
    row, slot = np.nonzero(legal)
    count = np.count_nonzero(legal, axis=1).astype(np.int64)
    nobody, first = np.full(len(games), -1, np.int64), np.cumsum(count) - count
    return Point("exhibit", games, seats, nobody, row, slot, legal[row, slot], first, count)


def exhibit_forms(board: Board, held: Ints) -> Ints:
    """(R, 21, 2) by span: all its pieces, and the oldest of each letter filled up with the oldest
    others to three; 0 where the span is no valid exhibit, or the second form no other."""
    pieces = board.pieces
    letters, oldest = np.zeros(len(held), np.int64), np.zeros(len(held), np.int64)
    for i, mask in enumerate(pieces.of_letter):
        part = held & mask
        letters |= (part != 0).astype(np.int64) << i
        oldest |= top_bit(part)
    whole = held[:, None] & pieces.span_pieces
    valid = (letters[:, None] & pieces.span_letters) == pieces.span_letters
    whole *= valid & (np.bitwise_count(whole) >= 3)
    least = oldest[:, None] & whole
    for length in (2, 1):
        short = pieces.span_length <= length
        least[:, short] |= top_bit(whole[:, short] & ~least[:, short])
    least *= least != whole
    return np.stack([whole, least], axis=2)


def theft_point(board: Board, games: Ints, thieves: Ints) -> Point:
    """Of each exhibit that has a piece left the oldest of each letter; slot 0 is A."""
    at, owners = np.nonzero(board.exhibits[games])
    games, thieves = games[at], thieves[at]
    left = board.exhibits[games, owners]
    oldest = np.stack([top_bit(left & mask) for mask in board.pieces.of_letter], axis=1)
    row, slot = np.nonzero(oldest)
    count = np.count_nonzero(oldest, axis=1).astype(np.int64)
    option = bit_number(oldest[row, slot])
    first = np.cumsum(count) - count
    return Point("theft", games, thieves, owners, row, slot, option, first, count)


def bit_number(alone: Ints) -> Ints:
    """The number of the only bit that is set."""
    return size(alone - ONE)
