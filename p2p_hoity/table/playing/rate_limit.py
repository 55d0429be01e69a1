"""Rate limits for the frames of one link: requests, chat, unknown kinds, and useless work.

A link is charged for the processor time of its frames if they do not advance the game. If it has
used too much, nothing is read from it for a while. Without these limits, one link that repeats old
messages or requests could take all the time of this peer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from protocol.units import Pace, PeerId, Quota, Seconds

from ...net.link_limits import Buckets
from ..beside_game.chat import DEBT, FORWARDED, MOST_ONLOOKERS, ONLOOKER, SEAT
from .frame_kinds import Budget, FrameKind

QUESTIONS: Final[Pace] = (24.0, 6.0)
"""The rate of requests of one link. An honest peer sends one or two a second."""
PROCESSOR: Final[Pace] = (3.0, 0.1)
"""The seconds of processor time that one link may use without advancing the game.

After the first three seconds this is a tenth of one core.
"""
LONGEST_REST: Final[Seconds] = 1.0
"""The most seconds in a row for which a link is not read. A longer pause would end the link."""
REMATCH: Final[Pace] = (6.0, 1.0)
"""The rate of frames about a rematch on one link: how many at once for each seat, and a second.

An honest link carries a consent and a refusal of each seat and one roster, and again when it is
made anew.
"""
MOST_LINKS: Final[Quota] = 64
"""The most links whose frames about a rematch are counted. The least recent is forgotten."""
EXCESS: Final[Pace] = (1000.0, 200.0)
"""The rate of dropped frames (chat and unknown kinds) above which a link is read more slowly."""


class RateLimit:
    """The budgets of frames and processor time of one session, separate for each link."""

    def __init__(self, ids: Sequence[bytes]) -> None:
        """Create unused budgets for the seats with these ids. All other peers are onlookers.

        The chat budget of a seat has room for all, because it passes chat on ([W-5]).
        """
        self._ids, seats = ids, len(ids)
        said = (seats * (SEAT[0] + FORWARDED[0]), seats * (SEAT[1] + FORWARDED[1]))
        self._talk = {True: Buckets(said, seats), False: Buckets(ONLOOKER, MOST_ONLOOKERS)}
        self._excess = Buckets(EXCESS, 2 * MOST_ONLOOKERS)
        self._rematch = Buckets((REMATCH[0] * seats, REMATCH[1]), MOST_LINKS)
        self._questions, self._processor = Buckets(QUESTIONS), Buckets(PROCESSOR)

    def may_read(self, peer: PeerId, kind: FrameKind, now: float) -> bool:
        """Charge a frame to the budget of its kind, and return whether it is to be read."""
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

    def rest(self, peer: PeerId, now: float) -> float:
        """Count a frame that is dropped unread, and return for how many seconds to rest its link.

        They are 0 while the link is within its rate ([W-5], [L-77]).
        """
        return min(LONGEST_REST, self._excess.take(peer, now))

    def forget(self, peer: PeerId) -> None:
        """Forget how many requests came over a link that is lost."""
        # A full budget is no reason to make a new link, which costs more than the requests. The
        # budget of processor time stays, or a new link would refill it.
        self._questions.forget(peer)

    def spend(self, peer: PeerId, seconds: float, now: float) -> float:
        """Charge a peer for processor seconds. Return for how many seconds its link should rest."""
        return min(LONGEST_REST, self._processor.take(peer, now, seconds))
