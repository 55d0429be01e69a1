"""The question that a resumed seat asks the others: which of its messages they store.

Its journal may be an old copy from a backup, which the seat cannot see in the file. So it signs
nothing until every other present seat has answered. After one step timeout and one back-off from
the resume, it is enough that this seat and those that have answered are a quorum.

A seat is *cautious* if its journal is known to be old, or if a peer sends back a message that the
seat has signed and the journal lacks. Then the wait begins again. At its end the seat sets a lowest
epoch, its *floor*, and signs nothing of an earlier epoch.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field

from ..units import DriverTime
from ..wire import peer_frames

FIRST = bytes(32)
"""The hash (all zeros) above which a resumed seat first asks for its own messages: for all."""


@dataclass
class Inquiry:
    """The wait of a resumed seat for the answers of the others ([E-10], [E-22]).

    Attributes:
        certain: Whether the journal surely lacks messages that the seat has signed.
        silenced: Whether the driver was told that this seat cannot sign any more.
        told: The seats that have answered completely.
        cursors: For each seat that answers in several parts, the highest message hash so far.
    """

    began: float
    cautious: bool = False
    certain: bool = False
    silenced: bool = False
    told: set[int] = field(default_factory=set)
    cursors: dict[int, bytes] = field(default_factory=dict)

    def hear(self, seat: int, told: peer_frames.Told) -> bool:
        """Note the end of a part of a seat's answer. Return whether to ask for the next part."""
        if not told.more:
            self.told.add(seat)
            return False
        before = self.cursors.get(seat, FIRST)
        # A faulty seat may announce further parts without end, but not rising hashes ([L-30]). The
        # cursor never falls, or it could rise again and again.
        self.cursors[seat] = max(told.last, before)
        return told.last > before

    def doubt(self, now: DriverTime, certain: bool) -> bool:
        """Note a doubt in the journal. Return whether it is the first, which restarts the wait."""
        self.certain = self.certain or certain
        if self.cautious:
            return False
        self.cautious, self.began = True, now
        return True

    def silence(self) -> bool:
        """Note that the driver was told of the end of signing, and return whether this is new."""
        was, self.silenced = self.silenced, True
        return not was

    def is_over(self, others: Set[int], enough: int, now: DriverTime, seconds: float) -> bool:
        """Return whether the wait before signing is over ([E-10], [E-22]).

        Args:
            others: The other present seats. If all of them have answered, there is no further wait.
            enough: How many seats must have answered after `seconds`: a quorum but one. Answers of
                absent seats count too.
        """
        # Not the number alone: the first to answer may be faulty seats that hide what they store.
        has_waited = len(self.told) >= enough and now - self.began >= seconds
        return others <= self.told or has_waited
