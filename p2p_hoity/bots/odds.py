"""What a seat may expect of the others in the Castle, from what its view holds."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, prod

from ..rules import ActionKind, Place, View, best_exhibit
from ..rules.exhibits import MIN_EXHIBIT

EXHIBIT, THIEF, DETECTIVE = 0.4, 0.36, 0.24
IN_CASTLE = 0.55
HIDDEN_PIECE = 0.5
"""How much of a piece of an exhibit a hidden Collectible is taken for."""


@dataclass(frozen=True, slots=True)
class Rival:
    """Another seat: how likely it plays what in the Castle, and how large its exhibit may be."""

    exhibit: float
    thief: float
    detective: float
    size: float


def rivals(view: View) -> list[Rival]:
    """The seats that are, or may yet be, in the Castle this round."""
    state = view.state
    others = [s for s in sorted(state.joined & state.present) if s != view.seat]
    found = []
    for seat in others:
        chance = _in_castle(view, seat)
        if chance:
            found.append(_rival(view, seat, chance))
    return found


def _in_castle(view: View, seat: int) -> float:
    place = view.state.places[seat]
    if place is None:
        return IN_CASTLE
    return float(place == Place.CASTLE)


def _rival(view: View, seat: int, chance: float) -> Rival:
    state = view.state
    hand = [state.kind(card) for card in state.hands[seat]]
    size = likely_size(view, seat)
    weights = [
        EXHIBIT * (ActionKind.EXHIBIT in hand) * (1.0 if size >= MIN_EXHIBIT else 0.4),
        THIEF * (ActionKind.THIEF in hand),
        DETECTIVE,
    ]
    total = sum(weights)
    exhibit, thief, detective = (chance * weight / total for weight in weights)
    return Rival(exhibit, thief, detective, max(size, float(MIN_EXHIBIT)))


def likely_size(view: View, seat: int) -> float:
    """How many Collectibles the best exhibit of a seat may have."""
    known = view.held(seat)
    best = best_exhibit(view.state.edition, known.values()) or ()
    hidden = len(view.state.collectibles[seat]) - len(known)
    return len(best) + HIDDEN_PIECE * hidden


def beaten_by(mine: int, rival: Rival) -> float:
    """How likely this rival shows a better exhibit than mine of so many pieces."""
    return rival.exhibit / (1 + exp(1.6 * (mine - rival.size)))


def none(chances: list[float]) -> float:
    """How likely none of these comes true."""
    return prod(1 - chance for chance in chances)
