"""Staging of reveals: the events of one step are shown in parts, so that a person can follow them.

Updates that come during a reveal wait until the reveal is over. A `Staging` is an immutable object.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

from protocol.units import Quota, Seconds

from .. import rules
from ..rules import Happening, happenings
from ..rules.banquet import FINAL_HONOURS
from .scene import Beat, Scene
from .screen_updates import (
    Again,
    ChoiceTaken,
    Choosing,
    Ended,
    GameOver,
    Happened,
    Resumed,
    Rewound,
    Said,
    Started,
    Unconfirmed,
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
    happenings.BanquetReached,
    happenings.FaultFound,
)
"""Kinds of events that are shown one by one. Of any other kind adjacent events come together."""
SILENT: Final = (happenings.Returned, happenings.RoundBegan, happenings.RoundEnded)
"""Kinds of events for which a reveal does not pause."""
SHOWN: Final = (
    happenings.PlaceShown,
    happenings.ActionShown,
    happenings.ExhibitShown,
    happenings.BanquetReached,
    happenings.HandOpened,
    happenings.StandingMade,
)
"""Kinds of events after which a reveal makes a long pause."""
LONG_PAUSE: Final[Seconds] = 1.2
"""Seconds before the next part, after an event of SHOWN."""
SHORT_PAUSE: Final[Seconds] = 0.8
"""Seconds before the next part, after other events."""
MOST_BEATS: Final[Quota] = 16
"""The parts that may wait, as many as a full round of six seats has. More are shown at once."""


@dataclass(frozen=True)
class Remark:
    """A line of text that a screen itself adds to its log."""

    words: str


Heard = Update | Remark
QUEUED: Final = (Happened, Choosing, ChoiceTaken, GameOver, Unconfirmed, Again, Ended, Remark)
"""Kinds of updates that wait while a reveal is shown."""


def beats(update: Happened) -> list[Beat]:
    """Split the events of one step into the parts in which they are shown."""

    def kind(item: Happening) -> object:
        # At the end the hand of a seat is opened together with its last exhibit.
        if isinstance(item, happenings.HandOpened | happenings.FinalExhibit):
            return item.seat
        return id(item) if isinstance(item, ALONE) else type(item)

    groups: Iterable[tuple[object, Iterator[Happening]]] = groupby(update.items, kind)
    parts = [tuple(group) for _, group in groups]
    return [Beat(part, update.view, len(parts) - n) for n, part in enumerate(parts, 1)]


def pause(update: Heard) -> float:
    """Return for how many seconds an update is shown before the next one."""
    if not isinstance(update, Happened):
        return 0.0
    if all(isinstance(item, SILENT) for item in update.items):
        return 0.0
    first = update.items[0]
    is_last = isinstance(first, happenings.FigureMoved) and first.why in FINAL_HONOURS
    return LONG_PAUSE if is_last or isinstance(first, SHOWN) else SHORT_PAUSE


@dataclass(frozen=True)
class Staging:
    """The updates that wait until a reveal is over.

    Attributes:
        is_shown: Whether a part of a reveal is shown now.
    """

    waiting: tuple[Heard, ...] = ()
    is_shown: bool = False

    @property
    def is_revealing(self) -> bool:
        """True if parts of a reveal are shown or wait."""
        return bool(self.waiting) or self.is_shown

    @property
    def _ends(self) -> bool:
        """True if the result waits to be shown, which talk could tell before."""
        items = (item for one in self.happened for item in one.items)
        return any(isinstance(item, happenings.StandingMade) for item in items)

    @property
    def happened(self) -> list[Happened]:
        """The events of the game that wait to be shown."""
        return [one for one in self.waiting if isinstance(one, Happened)]

    def past(self, scene: Scene) -> Resumed | None:
        """Return the game with all of its events, also those that wait, None before it.

        Args:
            scene: The game as far as it was shown.
        """
        view = self.happened[-1].view if self.happened else scene.view
        items = (*scene.record, *(item for one in self.happened for item in one.items))
        return None if view is None else Resumed(view, items)

    def hear(
        self, update: Heard, is_staged: bool, is_away: bool
    ) -> tuple[Staging, tuple[Heard, ...]]:
        """Decide whether a new update waits until a reveal is over, and return what to show now.

        Args:
            is_staged: Whether reveals are shown in parts. If not, everything is shown at once.
            is_away: Whether the player is away, so that everything is shown at once.
        """
        if isinstance(update, Started):  # The waiting updates are of the last game.
            return self.hurry(update)
        if self.is_revealing or (is_staged and isinstance(update, Happened)):
            is_queued = isinstance(update, QUEUED) or (isinstance(update, Said) and self._ends)
            if is_queued and not is_away and len(self.waiting) <= MOST_BEATS:
                parts = beats(update) if isinstance(update, Happened) else [update]
                return replace(self, waiting=(*self.waiting, *parts)), ()
            # What waits comes first, or events of the game would be shown out of order.
            if isinstance(update, (*QUEUED, Rewound)):
                return self.hurry(update)
        is_shown = self.is_shown and not isinstance(update, Happened)
        return replace(self, is_shown=is_shown), (update,)

    def hurry(self, *more: Heard) -> tuple[Staging, tuple[Heard, ...]]:
        """Take out all waiting updates, to be shown now without a pause, and `more` after them."""
        return replace(self, waiting=(), is_shown=False), (*self.waiting, *more)

    def next(self) -> tuple[Staging, Heard | None]:
        """Take out the next update that is to be shown, None if none waits."""
        if not self.waiting:
            return replace(self, is_shown=False), None
        return replace(self, waiting=self.waiting[1:], is_shown=True), self.waiting[0]

    def withdraw(self, view: rules.View | None = None) -> Staging:
        """Remove the waiting questions that were asked with `view`, or all questions for None."""
        kept = tuple(
            one
            for one in self.waiting
            # By identity: another question may have an equal view.
            if not isinstance(one, Choosing) or (view is not None and one.view is not view)
        )
        return replace(self, waiting=kept)
