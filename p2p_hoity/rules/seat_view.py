"""The view of one seat: all that is open to everybody, and the seat's own hidden Collectibles.

Bots and screens see the game only through such a view.
"""

from __future__ import annotations

from dataclasses import dataclass

from protocol.game_interface import Cards, Choice

from .choices import Kind
from .game_state import HAND, State, piece_of
from .happenings import Piece
from .legality import NO_CARDS, check, legal


@dataclass(frozen=True, slots=True)
class View:
    """Everything that one seat or an onlooker may know of a game.

    Attributes:
        state: The state, which has only what is open to all.
        seat: The seat. None for an onlooker.
        private: The seat's own Collectibles that are not open to all: pairs of the slot in the deck
            and the index in `Edition.collectibles`.
    """

    state: State
    seat: int | None
    private: tuple[tuple[int, int], ...]

    @property
    def cards(self) -> dict[int, int]:
        """The Collectible of every deck slot that this seat knows."""
        return {**dict(self.private), **self.state.open_cards(range(len(self.state.known)))}

    def mine(self) -> dict[int, int]:
        """Return the seat's own Collectibles.

        Returns:
            The Collectible by deck slot. Empty for an onlooker.
        """
        return {} if self.seat is None else self.held(self.seat)

    def held(self, seat: int) -> dict[int, int]:
        """Return those Collectibles of a seat that this view knows.

        Returns:
            A dict from slots (positions in the deck) to the indices of the Collectibles in the
            edition.
        """
        cards = self.cards
        return {slot: cards[slot] for slot in self.state.collectibles[seat] if slot in cards}

    def hidden(self, seat: int) -> int:
        """Return how many of a seat's Collectibles this view does not know."""
        return len(self.state.collectibles[seat]) - len(self.held(seat))

    def piece(self, slot: int) -> Piece:
        """Return what this view knows of a slot (a position in the deck).

        Returns:
            The slot, and the card, letter and year of its Collectible. These three are None if the
            Collectible is hidden from this view.
        """
        return piece_of(self.state.edition, slot, self.cards.get(slot))

    def legal(self, kind: Kind) -> tuple[Choice, ...]:
        """Return the legal choices of this seat, as `legality.legal` lists them.

        Returns:
            The choices. Empty for an onlooker.
        """
        return () if self.seat is None else legal(self.state, kind, self.seat, dict(self.private))

    def check(self, kind: Kind, choice: object) -> None:
        """Check that the rules allow this seat a choice.

        Args:
            choice: The choice, of any form.

        Raises:
            IllegalMove: If the rules forbid the choice.
        """
        check(self.state, kind, -1 if self.seat is None else self.seat, choice, dict(self.private))


def view(state: State, seat: int | None, private: Cards = NO_CARDS) -> View:
    """Return the view of a seat or an onlooker.

    Args:
        seat: The seat. None for an onlooker.
        private: The Collectibles that the seat knows, by deck slot. Only the Collectibles that were
            dealt to this seat and are not open to all are used.
    """
    if seat is None:
        return View(state, None, ())
    dealt = range(HAND * seat, HAND * seat + HAND)
    own = {s: card for s, card in private.items() if s in dealt and state.known[s] is None}
    return View(state, seat, tuple(sorted(own.items())))
