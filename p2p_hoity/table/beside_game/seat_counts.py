"""Count what each seat has done and suffered in a game, from its events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...rules import Happening, happenings
from .known_progress import SeatCounts


def seat_counts(record: Iterable[Happening], seats: int) -> tuple[SeatCounts, ...]:
    """Return what each of so many seats has done, from all events of a game.

    The last exhibits are not counted, because all seats have to show them.
    """
    found = [SeatCounts()] * seats
    for item in record:
        for seat, more in _of(item):
            found[seat] += more
    return tuple(found)


def _of(item: Happening) -> Iterator[tuple[int, SeatCounts]]:
    """Yield for each seat that an event concerns what is counted."""
    match item:
        case happenings.Stolen(seat=seat, owner=owner):
            yield seat, SeatCounts(pieces_stolen=1)
            yield owner, SeatCounts(pieces_lost=1)
        case happenings.CashStolen(seat=seat, owner=owner):
            yield seat, SeatCounts(cash_stolen=1)
            yield owner, SeatCounts(cash_lost=1)
        case happenings.DetectiveRanked(seat=seat):
            yield seat, SeatCounts(arrests=1)
        case happenings.Imprisoned(seat=seat):
            yield seat, SeatCounts(jailed=1)
        case happenings.ExhibitShown(seat=seat, pieces=pieces):
            yield seat, SeatCounts(exhibits=1, exhibited=len(pieces))
