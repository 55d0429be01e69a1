"""The moments that decided a game: the rounds in which the winner's lead grew most, and why.

The lead of the winner is the number of fields between the winner's figure and the foremost of the
other figures, negative if that one is ahead. The last exhibits count as a round of their own. The
lead can only grow by a step of the winner's figure, which an exhibit or a Detective has brought.

The cause of a step for an exhibit is the purchase or theft of a piece without which the step had
been shortest, all else being equal. Without a purchase, the buyer had not had the piece. Without a
theft, the piece had stayed with the seat from which it was stolen, and in its exhibit if it showed
one. Of equal ones the latest is the cause.

docs/table.md states this rule for players.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Final

from ..rules import Edition, Happening, Standing, happenings
from ..rules.banquet import FINAL_HONOURS
from ..rules.choices import Why
from ..rules.exhibits import best_exhibit, strength
from ..rules.happenings import FigureMoved, Piece, Sale, Stolen

MOST: Final = 3
"""The number of moments that are told."""
OF_EXHIBITS: Final = frozenset({Why.BEST, Why.SECOND_BEST, *FINAL_HONOURS})
"""The reasons of the steps that an exhibit has brought."""


@dataclass(frozen=True)
class DecidingMoment:
    """A round in which the winner's lead grew, or the last exhibits.

    Attributes:
        round: The number of the round. The last exhibits have that of the last round.
        is_last: Whether this is about the last exhibits.
        exhibit: The pieces of the exhibit that has brought the step. Empty for a Detective.
        lead: The winner's lead before the round.
        cause: The purchase or theft that has brought the step, None if there is none.
        cause_round: The number of the round of the cause. 0 without one.
    """

    round: int
    is_last: bool
    step: FigureMoved
    exhibit: tuple[Piece, ...]
    lead: int
    lead_after: int
    cause: Sale | Stolen | None = None
    cause_round: int = 0


@dataclass
class _Ranking:
    """A ranking of exhibits, in a round or at the end.

    Attributes:
        at: The number of events before it.
        pools: For each seat the Collectibles of which it shows the best exhibit.
        pays: How many fields the best exhibit moves, and the second-best.
    """

    at: int
    pools: dict[int, frozenset[int]] = field(default_factory=dict)
    pays: list[int] = field(default_factory=list)


@dataclass
class _Round:
    """What has happened in a round. `before` and `after` are the fields of all figures."""

    number: int
    is_last: bool
    before: list[int]
    after: list[int]
    ranking: _Ranking
    steps: list[FigureMoved] = field(default_factory=list)
    shown: dict[int, tuple[Piece, ...]] = field(default_factory=dict)

    def growth(self, winners: Set[int]) -> int:
        """Return by how many fields the lead of the winners grew."""
        return _lead(self.after, winners) - _lead(self.before, winners)


def deciding_moments(
    edition: Edition, record: Sequence[Happening], standings: Sequence[Standing]
) -> tuple[DecidingMoment, ...]:
    """Return the moments that decided a game, at most `MOST`, in the order of the game.

    They are those in which the winner's lead grew most, of equal ones the earlier. Several seats on
    the first rank win together, and the lead is that of the last of their figures.

    Args:
        record: All events of the game.
        standings: The final standings. Without them, or if all seats share the first rank, nothing
            was decided.
    """
    winners = frozenset(line.seat for line in standings if line.rank == 1)
    if not 0 < len(winners) < len(standings):
        return ()
    grown = [one for one in _rounds(record, len(standings)) if one.growth(winners) > 0]
    # The sort is stable, so that of equal ones the earlier comes first.
    largest = sorted(grown, key=lambda one: -one.growth(winners))[:MOST]
    return tuple(_moment(edition, record, winners, one) for one in grown if one in largest)


def _rounds(record: Sequence[Happening], seats: int) -> Iterator[_Round]:
    """Find the rounds of a game, and after them the last exhibits."""
    fields = [0] * seats
    one = _Round(0, False, fields, fields, _Ranking(0))
    for at, item in enumerate(record):
        match item:
            case happenings.RoundBegan(round=number):
                yield one
                one = _Round(number, False, one.after, list(one.after), _Ranking(at))
            case happenings.HandOpened():
                if not one.is_last:
                    yield one
                    pays = list(FINAL_HONOURS.values())
                    ranking = _Ranking(at, pays=pays)
                    one = _Round(one.number, True, one.after, list(one.after), ranking)
                one.ranking.pools[item.seat] = _cards(item.pieces)
            case happenings.ExhibitShown(seat, pieces):
                one.ranking.at = at
                one.ranking.pools[seat] = _cards(pieces)
                one.shown[seat] = pieces
            case happenings.FinalExhibit(seat, pieces):
                one.shown[seat] = pieces
            case FigureMoved(seat, _start, end, paid, why):
                one.steps.append(item)
                one.after[seat] = end
                if why in OF_EXHIBITS and not one.is_last:
                    one.ranking.pays.append(paid)
    yield one


def _cards(pieces: Sequence[Piece]) -> frozenset[int]:
    """Return the Collectibles of some pieces, without those that were never opened."""
    return frozenset(piece.card for piece in pieces if piece.card is not None)


def _moment(
    edition: Edition, record: Sequence[Happening], winners: Set[int], one: _Round
) -> DecidingMoment:
    """Return the moment of a round in which the winner's lead grew."""
    before, after = _lead(one.before, winners), _lead(one.after, winners)
    steps = [step for step in one.steps if step.seat in winners]
    step = max(steps, key=lambda step: step.fields)  # The first one of equal ones.
    exhibit = one.shown.get(step.seat, ()) if step.why in OF_EXHIBITS else ()
    found = DecidingMoment(one.number, one.is_last, step, exhibit, before, after)
    cause = _cause(edition, record, one.ranking, step.seat) if exhibit else None
    if cause is None:
        return found
    at, item = cause
    began = (it.round for it in reversed(record[:at]) if isinstance(it, happenings.RoundBegan))
    return replace(found, cause=item, cause_round=next(began, 0))


def _lead(fields: Sequence[int], winners: Set[int]) -> int:
    """Return how far the last figure of the winners is ahead of the foremost of the others."""
    others = (field for seat, field in enumerate(fields) if seat not in winners)
    return min(fields[seat] for seat in winners) - max(others)


def _cause(
    edition: Edition, record: Sequence[Happening], ranking: _Ranking, mover: int
) -> tuple[int, Sale | Stolen] | None:
    """Return the purchase or theft that brought a seat's step, and its place in the record.

    It is None if the step had been as long without any of them.
    """
    shortest, found = _paid(edition, ranking.pools, ranking.pays).get(mover, 0), None
    moved = set[int]()  # The slots of the pieces that change hands again before the exhibits.
    for at in range(ranking.at - 1, -1, -1):
        item = record[at]
        if not isinstance(item, Sale | Stolen):
            continue
        piece = item.took if isinstance(item, Sale) else item.piece
        if piece.slot in moved or piece.card is None:
            continue
        moved.add(piece.slot)
        pools = _undone(ranking.pools, item, piece.card)
        if (steps := _paid(edition, pools, ranking.pays).get(mover, 0)) < shortest:
            shortest, found = steps, (at, item)
    return found


def _undone(
    pools: Mapping[int, frozenset[int]], item: Sale | Stolen, card: int
) -> dict[int, frozenset[int]]:
    """Return what the seats had shown if a piece had not been bought or stolen."""
    found = dict(pools)
    if item.seat in found:
        found[item.seat] = found[item.seat] - {card}
    if isinstance(item, Stolen) and item.owner in found:
        found[item.owner] = found[item.owner] | {card}
    return found


def _paid(
    edition: Edition, pools: Mapping[int, frozenset[int]], pays: Sequence[int]
) -> dict[int, int]:
    """Return how many fields each seat moves for the best exhibit of what it has."""
    exhibits = {seat: best_exhibit(edition, cards) for seat, cards in pools.items()}
    shown = {seat: cards for seat, cards in exhibits.items() if cards is not None}
    ranked = sorted(shown, key=lambda seat: strength(edition, shown[seat]))
    return dict(zip(ranked, pays, strict=False))
