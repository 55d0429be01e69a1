"""A simulator of the rules: many games of one kind in lockstep, as arrays.

    table = Table(load(), seats=4, variant=None, games=2048, rng=np.random.default_rng(1))
    point = table.step()
    while True:
        choices = point.at_random(rng)          # (R,) int64, as `Point.option` writes them
        point = table.choose(choices)
        if table.ended is not None:             # games that this choice ended; already dealt anew
            table.ended.games, table.ended.shares   # (E,), (E, S) shares of victory

A round is a fixed course of points: place (or turn), action in the Auction Hall (or all Actions),
window, action in the Castle, exhibit, theft of one Thief after the other. A point holds the rows
(game, seat) that decide it and lists their candidates one after the other, row by row
(`row`, `slot`, `option`, and by row `first`, `count`): see `Point`. A theft has one row for each
exhibit. Any legal choice may be given, listed or not. All state stands in `table.board`, by game
and seat: see `Board` for each array and who may see it, `Pieces` for Collectibles as bits.
"""

from .banquet import Ended
from .board import Board
from .cards import CASH, DETECTIVE, EXHIBIT, THIEF, Cards
from .kinds import CARD_IDS, CASTLE, HALL, KINDS, NONE, VOID, Bools, Floats, Ints, Kind
from .pieces import Pieces
from .points import Point
from .presence import Presence
from .table import Closed, Table

__all__ = [
    "CARD_IDS",
    "CASH",
    "CASTLE",
    "DETECTIVE",
    "EXHIBIT",
    "HALL",
    "KINDS",
    "NONE",
    "THIEF",
    "VOID",
    "Board",
    "Bools",
    "Cards",
    "Closed",
    "Ended",
    "Floats",
    "Ints",
    "Kind",
    "Pieces",
    "Point",
    "Presence",
    "Table",
]
