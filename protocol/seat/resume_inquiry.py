"""The question that a resumed seat asks the others: which of its messages they store.

The journal may be an old copy from a backup, and the seat cannot see this in the file. So a resumed
seat asks the other seats which of its messages they store, and signs nothing meanwhile. The wait
ends when every other present seat has answered. After one step timeout and one back-off, counted
from the resume, it is enough that this seat and those that have answered are a quorum.

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
    """The wait of a resumed seat until others have told which of its messages they store.

    SPEC: [E-10], [E-22].

    Attributes:
        began: When the wait began, in seconds of a monotonic clock.
        cautious: Whether the journal may lack messages that the seat has signed.
        certain: Whether the journal surely lacks such messages.
        silenced: Whether the driver was told that this seat cannot sign any more.
        told: The seats that have answered completely.
        cursors: For each seat that answers in several parts, the highest message hash so far. The
            messages come by rising hash.
    """

    began: float
    cautious: bool = False
    certain: bool = False
    silenced: bool = False
    told: set[int] = field(default_factory=set)
    cursors: dict[int, bytes] = field(default_factory=dict)

    def hear(self, seat: int, told: peer_frames.Told) -> bool:
        """Note that a part of another seat's answer to this seat's request has ended.

        The answer consists of the messages that this seat has signed, by rising hash. A faulty seat
        may announce further parts without end. So the next part is asked for only if this part has
        reached a higher hash ([L-30]).

        Args:
            told: The frame that ends the part, with the last hash and whether there are more parts.

        Returns:
            Whether to ask this seat for the next part.
        """
        if not told.more:
            self.told.add(seat)
            return False
        before = self.cursors.get(seat, FIRST)
        self.cursors[seat] = max(told.last, before)
        return told.last > before

    def doubt(self, now: DriverTime, certain: bool) -> bool:
        """Note a doubt: the journal may lack messages that this seat has signed.

        If no doubt was noted before, the wait for the answers of the other seats begins again.

        Args:
            certain: Whether the journal surely lacks such messages.

        Returns:
            True if no doubt was noted before.
        """
        self.certain = self.certain or certain
        if self.cautious:
            return False
        self.cautious, self.began = True, now
        return True

    def silence(self) -> bool:
        """Record that the driver has been told that this seat cannot sign any more.

        The driver is the program that runs the state machine of this seat.

        Returns:
            True if this was not recorded before.
        """
        was, self.silenced = self.silenced, True
        return not was

    def is_over(self, others: Set[int], enough: int, now: DriverTime, seconds: float) -> bool:
        """Return whether the wait before signing is over.

        Args:
            others: The other present seats. If all of them have answered, there is no further wait.
            enough: How many seats must have answered once the time is over: one fewer than a
                quorum. Answers of absent seats count too.
            seconds: How long the seat waits for all of `others`.

        Returns:
            True if all of `others` have answered, or if the time is over and `enough` seats have.

        SPEC: [E-10], [E-22].
        """
        has_waited = len(self.told) >= enough and now - self.began >= seconds
        return others <= self.told or has_waited
