"""Estimates for the Castle: what Collectibles are worth, and what each Action is worth.

Each seat is assumed to prefer the Action that pays best for it, judged by what is open to all.
Because each preference changes what pays for the other seats, the estimate is repeated until it
hardly changes. This is the logit equilibrium (McKelvey and Palfrey 1995) of a simplified Castle
phase.

Collections are valued in units of one piece of a valid exhibit, and Actions in fields of the track.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, prod

from ..rules import ActionKind, Edition, Place, View, best_exhibit
from ..rules.exhibits import MIN_EXHIBIT, by_letter, two_largest

SHORT_RUN = 0.6
SECOND_RUN = 0.3
LOOSE_PIECE = 0.15
OLD_PIECE = 0.1
PIECE_EARLY, PIECE_LATE = 2.2, 1.2
"""The fields that a piece of a run is worth at the beginning and at the end of the game."""


def promise(edition: Edition, cards: Sequence[int]) -> float:
    """Return the value of a collection.

    The longest run of letters counts in full, and the next longest run less. Single pieces count
    little, and old pieces a little more.
    """
    age = 0.0
    total = len(edition.collectibles)
    for card in cards:
        age += OLD_PIECE * (1 - edition.seniority[card] / total)
    best, second = two_largest(list(map(len, by_letter(edition, cards))))
    full = best if best >= MIN_EXHIBIT else SHORT_RUN * best
    return full + SECOND_RUN * second + LOOSE_PIECE * len(cards) + age


def gain(edition: Edition, cards: Sequence[int], card: int) -> float:
    """Return how much one more Collectible raises the value of a collection."""
    return promise(edition, (*cards, card)) - promise(edition, cards)


def loss(edition: Edition, cards: Sequence[int], card: int) -> float:
    """Return how much the value of a collection falls without one of its Collectibles."""
    return promise(edition, cards) - promise(edition, [c for c in cards if c != card])


E, T, D = ActionKind.EXHIBIT, ActionKind.THIEF, ActionKind.DETECTIVE
Mix = Mapping[ActionKind, float]

IN_CASTLE = 0.6
HIDDEN_PIECE = 0.5
"""The number of pieces by which a hidden Collectible is assumed to enlarge an exhibit."""
THIEF_LOST = 0.8
"""The fields that a Thief in prison costs."""
LEANING = 0.7
"""The difference in value, in fields, that makes an Action e times as likely as another."""
TURNS = 8


@dataclass(frozen=True, slots=True)
class Guest:
    """A seat that is or may be in the Castle, and what it can play there by all that is known.

    Attributes:
        chance: The probability that it is in the Castle.
        size: The probable number of pieces of its best exhibit.
    """

    seat: int
    chance: float
    kinds: tuple[ActionKind, ...]
    size: float
    rank: int


def piece_worth(view: View) -> float:
    """Return how many fields a piece of a run is worth now. More exhibits are to come early on."""
    track = len(view.state.edition.octagons)
    left = max(0.0, 1 - max(view.state.figures) / track)
    return PIECE_LATE + (PIECE_EARLY - PIECE_LATE) * left


def rivals(view: View, place: Place, unknown: float) -> dict[int, float]:
    """Return the other seats that are or may be in a Place, with their probabilities.

    `unknown` is the probability for a seat that has not shown a Place.
    """
    state = view.state
    others = (seat for seat in sorted(state.joined & state.present) if seat != view.seat)
    where = {seat: state.places[seat] for seat in others}
    return {s: unknown if at is None else 1.0 for s, at in where.items() if at in (None, place)}


def guests(view: View) -> list[Guest]:
    """Return the seats that are or may be in the Castle, the view's own seat first.

    For the own seat the size of its best exhibit is exact. For other seats it is estimated.
    """
    others = rivals(view, Place.CASTLE, IN_CASTLE).items()
    return [_oneself(view), *(_guest(view, seat, chance) for seat, chance in others)]


def _guest(view: View, seat: int, chance: float) -> Guest:
    """Estimate what another seat can play in the Castle, where it is with probability `chance`."""
    size = likely_size(view, seat)
    kinds = _kinds(view, seat, size >= MIN_EXHIBIT - 1)
    rank = view.state.ranks(view.state.figures)[seat]
    return Guest(seat, chance, kinds, max(size, float(MIN_EXHIBIT)), rank)


def _oneself(view: View) -> Guest:
    """Return what the view's own seat can play in the Castle."""
    seat = view.seat or 0
    best = best_exhibit(view.state.edition, view.mine().values()) or ()
    kinds = _kinds(view, seat, bool(best))
    return Guest(seat, 1.0, kinds, len(best), view.state.ranks(view.state.figures)[seat])


def _kinds(view: View, seat: int, may_show: bool) -> tuple[ActionKind, ...]:
    """Return the kinds of Actions a seat can play in the Castle, Exhibit only if `may_show`."""
    held = {view.state.kind(card) for card in view.state.hands[seat]}
    return tuple(kind for kind in (E, T, D) if kind in held and (kind != E or may_show))


def likely_size(view: View, seat: int) -> float:
    """Return the probable number of pieces of a seat's best exhibit."""
    best = best_exhibit(view.state.edition, view.held(seat).values()) or ()
    return len(best) + HIDDEN_PIECE * view.hidden(seat)


def can_steal(found: Sequence[Guest], j: int) -> bool:
    """Return whether seat `j` of these can play a Thief, and another one can exhibit."""
    others = (guest for i, guest in enumerate(found) if i != j)
    return T in found[j].kinds and any(E in guest.kinds for guest in others)


# Values of Actions


@dataclass(frozen=True, slots=True)
class Stakes:
    """The fields for the best and the second-best exhibit and for a stolen Collectible."""

    larger: int
    smaller: int
    piece: float


def stakes(view: View) -> Stakes:
    """Return what can be won in this Castle phase, by the octagon of the foremost figure."""
    larger, smaller = view.state.edition.octagons[max(view.state.figures)]
    return Stakes(larger, smaller, piece_worth(view))


def mixtures(found: Sequence[Guest], at_stake: Stakes) -> list[Mix]:
    """Estimate with which probability each seat in the Castle plays each kind of Action."""
    mixes: list[Mix] = [dict.fromkeys(guest.kinds, 1 / len(guest.kinds)) for guest in found]
    for _ in range(TURNS):
        mixes = [
            # The mean with the last estimate keeps the estimates from swinging to and fro.
            _mean_of(mixes[i], leaning(worths(found, mixes, i, at_stake)))
            for i in range(len(found))
        ]
    return mixes


def _mean_of(old: Mix, new: Mix) -> Mix:
    return {kind: (old[kind] + new[kind]) / 2 for kind in old}


def leaning(worth: Mapping[ActionKind, float]) -> Mix:
    """Return a probability for each kind of Action, which grows with its value."""
    top = max(worth.values(), default=0.0)
    # The exponents are at most 0, so that `exp` cannot overflow.
    weights = {kind: exp((value - top) / LEANING) for kind, value in worth.items()}
    total = sum(weights.values())
    return {kind: weight / total for kind, weight in weights.items()}


def worths(
    found: Sequence[Guest], mixes: Sequence[Mix], i: int, at_stake: Stakes
) -> dict[ActionKind, float]:
    """Estimate the value of each Action of seat `i` of these, given how the others play."""
    others = [j for j in range(len(found)) if j != i]

    def chance(j: int, kind: ActionKind) -> float:
        return found[j].chance * mixes[j].get(kind, 0.0)

    worth = {}
    for kind in found[i].kinds:
        if kind == E:
            # It brings the fields for the best or second-best exhibit, less what Thieves take.
            beaten = [chance(j, E) * better(found[j].size, found[i].size) for j in others]
            first = prod(1 - b for b in beaten)
            by_one = (
                b * prod(1 - c for c in beaten[:n] + beaten[n + 1 :]) for n, b in enumerate(beaten)
            )
            second = sum(by_one)
            taken = sum(chance(j, T) for j in others)
            worth[kind] = (
                first * at_stake.larger + second * at_stake.smaller - taken * at_stake.piece
            )
        elif kind == T:
            loot = sum(chance(j, E) for j in others) * at_stake.piece
            caught = 1 - prod(1 - chance(j, D) for j in others)
            worth[kind] = loot - caught * THIEF_LOST
        else:
            worth[kind] = (1 - prod(1 - chance(j, T) for j in others)) * found[i].rank
    return worth


def better(theirs: float, mine: float) -> float:
    """Return the probability that an exhibit of `theirs` pieces beats one of `mine`."""
    return 1 / (1 + exp(1.6 * (mine - theirs)))
