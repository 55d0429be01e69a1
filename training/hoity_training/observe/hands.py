"""Action hands in numbers: which Cash and Thieves, sorted by their number."""

from __future__ import annotations

from typing import Final

import numpy as np

from hoity_training.sim import CASH, DETECTIVE, EXHIBIT, THIEF, Cards, Ints
from hoity_training.sim.pieces import ONE, size, top
from p2p_hoity.rules.edition import CARDS_PER_COLOUR, COLOURS

_COLOURS: Final = len(COLOURS)
_CASHES, _THIEVES = 4 * _COLOURS, 2 * _COLOURS
_DETECTIVE, _EXHIBIT, _SUM = _CASHES + _THIEVES, _CASHES + _THIEVES + 1, 40


class Deck:
    """The Action cards of an edition, sorted: of card c `place[c]` among those of its kind, the
    smallest number first. `cash` and `thief` are the numbers in this order, then a 0; `largest` the
    largest of both."""

    def __init__(self, cards: Cards) -> None:
        ids = [np.flatnonzero(cards.kind == kind) for kind in (CASH, THIEF)]
        ranked = [of_kind[np.argsort(cards.number[of_kind])] for of_kind in ids]
        self.place: Ints = np.zeros(len(cards.kind), np.int64)
        for order in ranked:
            self.place[order] = np.arange(len(order))
        self.cash, self.thief = (np.append(cards.number[order], 0) for order in ranked)
        self.largest = int(self.cash.max()), int(self.thief.max())
        self._sorted = self._table(cards)

    def _table(self, cards: Cards) -> Ints:
        """(6, 256) of each colour and set of its cards the sorted hand."""
        at = np.zeros(len(cards.kind) - 1, np.int64)
        firsts = {CASH: 0, THIEF: _CASHES, DETECTIVE: _DETECTIVE, EXHIBIT: _EXHIBIT}
        for card in range(len(at)):
            kind = int(cards.kind[card])
            at[card] = ONE << (firsts[kind] + self.place[card])
            at[card] |= (cards.number[card] if kind == CASH else 0) << _SUM
        sets = (np.arange(1 << CARDS_PER_COLOUR)[:, None] >> np.arange(CARDS_PER_COLOUR)) & 1
        found: Ints = at.reshape(_COLOURS, CARDS_PER_COLOUR) @ sets.T
        return found

    def sort(self, hands: Ints) -> Ints:
        """(n,) what `Hands` reads: each card's bit by kind and number, and the sum of Cash; of
        other colours than its own a hand has Cash only, so nothing stands twice."""
        octets = np.ascontiguousarray(hands).view(np.uint8).reshape(-1, 8)
        found = np.zeros(len(hands), np.int64)
        for colour in range(_COLOURS):
            found += self._sorted[colour].take(octets[:, colour])
        return found


class Hands:
    """What n hands (masks of cards) hold, each value (n,): `cash` (a mask, by rising number) and
    how many, the `largest_cash` in thousands, the `next_cash`, the sum; how many Thieves, the
    highest and the lowest number (0 without any); 1 if the `detective`, the `exhibit` is there."""

    FIELDS = (
        *("hands", "cash", "cash_count", "largest_cash", "next_cash", "sum_of_cash"),
        *("thief_count", "highest_thief", "lowest_thief", "detective", "exhibit"),
    )

    def __init__(self, deck: Deck, hands: Ints) -> None:
        self.deck, self.hands = deck, hands
        in_order = deck.sort(hands)
        self.cash: Ints = in_order & ((1 << _CASHES) - 1)
        thieves: Ints = (in_order >> _CASHES) & ((1 << _THIEVES) - 1)
        largest = np.maximum(top(self.cash), -1)
        less = self.cash & ~(ONE << np.maximum(largest, 0))
        self.cash_count, self.largest_cash = size(self.cash), deck.cash[largest]
        self.next_cash = deck.cash[np.maximum(top(less), -1)]
        self.sum_of_cash = in_order >> _SUM
        self.thief_count = size(thieves)
        self.highest_thief = deck.thief[np.maximum(top(thieves), -1)]
        self.lowest_thief = deck.thief[np.maximum(top(thieves & -thieves), -1)]
        self.detective: Ints = (in_order >> _DETECTIVE) & 1
        self.exhibit: Ints = (in_order >> _EXHIBIT) & 1

    def update(self, hands: Ints) -> None:
        """Other cards: what they make is reckoned anew where they changed."""
        changed = np.flatnonzero(hands != self.hands)
        if not len(changed):
            return
        part = Hands(self.deck, hands[changed])
        for name in self.FIELDS:
            getattr(self, name)[changed] = getattr(part, name)
