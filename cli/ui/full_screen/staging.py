"""Staging of reveals: what happened in one step is cut into beats that a person can follow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

from p2p_hoity.presentation.screen_updates import Happened, Update
from p2p_hoity.rules import Happening, happenings

ALONE: Final = (
    happenings.Sale,
    happenings.CashStolen,
    happenings.CashPaid,
    happenings.TurnedUp,
    happenings.FigureMoved,
    happenings.Stolen,
    happenings.DetectiveRanked,
    happenings.Imprisoned,
    happenings.FinalExhibit,
    happenings.BanquetReached,
    happenings.FaultFound,
)
"""What has a beat of its own; of the rest, what is of one kind is shown together."""


@dataclass(frozen=True)
class Remark:
    """A line of the log, of this screen alone."""

    words: str


Heard = Update | Remark
"""What a scene hears: what a peer tells, and what only a screen knows."""


def _kind(item: Happening) -> object:
    return id(item) if isinstance(item, ALONE) else type(item)


def beats(update: Happened) -> list[Happened]:
    """The update in parts, each with the view behind it; together they are the whole."""
    groups: Iterable[tuple[object, Iterator[Happening]]] = groupby(update.items, _kind)
    return [replace(update, items=tuple(group)) for _, group in groups]


def pause(items: tuple[Happening, ...]) -> float:
    """For how many seconds a beat stays before the next one; 0 for what is no event."""
    if all(
        isinstance(item, happenings.Returned | happenings.RoundBegan | happenings.RoundEnded)
        for item in items
    ):
        return 0.0
    if isinstance(
        items[0], happenings.PlaceShown | happenings.ActionShown | happenings.ExhibitShown
    ):
        return 1.2
    return 0.8
