"""What a hub gives to its peers and to strangers: limits, allowances, and files for sockets."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Final

from protocol.bounds import Pace, Quota, Seconds

MOST_KEPT: Final[Quota] = 1024


class Bucket:
    """A token bucket, of frames or of anything else: it begins full, and fills again with time."""

    def __init__(self, pace: Pace) -> None:
        self._most, self._rate = pace
        self._left, self._when = self._most, -math.inf

    def take(self, now: float, amount: float = 1.0) -> float:
        """Take so much out; for how many seconds the taker must wait."""
        self._left = self.left(now) - amount
        self._when = now
        return max(0.0, -self._left / self._rate)

    def take_if_any(self, now: float, debt: float = 0.0) -> bool:
        """Take one, if there is one; whether there was. If there is none, one that owes less than
        this `debt` is taken all the same, and owed."""
        left = self.left(now)
        if left >= 1 or left > 1 - debt:
            self.take(now)
        return left >= 1

    def left(self, now: float) -> float:
        """How much may be taken at once now; below zero what was taken in advance."""
        return min(self._most, self._left + (now - self._when) * self._rate)

    def is_full(self, now: float) -> bool:
        """Whether a fresh one would be the same."""
        return self.left(now) >= self._most


class Buckets:
    """One bucket for each sender. It outlives the link, so that a new link gains nothing.

    Only full ones are forgotten, unless there is a bound: then also the one not used for longest.
    """

    def __init__(self, pace: Pace, most: Quota | None = None) -> None:
        self._pace, self._most = pace, most
        self._of: dict[Hashable, Bucket] = {}

    def take(self, sender: Hashable, now: float, amount: float = 1.0) -> float:
        """Take so much for this sender; for how many seconds it must wait."""
        return self._bucket(sender, now).take(now, amount)

    def take_if_any(self, sender: Hashable, now: float, debt: float = 0.0) -> bool:
        """Take one, if there is one now; whether there was. Asking too often is not held against
        a sender, which may be many people behind one address, unless it may run into `debt`."""
        return self._bucket(sender, now).take_if_any(now, debt)

    def forget(self, sender: Hashable) -> None:
        """Give this sender a full bucket when it comes again."""
        self._of.pop(sender, None)

    def _bucket(self, sender: Hashable, now: float) -> Bucket:
        fresh = Bucket(self._pace)
        if sender not in self._of and len(self._of) >= MOST_KEPT:
            self._of = {who: one for who, one in self._of.items() if not one.is_full(now)}
        found = self._of[sender] = self._of.pop(sender, fresh)
        if self._most is not None and len(self._of) > self._most:
            del self._of[next(iter(self._of))]
        return found


def open_files(wanted: int) -> int | None:
    """Ask the system for room for so many; None when there is, else how many there are."""
    try:
        import resource
    except ImportError:  # a system without such a limit
        return None
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if resource.RLIM_INFINITY in (soft, hard) or soft >= wanted:
        return None
    best = min(wanted, hard)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (best, hard))
    except (ValueError, OSError):
        return soft
    return None if best == wanted else best


@dataclass(frozen=True)
class Limits:
    """Caps of one hub; sizes in bytes, times in seconds ([L-3])."""

    frame: int = (1 << 18) + 64
    """The longest frame taken or sent: one that carries the longest message of a table."""
    longest: Callable[[bytes], int] | None = None
    """Returns the longest length of a frame that begins with these bytes; None: that of any."""
    queue_frames: Quota = 4096
    """Frames that may wait for one slow peer before its link is closed."""
    queue_bytes: Quota = 4 << 20
    """Bytes that may wait for one slow peer before its link is closed."""
    events: Quota = 32
    """Events that may wait for the hub's owner before links are read no further."""
    bytes_read: Pace = (16 << 20, 1 << 20)
    """Bytes of one sender that are read at once, and a second after that; what comes faster waits
    with it. One answer to a sync counts for no more than the first. Each read, frame, heartbeat and
    mark counts for `transport.OVERHEAD` bytes more."""
    links: Quota = 64
    """Authenticated links; a preferred peer takes the place of another."""
    links_per_source: Quota = 32
    """Links from one machine (one IPv4 address, one IPv6 /64, one relay)."""
    link_ups: Pace = (8, 0.2)
    """Links that one identity may bring up in a row, each in the place of the one before, and a
    second after that. An honest one dials more slowly ([L-26])."""
    unauthenticated: Quota = 64
    """Connections that have not yet proven an identity; the oldest makes room."""
    unauthenticated_per_source: Quota = 32
    """The same, from one machine."""
    addresses_per_peer: Quota = 24
    """Addresses dialled for one peer, 12 that it names and 12 of a ticket; the oldest is
    forgotten."""
    handshake: Seconds = 5.0
    """From the first byte to an authenticated link, or the connection is cut."""
    dial: Seconds = 5.0
    """For one way to a peer to answer, secured, and for a relay to answer once."""
    waiting: Seconds = 15.0
    """For a relay that cuts us, as one that is flooded does by lot, to be asked again and again."""
    heartbeat: Seconds = 2.0
    """Silence of our own after which an empty frame is sent."""
    silence: Seconds = 6.0
    """Silence of a peer after which its link is dead."""
    stalled: Seconds = 30.0
    """How long one piece may take to send to a peer that is heard: a slow link's buffers are full
    for longer than silence lasts."""
    first_pause: Seconds = 0.5
    """Between the first and the second attempt to dial; doubled each time."""
    longest_pause: Seconds = 15.0
    """The longest pause between two attempts to dial."""
    full_pause: Seconds = 15.0
    """For which one that is full is left alone at least; at most twice as long ([L-65])."""
    stagger: Seconds = 0.25
    """Head start of each of several addresses of a peer over the next."""
    relay_stagger: Seconds = 1.0
    """Head start of direct addresses over relays."""

    def __post_init__(self) -> None:
        if not 0 < self.frame < 1 << 31 or self.queue_bytes < self.frame:
            raise ValueError("frame must fit 31 bits of length and the queue")
        if min(self.handshake, self.heartbeat, self.first_pause) <= 0:
            raise ValueError("times must be above zero")
        if self.silence <= self.heartbeat:
            raise ValueError("silence must be longer than heartbeat")
