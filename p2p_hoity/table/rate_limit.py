"""Rate limits for the frames of one link: requests, talk, unknown kinds, and useless work.

A link whose frames lead nowhere pays for the processor time that they take, and is then not read
for a while. Without these limits a link that repeats old messages, or asks again and again for
everything, would take the time that the others need.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from protocol.bounds import Pace, Quota, Seconds

from ..net.link_limits import Buckets
from .chat import DEBT, FORWARDED, MOST_ONLOOKERS, ONLOOKER, SEAT
from .frame_kinds import Budget, FrameKind

QUESTIONS: Final[Pace] = (24.0, 6.0)
"""Questions that one link may ask; an honest node asks one or two a second."""
PROCESSOR: Final[Pace] = (3.0, 0.1)
"""Seconds of processor time that one link may take with what leads nowhere: a tenth of one core."""
LONGEST_REST: Final[Seconds] = 1.0
"""Seconds for which nothing is read from a link at a time; it must stay alive."""
REMATCH: Final[Pace] = (6.0, 1.0)
"""Frames on another game that a link may bring, so many at once for each seat: an honest one brings
a consent and a refusal of each, and a roster, and the same once more when it is made anew."""
MOST_LINKS: Final[Quota] = 64
"""Links whose frames on another game are counted; the one not heard for longest is forgotten."""
EXCESS: Final[Pace] = (1000.0, 200.0)
"""Frames of talk, and of unknown kinds, of one link that are thrown away unread at once, and a
second after that, before the link is read more slowly."""


class RateLimit:
    """What one session remembers of the frames that came and went, and of who sent them."""

    def __init__(self, ids: Sequence[bytes]) -> None:
        """Count the frames of links with the seats, whose ids these are, and with others.

        An honest seat passes on no more talk than all seats and onlookers may say; an onlooker only
        speaks for itself ([W-5]).
        """
        self._ids, seats = ids, len(ids)
        said = (seats * (SEAT[0] + FORWARDED[0]), seats * (SEAT[1] + FORWARDED[1]))
        self._talk = {True: Buckets(said, seats), False: Buckets(ONLOOKER, MOST_ONLOOKERS)}
        self._excess = Buckets(EXCESS, 2 * MOST_ONLOOKERS)
        self._rematch = Buckets((REMATCH[0] * seats, REMATCH[1]), MOST_LINKS)
        self._questions, self._processor = Buckets(QUESTIONS), Buckets(PROCESSOR)

    def is_due(self, peer: bytes, kind: FrameKind, now: float) -> bool:
        """Charge a frame that came in to its budget, and return whether it is read."""
        match kind.budget:
            case Budget.QUESTIONS:
                return self._questions.take_if_any(peer, now)
            case Budget.TALK:
                return self._talk[peer in self._ids].take_if_any(peer, now, DEBT)
            case Budget.REMATCH:
                return self._rematch.take_if_any(peer, now, DEBT)
            case Budget.UNKNOWN:
                return False
            case Budget.NONE:
                return True

    def rest(self, peer: bytes, now: float) -> float:
        """Return for how long a link is not read on which too much came that is thrown away.

        SPEC: [W-5], [L-77].
        """
        return min(LONGEST_REST, self._excess.take(peer, now))

    def forget(self, peer: bytes) -> None:
        """Its link is gone; a new one costs it more than the questions it saves."""
        self._questions.forget(peer)

    def spend(self, peer: bytes, seconds: float, now: float) -> float:
        """Processor time went into a frame that brought the game no further: how long to rest.

        For these seconds nothing should be read from the link. The budget outlives the link, so
        that a new one does not fill it.
        """
        return min(LONGEST_REST, self._processor.take(peer, now, seconds))
