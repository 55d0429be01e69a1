"""Action hands in numbers: which Cash and Thieves, sorted by their number."""

from __future__ import annotations

from functools import cached_property
from typing import Final

import numpy as np

from p2p_hoity.rules import COLOURS
from p2p_hoity.rules.edition import CARDS_PER_COLOUR
from training.sim import CASH, DETECTIVE, EXHIBIT, THIEF, Cards, Ints
from training.sim.pieces import ONE, size, top

_COLOURS: Final = len(COLOURS)
_CASHES, _THIEVES = 4 * _COLOURS, 2 * _COLOURS
_DETECTIVE, _EXHIBIT, _SUM = _CASHES + _THIEVES, _CASHES + _THIEVES + 1, 40


class Deck:
    """The Action cards of an edition, sorted: of card c `place[c]` among those of its kind, the
    smallest number first. `cash` and `thief` are the numbers in this order."""

    def __init__(self, cards: Cards) -> None:
        ids = [np.flatnonzero(cards.kind == kind) for kind in (CASH, THIEF)]
        ranked = [of_kind[np.argsort(cards.number[of_kind])] for of_kind in ids]
        self.place: Ints = np.zeros(len(cards.kind), np.int64)
        for order in ranked:
            self.place[order] = np.arange(len(order))
        # One number more for each, so that what no hand has is 0.
        self.cash, self.thief = (np.append(cards.number[order], 0) for order in ranked)
        self.largest = int(self.cash.max()), int(self.thief.max())
        self._sorted = self._table(cards)

    def _table(self, cards: Cards) -> Ints:
        """(6, 256) of each colour and set of its cards the sorted hand."""
        at = np.zeros(len(cards.kind) - 1, np.int64)
        for card in range(len(at)):
            kind = cards.kind[card]
            first = {CASH: 0, THIEF: _CASHES, DETECTIVE: _DETECTIVE, EXHIBIT: _EXHIBIT}[int(kind)]
            at[card] = ONE << (first + self.place[card])
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
    """What n hands hold, each value (n,)."""

    def __init__(self, deck: Deck, hands: Ints) -> None:
        self.deck = deck
        self._sorted = deck.sort(hands)
        self.cash: Ints = self._sorted & ((1 << _CASHES) - 1)
        self.thieves: Ints = (self._sorted >> _CASHES) & ((1 << _THIEVES) - 1)

    @cached_property
    def cash_count(self) -> Ints:
        """How many Cash."""
        return size(self.cash)

    @cached_property
    def largest_cash(self) -> Ints:
        """In thousands, 0 without any."""
        found: Ints = self.deck.cash[top(self.cash).clip(-1)]
        return found

    @cached_property
    def next_cash(self) -> Ints:
        """The largest but one."""
        largest = ONE << top(self.cash).clip(0)
        found: Ints = self.deck.cash[top(self.cash & ~largest).clip(-1)]
        return found

    @cached_property
    def sum_of_cash(self) -> Ints:
        """All of it."""
        found: Ints = self._sorted >> _SUM
        return found

    @cached_property
    def thief_count(self) -> Ints:
        """How many Thieves."""
        return size(self.thieves)

    @cached_property
    def highest_thief(self) -> Ints:
        """Its number, 0 without any."""
        found: Ints = self.deck.thief[top(self.thieves).clip(-1)]
        return found

    @cached_property
    def lowest_thief(self) -> Ints:
        """Its number, 0 without any."""
        found: Ints = self.deck.thief[top(self.thieves & -self.thieves).clip(-1)]
        return found

    @cached_property
    def detective(self) -> Ints:
        """1 if it is in the hand."""
        found: Ints = (self._sorted >> _DETECTIVE) & 1
        return found

    @cached_property
    def exhibit(self) -> Ints:
        """1 if it is in the hand."""
        found: Ints = (self._sorted >> _EXHIBIT) & 1
        return found
