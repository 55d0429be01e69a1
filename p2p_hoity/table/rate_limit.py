"""Rate limits for the frames of one link: repeated frames, requests, and useless work.

A frame that was seen is not read again. A link whose frames lead nowhere pays for the processor
time that they take, and is then not read for a while. Without these limits a link that repeats old
messages, or asks again and again for everything, would take the time that the others need.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Final

from protocol.bounds import Pace, Quota, Seconds

from ..net.link_limits import Allowance

HELD: Final[Quota] = 16384
"""Frames remembered as held; the oldest is forgotten and would merely be read again."""


QUESTIONS: Final[Pace] = (24.0, 6.0)
"""Questions that one link may ask; an honest node asks one or two a second."""


PROCESSOR: Final[Pace] = (3.0, 0.1)
"""Seconds of processor time that one link may take with what leads nowhere: a tenth of one core."""


LONGEST_REST: Final[Seconds] = 1.0
"""Seconds for which nothing is read from a link at a time; it must stay alive."""


REQUESTS: Final = frozenset({1, 2, 3})
"""The kinds of frames that ask for something: fetch, sync, own. Only these are counted: an answer
that is dropped would keep silent the seat that waits for it."""


TOLD_TO_ALL: Final = frozenset({0, 5})
"""The kinds of frames that carry a message or a leave: the same one is not read twice."""


@dataclass
class RateLimit:
    """What one driver remembers of the frames that came and went."""

    _held: dict[bytes, None] = field(default_factory=dict)
    _questions: dict[bytes, Allowance] = field(default_factory=dict)
    _budgets: dict[bytes, Allowance] = field(default_factory=dict)

    def held(self, frame: bytes) -> None:
        """This frame went out to all: whoever sends it back tells nothing new."""
        if not goes_round(frame):
            return
        self._held[_digest(frame)] = None
        if len(self._held) > HELD:
            del self._held[next(iter(self._held))]

    def is_due(self, peer: bytes, frame: bytes, now: float, lacks: bool = False) -> bool:
        """Whether a frame that came in is worth a look.

        `lacks`: this node has asked for messages, perhaps for some that it had put away.
        """
        if is_request(frame):
            return self._may_ask(peer, now)
        return lacks or not goes_round(frame) or _digest(frame) not in self._held

    def forget(self, peer: bytes) -> None:
        """Its link is gone; a new one costs it more than the questions it saves."""
        self._questions.pop(peer, None)

    def spend(self, peer: bytes, seconds: float, now: float) -> float:
        """Processor time went into a frame that brought the game no further: how long to rest.

        For these seconds nothing should be read from the link. The budget outlives the link, so
        that a new one does not fill it.
        """
        budget = self._budgets.setdefault(peer, Allowance(*PROCESSOR, now))
        return min(LONGEST_REST, budget.take(now, seconds))

    def _may_ask(self, peer: bytes, now: float) -> bool:
        questions = self._questions.setdefault(peer, Allowance(*QUESTIONS, now))
        if questions.left(now) < 1:
            return False
        questions.take(now)
        return True


def _digest(frame: bytes) -> bytes:
    return hashlib.blake2b(frame, digest_size=16).digest()


def is_request(frame: bytes) -> bool:
    """Return whether a frame asks for something; see `protocol.wire.peer_frames`."""
    return len(frame) < 2 or frame[1] in REQUESTS


def goes_round(frame: bytes) -> bool:
    """Return whether a frame carries what is told to all and kept."""
    return len(frame) > 1 and frame[1] in TOLD_TO_ALL
