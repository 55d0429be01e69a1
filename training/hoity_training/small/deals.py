"""The cut-down's pieces: a short edition, Action hands of five cards, and the few deals there are.

It is played by the rules of the game, in the variant Surprise. Whoever plays it knows all that
stands here; what a seat does not know is which of the three last Collectibles the other seat got.
"""

from __future__ import annotations

from itertools import permutations
from typing import Final

from p2p_hoity.rules import Edition, State, apply, start
from p2p_hoity.rules.edition import COLOURS, Castle, Collectible, Colour
from p2p_hoity.rules.game_setup import COIN_BYTES
from protocol.game_interface import Dealt

SEATS: Final = 2
ROUNDS: Final = 2
"""After so many the game is stopped, if no figure has reached the Banquet before."""
OWN: Final = (("A", 10), ("B", 40), ("C", 60)), (("A", 20), ("B", 30), ("C", 70))
"""By seat the Collectibles that it always gets."""
LAST: Final = ("D", 80), ("E", 50), ("F", 5)
"""One of these to each seat; what is left lies hidden below the top of the window."""
TOP: Final = ("D", 25)
"""The top of the one window."""
CARDS: Final = (0, 3, 4, 6, 7), (1, 2, 4, 6, 7)
"""By seat, of the eight cards of its colour: a small and a large Cash, a Thief, the Detective and
the Exhibit."""


def edition() -> Edition:
    """Ten Collectibles and a track of a few fields."""
    every = (*OWN[0], *OWN[1], *LAST, TOP)
    return Edition(
        name="small",
        collectibles=tuple(Collectible(letter, year, {}) for letter, year in every),
        colours=tuple(
            Colour(name, (k, 13 - k, 19 - k, 18 + k), (k, 13 - k))
            for k, name in enumerate(COLOURS, 1)
        ),
        club_room=(5, 2),
        castles=(Castle(5, 2, 9),),
        banquet_fields=12,
    )


def decks() -> list[tuple[int, ...]]:
    """The deals, all equally likely: by slot the index of its Collectible."""
    pieces = [(piece.letter, piece.year) for piece in edition().collectibles]
    return [
        tuple(pieces.index(piece) for piece in (*OWN[0], first, *OWN[1], second, TOP, third))
        for first, second, third in permutations(LAST)
    ]


def opening(deck: tuple[int, ...]) -> State:
    """The state when this deck has been dealt."""
    state = start(edition(), SEATS, "surprise")
    tops = {window[0]: deck[window[0]] for window in state.windows}
    state = apply(state, Dealt(bytes(COIN_BYTES), tops))
    hands = tuple(
        tuple(8 * colour + card for card in cards)
        for colour, cards in zip(state.colours, CARDS, strict=True)
    )
    (top,), (below,) = state.windows
    known = tuple(None if slot == below else card for slot, card in enumerate(state.known))
    return state.but(hands=hands, windows=((top, below), ()), known=known)
