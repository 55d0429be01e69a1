"""What one seat may know: the open state and its own hidden Collectibles; bots and screens see no
more than this.
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
    """One seat's view. `seat` is None for an onlooker; `private` are the seat's own Collectibles
    (slot to index) that are not open to all. `state` holds only what is open to all."""

    state: State
    seat: int | None
    private: tuple[tuple[int, int], ...]

    @property
    def cards(self) -> dict[int, int]:
        """Every slot whose Collectible this seat knows."""
        return {**dict(self.private), **self.state.open_cards(range(len(self.state.known)))}

    def mine(self) -> dict[int, int]:
        """The seat's own Collectibles, slot to index."""
        return {} if self.seat is None else self.held(self.seat)

    def held(self, seat: int) -> dict[int, int]:
        """What this view knows of another seat's Collectibles."""
        cards = self.cards
        return {slot: cards[slot] for slot in self.state.collectibles[seat] if slot in cards}

    def hidden(self, seat: int) -> int:
        """Return how many of a seat's Collectibles this view does not know."""
        return len(self.state.collectibles[seat]) - len(self.held(seat))

    def piece(self, slot: int) -> Piece:
        """What this seat knows of a slot."""
        return piece_of(self.state.edition, slot, self.cards.get(slot))

    def legal(self, kind: Kind) -> tuple[Choice, ...]:
        """The legal choices of this seat; none for an onlooker."""
        return () if self.seat is None else legal(self.state, kind, self.seat, dict(self.private))

    def check(self, kind: Kind, choice: object) -> None:
        """Raise IllegalMove if this seat may not make this choice."""
        check(self.state, kind, -1 if self.seat is None else self.seat, choice, dict(self.private))


def view(state: State, seat: int | None, private: Cards = NO_CARDS) -> View:
    """The view of `seat` (None: an onlooker). Of `private` only the seat's own dealt slots that
    are not open to all are kept."""
    if seat is None:
        return View(state, None, ())
    dealt = range(HAND * seat, HAND * seat + HAND)
    own = {s: card for s, card in private.items() if s in dealt and state.known[s] is None}
    return View(state, seat, tuple(sorted(own.items())))
