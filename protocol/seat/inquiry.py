"""What a seat knows while it asks for its own statements, which it does first on every resume.

Its journal may be a copy that was restored, and nobody can tell by looking at it. So the seat
signs nothing until each present seat has told which statements of this seat it holds, or the grace
is over since it was linked to the first of them. It is *cautious* if its journal is known to be
old, or is told a statement of its own that it does not know: then it waits for all present seats,
or for as many as make a quorum with it and one patience, and signs only above a floor.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field

FIRST = bytes(32)
"""Where the telling of one's statements begins: before every hash."""


@dataclass
class Inquiry:
    """Who has told by now; times in seconds of the machine's clock ([E-10], [E-22]).

    `since` is from when on a present seat has been linked: the grace is counted from there, since
    without one nobody can tell. `certain`: the journal is old beyond doubt. `cursors`: the last
    hash of each seat whose telling takes several parts. `silenced`: that it cannot go on was said.
    """

    began: float
    cautious: bool = False
    certain: bool = False
    silenced: bool = False
    since: float | None = None
    told: set[int] = field(default_factory=set)
    cursors: dict[int, bytes] = field(default_factory=dict)

    def goes_on_after(self, seat: int, last: bytes) -> bool:
        """Whether a part that ends with this hash leads on; a liar's may lead nowhere ([L-30])."""
        before = self.cursors.get(seat, FIRST)
        self.cursors[seat] = max(last, before)
        return last > before

    def has_asked(self, others: Set[int], now: float, grace: float) -> bool:
        """Whether a seat that has no reason for caution may go on ([E-10])."""
        return others <= self.told or (self.since is not None and now - self.since >= grace)

    def has_waited(self, others: Set[int], enough: int, now: float, patience: float) -> bool:
        """Whether a cautious seat may go on: all have told, or `enough` of them in good time.

        SPEC: [E-22].
        """
        told = len(self.told & others)
        return others <= self.told or (told >= enough and now - self.began >= patience)
