"""Staging of reveals: what happened in one step is cut into beats that a person can follow.

A `Staging` is frozen. What comes while a reveal is shown waits until the reveal is over.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

from protocol.bounds import Quota, Seconds

from .. import rules
from ..rules import Happening, happenings
from .scene import Beat
from .screen_updates import (
    ChoiceTaken,
    Choosing,
    Ended,
    GameOver,
    Happened,
    Rewound,
    Started,
    Update,
)

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
"""Happenings that have a beat of their own. Of the rest, those of one kind are shown together."""
SILENT: Final = (happenings.Returned, happenings.RoundBegan, happenings.RoundEnded)
"""Happenings for which a reveal does not pause."""
SHOWN: Final = (happenings.PlaceShown, happenings.ActionShown, happenings.ExhibitShown)
"""Happenings that take longer to look at."""
LONG_PAUSE: Final[Seconds] = 1.2
SHORT_PAUSE: Final[Seconds] = 0.8
"""Seconds for which a beat stays before the next one."""
MOST_BEATS: Final[Quota] = 16
"""Beats that may wait: as many as a full round of six has. With more, everything is shown."""


@dataclass(frozen=True)
class Remark:
    """A line of the log, of this screen alone."""

    words: str


Heard = Update | Remark
"""What a screen hears: the updates of its node, and its own remarks."""
QUEUED: Final = (Happened, Choosing, ChoiceTaken, GameOver, Ended, Remark)
"""What waits while a reveal is shown."""


def beats(update: Happened) -> list[Beat]:
    """Return the parts of an update, which together are the whole."""

    def kind(item: Happening) -> object:
        return id(item) if isinstance(item, ALONE) else type(item)

    groups: Iterable[tuple[object, Iterator[Happening]]] = groupby(update.items, kind)
    return [Beat(tuple(group), update.view) for _, group in groups]


def pause(update: Heard) -> float:
    """Return for how many seconds an update stays before the next one is shown."""
    if not isinstance(update, Happened):
        return 0.0
    if all(isinstance(item, SILENT) for item in update.items):
        return 0.0
    return LONG_PAUSE if isinstance(update.items[0], SHOWN) else SHORT_PAUSE


@dataclass(frozen=True)
class Staging:
    """The updates that wait for a reveal to be over.

    Attributes:
        waiting: What is shown next, in order.
        is_shown: Whether a beat is shown now.
    """

    waiting: tuple[Heard, ...] = ()
    is_shown: bool = False

    @property
    def is_revealing(self) -> bool:
        """Whether beats are shown or wait."""
        return bool(self.waiting) or self.is_shown

    @property
    def happened(self) -> list[Happened]:
        """What has happened and is not shown yet."""
        return [one for one in self.waiting if isinstance(one, Happened)]

    def hear(
        self, update: Heard, is_staged: bool, is_away: bool
    ) -> tuple[Staging, tuple[Heard, ...]]:
        """Take in an update.

        Args:
            update: The update.
            is_staged: Whether reveals are shown beat by beat, or everything at once.
            is_away: Whether the player is away, and wants to see everything at once.

        Returns:
            The staging after it, and the updates that are to be shown now.
        """
        if isinstance(update, Started):  # what waits is of the game before
            return self.hurry(update)
        if self.is_revealing or (is_staged and isinstance(update, Happened)):
            if isinstance(update, QUEUED) and not is_away and len(self.waiting) <= MOST_BEATS:
                parts = beats(update) if isinstance(update, Happened) else [update]
                return replace(self, waiting=(*self.waiting, *parts)), ()
            if isinstance(update, (*QUEUED, Rewound)):
                return self.hurry(update)
        is_shown = self.is_shown and not isinstance(update, Happened)
        return replace(self, is_shown=is_shown), (update,)

    def hurry(self, *more: Heard) -> tuple[Staging, tuple[Heard, ...]]:
        """Show everything that waits, and more, at once."""
        return replace(self, waiting=(), is_shown=False), (*self.waiting, *more)

    def next(self) -> tuple[Staging, Heard | None]:
        """Return the staging without its next update, and that update. None if nothing waits."""
        if not self.waiting:
            return replace(self, is_shown=False), None
        return replace(self, waiting=self.waiting[1:], is_shown=True), self.waiting[0]

    def withdraw(self, view: rules.View | None = None) -> Staging:
        """Return the staging without the questions that wait, or without those on another view."""
        kept = tuple(
            one
            for one in self.waiting
            if not isinstance(one, Choosing) or (view is not None and one.view is not view)
        )
        return replace(self, waiting=kept)
