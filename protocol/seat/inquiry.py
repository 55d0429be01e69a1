"""What a seat knows while it asks for its own statements, which it does first on every resume.

Its journal may be a copy that was restored, and nobody can tell by looking at it. So the seat
signs nothing until each other present seat has told which statements of this seat it stores, or
until one step timeout and one back-off are over and t - 1 other seats have told. The time counts
from the resume and not from the first link: a faulty seat can be linked first, and tell nothing.
A seat is *cautious* if its journal is known to be old, or it is told a statement of its own that it
does not know: then the wait begins anew, and the seat signs only above a floor.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field

FIRST = bytes(32)
"""Where the telling of one's statements begins: before every hash."""


@dataclass
class Inquiry:
    """Which seats have told by now ([E-10], [E-22]).

    Attributes:
        began: When the wait began, in seconds of the machine's clock.
        cautious: Whether the journal may be older than what the seat has signed.
        certain: Whether it is so beyond doubt.
        silenced: Whether the driver was told that this seat can sign nothing any more.
        told: The seats that have told.
        cursors: The last hash told by each seat whose answer takes several parts.
    """

    began: float
    cautious: bool = False
    certain: bool = False
    silenced: bool = False
    told: set[int] = field(default_factory=set)
    cursors: dict[int, bytes] = field(default_factory=dict)

    def goes_on_after(self, seat: int, last: bytes) -> bool:
        """Whether a part that ends with this hash leads on; a liar's may lead nowhere ([L-30])."""
        before = self.cursors.get(seat, FIRST)
        self.cursors[seat] = max(last, before)
        return last > before

    def is_over(self, others: Set[int], enough: int, now: float, seconds: float) -> bool:
        """Return whether the seat may sign again.

        Args:
            others: The other present seats.
            enough: How many seats, absent ones too, must have told once the time is over: t - 1.
            now: The machine's clock, in seconds.
            seconds: How long the seat waits for all of them.

        SPEC: [E-10], [E-22].
        """
        has_waited = len(self.told) >= enough and now - self.began >= seconds
        return others <= self.told or has_waited
