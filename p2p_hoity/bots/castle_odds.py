"""The Castle as a game of odds: what Collectibles are worth, and what each Action is then worth.

Every seat is taken to lean to what pays best for it, as far as all can see; each leaning changes
what pays for the others, so it is reckoned in turns until it hardly moves. This is the logit
equilibrium (McKelvey, Palfrey, 1995) of a coarse picture of one Castle phase.
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
"""Fields that a piece of one's run is worth, when the game begins and when it ends."""


def promise(edition: Edition, cards: Sequence[int]) -> float:
    """A collection's promise in pieces: its longest run counts full, the next less, loose pieces
    little, old ones a little more."""
    age = 0.0
    total = len(edition.collectibles)
    for card in cards:
        age += OLD_PIECE * (1 - edition.seniority[card] / total)
    best, second = two_largest(list(map(len, by_letter(edition, cards))))
    full = best if best >= MIN_EXHIBIT else SHORT_RUN * best
    return full + SECOND_RUN * second + LOOSE_PIECE * len(cards) + age


def gain(edition: Edition, cards: Sequence[int], card: int) -> float:
    """What one more Collectible adds."""
    return promise(edition, (*cards, card)) - promise(edition, cards)


def loss(edition: Edition, cards: Sequence[int], card: int) -> float:
    """What goes with this Collectible."""
    return promise(edition, cards) - promise(edition, [c for c in cards if c != card])


E, T, D = ActionKind.EXHIBIT, ActionKind.THIEF, ActionKind.DETECTIVE
Mix = Mapping[ActionKind, float]

IN_CASTLE = 0.6
HIDDEN_PIECE = 0.5
"""How much of a piece of an exhibit a hidden Collectible is taken for."""
THIEF_LOST = 0.8
"""Fields that a Thief in prison costs."""
LEANING = 0.7
"""Fields of difference that make a seat e times as likely to choose one thing over another."""
TURNS = 8


@dataclass(frozen=True, slots=True)
class Guest:
    """A seat that is, or may be, in the Castle: what it can play, as far as all can see."""

    seat: int
    chance: float
    kinds: tuple[ActionKind, ...]
    size: float
    rank: int


def piece_worth(view: View) -> float:
    """Fields that a Collectible of one's run is worth: the more, the more is still to be shown."""
    track = len(view.state.edition.octagons)
    left = max(0.0, 1 - max(view.state.figures) / track)
    return PIECE_LATE + (PIECE_EARLY - PIECE_LATE) * left


def rivals(view: View, place: Place, unknown: float) -> dict[int, float]:
    """The other seats that are or may be in a Place, with how likely each is there.

    Args:
        view: What is known.
        place: The Place.
        unknown: How likely a seat is there that is in no Place yet.
    """
    state = view.state
    others = (seat for seat in sorted(state.joined & state.present) if seat != view.seat)
    where = {seat: state.places[seat] for seat in others}
    return {s: unknown if at is None else 1.0 for s, at in where.items() if at in (None, place)}


def guests(view: View) -> list[Guest]:
    """The view's own seat first, with its true exhibit, then the others as far as it knows them."""
    others = rivals(view, Place.CASTLE, IN_CASTLE).items()
    return [_oneself(view), *(_guest(view, seat, chance) for seat, chance in others)]


def _guest(view: View, seat: int, chance: float) -> Guest:
    size = likely_size(view, seat)
    kinds = _kinds(view, seat, size >= MIN_EXHIBIT - 1)
    rank = view.state.ranks(view.state.figures)[seat]
    return Guest(seat, chance, kinds, max(size, float(MIN_EXHIBIT)), rank)


def _oneself(view: View) -> Guest:
    seat = view.seat or 0
    best = best_exhibit(view.state.edition, view.mine().values()) or ()
    kinds = _kinds(view, seat, bool(best))
    return Guest(seat, 1.0, kinds, len(best), view.state.ranks(view.state.figures)[seat])


def _kinds(view: View, seat: int, may_show: bool) -> tuple[ActionKind, ...]:
    held = {view.state.kind(card) for card in view.state.hands[seat]}
    return tuple(kind for kind in (E, T, D) if kind in held and (kind != E or may_show))


def likely_size(view: View, seat: int) -> float:
    """How many Collectibles the best exhibit of a seat may have."""
    best = best_exhibit(view.state.edition, view.held(seat).values()) or ()
    return len(best) + HIDDEN_PIECE * view.hidden(seat)


def can_steal(found: Sequence[Guest], j: int) -> bool:
    """Whether a Thief of the j-th may gain anything: someone else may have something to show."""
    others = (guest for i, guest in enumerate(found) if i != j)
    return T in found[j].kinds and any(E in guest.kinds for guest in others)


# What each Action is worth.


@dataclass(frozen=True, slots=True)
class Stakes:
    """What this Castle phase is about, in fields."""

    larger: int
    smaller: int
    piece: float


def stakes(view: View) -> Stakes:
    """By the octagon of the leader's field."""
    larger, smaller = view.state.edition.octagons[max(view.state.figures)]
    return Stakes(larger, smaller, piece_worth(view))


def mixtures(found: Sequence[Guest], at_stake: Stakes) -> list[Mix]:
    """How likely each of them plays what."""
    mixes: list[Mix] = [dict.fromkeys(guest.kinds, 1 / len(guest.kinds)) for guest in found]
    for _ in range(TURNS):
        mixes = [
            _between(mixes[i], leaning(worths(found, mixes, i, at_stake)))
            for i in range(len(found))
        ]
    return mixes


def _between(old: Mix, new: Mix) -> Mix:
    return {kind: (old[kind] + new[kind]) / 2 for kind in old}


def leaning(worth: Mapping[ActionKind, float]) -> Mix:
    """Likelier the more it is worth."""
    top = max(worth.values(), default=0.0)
    weights = {kind: exp((value - top) / LEANING) for kind, value in worth.items()}
    total = sum(weights.values())
    return {kind: weight / total for kind, weight in weights.items()}


def worths(
    found: Sequence[Guest], mixes: Sequence[Mix], i: int, at_stake: Stakes
) -> dict[ActionKind, float]:
    """What each Action of the i-th is worth, in fields, if the others mix so."""
    others = [j for j in range(len(found)) if j != i]

    def chance(j: int, kind: ActionKind) -> float:
        return found[j].chance * mixes[j].get(kind, 0.0)

    worth = {}
    for kind in found[i].kinds:
        if kind == E:
            # The fields for the best or second-best exhibit, less what Thieves take of it.
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
    """How likely an exhibit of about so many pieces beats one of mine."""
    return 1 / (1 + exp(1.6 * (mine - theirs)))
