"""The view of one seat: all that is open to everybody, and the seat's own hidden Collectibles.

Bots and screens see the game only through such a view.
"""

from __future__ import annotations

from dataclasses import dataclass

from protocol.game_interface import NOTHING_ASKED, Cards, Choice, IllegalMove

from .choices import Kind
from .game_state import HAND, State, piece_of
from .happenings import Piece
from .legality import NO_CARDS, check, legal


@dataclass(frozen=True, slots=True)
class View:
    """Everything that one seat or an onlooker may know of a game.

    Attributes:
        seat: None for an onlooker.
        private: The seat's own Collectibles that are not open to all, as pairs of slot and index.
    """

    state: State
    seat: int | None
    private: tuple[tuple[int, int], ...]

    @property
    def cards(self) -> dict[int, int]:
        """The Collectible of every slot that this seat knows."""
        return {**dict(self.private), **self.state.open_cards(range(len(self.state.known)))}

    def mine(self) -> dict[int, int]:
        """Return the seat's own Collectibles by slot. They are none for an onlooker."""
        return {} if self.seat is None else self.held(self.seat)

    def held(self, seat: int) -> dict[int, int]:
        """Return those Collectibles of a seat that this view knows, by slot."""
        cards = self.cards
        return {slot: cards[slot] for slot in self.state.collectibles[seat] if slot in cards}

    def hidden(self, seat: int) -> int:
        """Return how many of a seat's Collectibles this view does not know."""
        return len(self.state.collectibles[seat]) - len(self.held(seat))

    def piece(self, slot: int) -> Piece:
        """Return a slot with its Collectible, which is None if it is hidden from this view."""
        return piece_of(self.state.edition, slot, self.cards.get(slot))

    def legal(self, kind: Kind) -> tuple[Choice, ...]:
        """Return the choices that `legality.legal` lists, none for an onlooker."""
        return () if self.seat is None else legal(self.state, kind, self.seat, dict(self.private))

    def check(self, kind: Kind, choice: object) -> None:
        """Check that the rules allow this seat a choice, which may be of any form.

        Raises:
            IllegalMove: If the rules forbid the choice, or with `NOTHING_ASKED` for an onlooker.
        """
        if self.seat is None:
            raise IllegalMove(NOTHING_ASKED)
        check(self.state, kind, self.seat, choice, dict(self.private))


def view(state: State, seat: int | None, private: Cards = NO_CARDS) -> View:
    """Return the view of a seat, or of an onlooker if `seat` is None."""
    if seat is None:
        return View(state, None, ())
    dealt = range(HAND * seat, HAND * seat + HAND)
    # Whatever the caller passes, a view has no hidden Collectible that another seat was dealt.
    own = {s: card for s, card in private.items() if s in dealt and state.known[s] is None}
    return View(state, seat, tuple(sorted(own.items())))
