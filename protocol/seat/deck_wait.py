"""How far a seat is with its wait for all to confirm the deck. `leaving_setup` has the rules."""

from __future__ import annotations

from typing import Final

from ..chain.chain_state import Table
from ..units import DriverTime, Seconds
from ..wire.signed_notices import EndNotice

ROUND: Final[Seconds] = 4.5
"""The seconds of a round of leaving: more than a frame takes twice, and a deal's proof ([D-10])."""
ALONE: Final[Seconds] = 12.0
"""The seconds without any link after which a seat that has given up leaves ([D-11])."""
LINGER: Final[Seconds] = 2.5
"""The seconds for which a seat passes on what it stores before it leaves a strict table."""


def leaving_seconds(table: Table) -> float:
    """Return how many seconds the leaving lasts: one round more than seats may be faulty."""
    return LINGER if table.strict else (table.seats - table.quorum + 1) * ROUND


class DeckWait:
    """The wait of one seat or onlooker for all seats to confirm the deck.

    Attributes:
        gave_up: Whether this seat has given up, and has not returned since.
        leaving_since: When its leaving began, as driver time. None before.
    """

    def __init__(self, table: Table) -> None:
        """Begin to wait."""
        self.table = table
        self.gave_up = False
        self.leaving_since: float | None = None
        self._alone_since: float | None = None
        self._told: set[EndNotice] = set()

    def give_up(self) -> None:
        """Note that this seat no longer waits, unless the last confirmation still comes."""
        self.gave_up = True

    def go_back(self) -> None:
        """Note that this seat plays after all."""
        self.gave_up = False

    def begin_leaving(self, now: DriverTime) -> None:
        """Note that the leaving begins, if it has not begun before."""
        # Its rounds count from one moment, which must not move ([D-10]).
        if self.leaving_since is None:
            self.leaving_since = now

    def deals_needed(self, now: DriverTime) -> int | None:
        """Return how many other seats' inputs to the `deal` this seat needs to return ([D-10]).

        Return None once the last round is over.
        """
        # A strict table waits for every seat, so nobody who returns late is left behind.
        if self.leaving_since is None or self.table.strict:
            return 0
        waited = now - self.leaving_since
        return int(waited / ROUND) + 1 if waited < leaving_seconds(self.table) else None

    def is_over(self, is_linked: bool, now: DriverTime) -> bool:
        """Return whether a seat that has given up leaves now ([D-11]).

        Its leaving is over then, or it has been without any link for `ALONE` seconds.
        """
        # The time without a link counts from one moment, which a later call must not move.
        if is_linked or self._alone_since is None:
            self._alone_since = None if is_linked else now
        is_alone = self._alone_since is not None and now - self._alone_since >= ALONE
        since, seconds = self.leaving_since, leaving_seconds(self.table)
        return is_alone or (since is not None and now - since >= seconds)

    def is_news(self, notice: EndNotice) -> bool:
        """Return whether to tell the driver of an end notice, which is True once for each."""
        is_news = notice not in self._told
        self._told.add(notice)
        return is_news
