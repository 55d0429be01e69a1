"""The state of many games of one kind as arrays, and the deal."""

from __future__ import annotations

import numpy as np

from p2p_hoity.rules import Edition, Variant, layout
from p2p_hoity.rules.edition import CARDS_PER_COLOUR

from .cards import Cards
from .kinds import NONE, Bools, Ints
from .pieces import ONE, Pieces


class Board:
    """N games of one edition, S seats and one variant; arrays by game, then seat.

    Open to all, as `p2p_hoity.rules.State` has it: `round` (N,), `colours` and `figures` (N, S),
    `seat_of` (N, 6) the seat of each colour or NONE, `hands` (N, S) masks of Action cards not on
    the table, `known` (N,) mask of the Collectibles open to all wherever they lie, `register` (N,)
    mask, `prison` (N, S) card ids, cell 1 first, NONE where empty, `places` and `actions` (N, S) as
    shown this round or NONE, `exhibits` (N, S) masks of what is still in each exhibit, `shown`
    (N, S) the same before thefts, until the round ends, `exhibiting` (N, S) who played Exhibit,
    `before` (N, S) figures when the Castle phase began, `buyer` (N,) or NONE, `thieves` (N, S)
    whose theft is still to come, `present`, `banned`, `resting`, `joined` (N, S).

    Hidden from others: `held` (N, S) masks of each seat's Collectibles (open are `held & known`);
    `deck` (N, total) the bit in each slot: window w holds the slots `pointer[:, w]` up to
    `ends[w]`, of which only the top is known; `sealed` (N, S) Actions chosen, not yet shown.

    For the course: `running` (N,) games that are in their round; `over` (N,) games that ended and
    were not replaced; `withheld` (N, S) seats whose hidden pieces no one opens at the end.
    """

    def __init__(
        self,
        edition: Edition,
        seats: int,
        variant: Variant,
        games: int,
        rng: np.random.Generator,
    ) -> None:
        """ValueError if this edition or number of seats cannot be played."""
        if (variant is not None) != (seats == 2) or not 2 <= seats <= 6:
            raise ValueError("two seats play surprise or confrontation, three to six neither")
        self.edition, self.seats, self.variant, self.games = edition, seats, variant, games
        self.rng = rng
        self.pieces, self.cards = Pieces(edition), Cards(edition)
        self.octagons: Ints = np.array(edition.octagons, np.int64)
        self.banquet, self.last_field = len(edition.octagons), edition.last_field
        laid = layout(self.pieces.total, seats)
        self.starts: Ints = np.array([window[0] for window in laid.windows], np.int64)
        self.ends: Ints = np.array([window[-1] + 1 for window in laid.windows], np.int64)
        self._make_arrays(games, seats)
        self.deal(np.arange(games))

    def _make_arrays(self, games: int, seats: int) -> None:
        def ints(*shape: int, value: int = 0) -> Ints:
            return np.full(shape, value, np.int64)

        def flags(*shape: int, value: bool = False) -> Bools:
            return np.full(shape, value, np.bool_)

        colours = len(self.edition.colours)
        self.every: Ints = np.arange(games)
        self.round, self.known, self.register = ints(games), ints(games), ints(games)
        self.buyer, self.pointer = ints(games, value=NONE), ints(games, 2)
        self.deck = ints(games, self.pieces.total)
        self.colours, self.seat_of = ints(games, seats), ints(games, colours)
        self.figures, self.before = ints(games, seats), ints(games, seats)
        self.hands, self.held = ints(games, seats), ints(games, seats)
        self.exhibits, self.shown = ints(games, seats), ints(games, seats)
        self.prison, self.places = ints(games, seats), ints(games, seats)
        self.actions, self.sealed = ints(games, seats), ints(games, seats)
        self.thieves, self.exhibiting = flags(games, seats), flags(games, seats)
        self.present, self.banned = flags(games, seats), flags(games, seats)
        self.resting, self.joined = flags(games, seats), flags(games, seats)
        self.withheld = flags(games, seats)
        self.running, self.over = flags(games), flags(games)

    def deal(self, games: Ints) -> None:
        """Begin these games anew: colours, cards and decks at random, everyone present."""
        count, total = len(games), self.pieces.total
        deck = self.rng.permuted(np.tile(np.arange(total), (count, 1)), axis=1)
        colours = len(self.edition.colours)
        drawn = self.rng.permuted(np.tile(np.arange(colours), (count, 1)), axis=1)
        self.lay_out(games, deck, drawn[:, : self.seats])

    def lay_out(self, games: Ints, deck: Ints, colours: Ints) -> None:
        """Begin these games with these decks (bits by slot) and colours (by seat)."""
        seats, rows = self.seats, np.arange(len(games))[:, None]
        self.deck[games], self.colours[games] = deck, colours
        seat_of = np.full((len(games), self.seat_of.shape[1]), NONE, np.int64)
        seat_of[rows, colours] = np.arange(seats)
        self.seat_of[games] = seat_of
        dealt = (ONE << deck[:, : 4 * seats]).reshape(len(games), seats, 4)
        self.held[games] = dealt.sum(axis=2)
        self.hands[games] = np.int64((1 << CARDS_PER_COLOUR) - 1) << (CARDS_PER_COLOUR * colours)
        self.pointer[games] = self.starts
        self.known[games] = (ONE << deck[:, self.starts]).sum(axis=1)
        for array in (self.round, self.register, self.figures, self.before, self.exhibits):
            array[games] = 0
        for array in (self.buyer, self.prison, self.places, self.actions, self.sealed):
            array[games] = NONE
        self.shown[games] = 0
        self.present[games] = True
        for flag in (self.banned, self.resting, self.joined, self.withheld, self.thieves):
            flag[games] = False
        self.exhibiting[games], self.running[games], self.over[games] = False, False, False

    @property
    def active(self) -> Bools:
        """(N, S) who may be asked: present and not sitting out."""
        return self.present & ~self.resting

    @property
    def left(self) -> Bools:
        """(N, 2) which windows hold a Collectible."""
        found: Bools = self.pointer < self.ends
        return found

    @property
    def tops(self) -> Ints:
        """(N, 2) the bit on top of each window, NONE if it is empty."""
        at = np.minimum(self.pointer, self.ends - 1)
        return np.where(self.left, self.deck[self.every[:, None], at], NONE)

    def give_back(self, chosen: Bools) -> None:
        """The Actions on the table of these seats return to their hands."""
        back = chosen & (self.actions >= 0)
        self.hands |= np.where(back, ONE << np.maximum(self.actions, 0), 0)
        self.actions[back] = NONE

    def advance(self, games: Ints, seats: Ints, fields: Ints) -> None:
        """These figures move on; nobody passes the last Banquet field."""
        moved = self.figures[games, seats] + fields
        self.figures[games, seats] = np.minimum(moved, self.last_field)
