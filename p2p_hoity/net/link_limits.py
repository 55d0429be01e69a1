"""The limits of a peer's links, token buckets that limit a rate, and the limit of open files.

Times are seconds of any monotonic clock.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Final

from protocol.units import Pace, Quota, Seconds

MOST_KEPT: Final[Quota] = 1024
"""The number of buckets at which full buckets are forgotten."""


class Bucket:
    """A token bucket that limits a rate. It is full at first, and may go into debt."""

    def __init__(self, pace: Pace) -> None:
        self._most, self._rate = pace
        # The clock may begin anywhere, also below zero. At any time this bucket is full.
        self._left, self._when = self._most, -math.inf

    def take(self, now: float, amount: float = 1.0) -> float:
        """Take some tokens, and return the seconds until the debt is filled up, 0 without debt."""
        self._left = self.left(now) - amount
        self._when = now
        return max(0.0, -self._left / self._rate)

    def take_if_any(self, now: float, debt: float = 0.0) -> bool:
        """Take a token if the bucket has one, and return whether it had one.

        Args:
            debt: How many tokens may be owed. Within this limit a token is taken on credit, and
                False is returned nevertheless.
        """
        # Read first: what is returned is the state before the token is taken.
        left = self.left(now)
        if left >= 1 or left > 1 - debt:
            self.take(now)
        return left >= 1

    def left(self, now: float) -> float:
        """Return how many tokens the bucket has now. The number is negative if tokens are owed."""
        return min(self._most, self._left + (now - self._when) * self._rate)

    def is_full(self, now: float) -> bool:
        """Return whether the bucket is full, and so is in the state of a new one."""
        return self.left(now) >= self._most


class Buckets:
    """Token buckets, one for each sender.

    They outlive the links of a sender, so that a new link brings no new tokens. If `most` limits
    their number, the least recently used bucket is forgotten.
    """

    def __init__(self, pace: Pace, most: Quota | None = None) -> None:
        self._pace, self._most = pace, most
        self._of: dict[Hashable, Bucket] = {}

    def take(self, sender: Hashable, now: float, amount: float = 1.0) -> float:
        """Take some tokens out of the bucket of a sender, as `Bucket.take` does."""
        return self._bucket(sender, now).take(now, amount)

    def take_if_any(self, sender: Hashable, now: float, debt: float = 0.0) -> bool:
        """Take one token out of the bucket of a sender, as `Bucket.take_if_any` does."""
        return self._bucket(sender, now).take_if_any(now, debt)

    def left(self, sender: Hashable, now: float) -> float:
        """Return how many tokens a sender has now, as `Bucket.left` does."""
        return self._bucket(sender, now).left(now)

    def forget(self, sender: Hashable) -> None:
        """Forget the bucket of a sender. It then starts again with a full one."""
        self._of.pop(sender, None)

    def _bucket(self, sender: Hashable, now: float) -> Bucket:
        """Return the bucket of a sender, a full one if the sender is new."""
        fresh = Bucket(self._pace)
        if sender not in self._of and len(self._of) >= MOST_KEPT:
            # A full bucket is as good as a new one. One that is in debt must stay, or its sender is
            # freed.
            self._of = {who: one for who, one in self._of.items() if not one.is_full(now)}
        # Taken out and put in again: the first item is the one that was not used for longest.
        found = self._of[sender] = self._of.pop(sender, fresh)
        if self._most is not None and len(self._of) > self._most:
            del self._of[next(iter(self._of))]
        return found


def open_files(wanted: int) -> int | None:
    """Allow this process so many open files. Return None, or how many are allowed if fewer."""
    try:
        import resource
    except ImportError:  # This system has no such limit.
        return None
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    # "Unlimited" is -1 on some systems, and so no number to compare with.
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return None
    best = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (best, hard))
    except (ValueError, OSError):
        return soft
    return None if best == wanted else best


@dataclass(frozen=True)
class Limits:
    """The limits of the links of one program. Sizes are in bytes and times in seconds ([L-3]).

    Attributes:
        frame: The longest frame that is received or sent, enough for the longest message of a
            table.
        longest: Returns the most bytes of a frame that begins with the given bytes. None if `frame`
            limits all frames.
        queue_frames: Frames that may be queued for one slow peer. With more, its link is closed.
        queue_bytes: Bytes that may be queued for one slow peer. With more, its link is closed.
        events: Frames, and events of links, that may be queued for the program. With more, nothing
            is read from the links.
        bytes_read: The bytes that are read from one sender. Further bytes have to wait. The number
            at once is enough for an answer to a `sync`. Each read and each frame counts for
            `transport.OVERHEAD` more bytes.
        links: The most authenticated links. At this number a new link is refused, unless another
            link may be closed for it ([L-13]).
        links_per_source: The most links from one computer (an IPv4 address, an IPv6 /64, or a
            relay).
        link_ups: How many links one key may make. Each replaces the key's earlier link. An honest
            peer dials more slowly ([L-26]).
        unauthenticated: The most connections whose peer has not proven a key.
        unauthenticated_per_source: The most of these from one computer.
        addresses_per_peer: Addresses that are dialled for one peer: 12 that the peer names and 12
            of a ticket. If there are more, the oldest is forgotten.
        handshake: Until a new connection must be an authenticated link.
        dial: Until one address of a peer, or a relay, must answer.
        waiting: Until a relay must have accepted a connection. Until then this program tries again
            and again, because a flooded relay cuts connections at random.
        heartbeat: Time without sending after which an empty frame is sent.
        silence: Time without receiving after which a link counts as broken.
        stalled: Time that sending one record may take while the peer is not silent. It is
            longer than `silence`, because the buffers of a slow link stay full for long.
        first_pause: Time between the first and the second attempt to dial. Each later pause is
            twice as long.
        longest_pause: The longest time between two attempts to dial.
        full_pause: Time for which a peer without room is not dialled. The actual pause is up to
            twice as long ([L-65]).
        stagger: The head start that each address of a peer has over the next address.
        relay_stagger: The head start that direct addresses have over relays.
    """

    frame: int = (1 << 18) + 64
    longest: Callable[[bytes], int] | None = None
    queue_frames: Quota = 4096
    queue_bytes: Quota = 4 << 20
    events: Quota = 32
    bytes_read: Pace = (16 << 20, 1 << 20)
    links: Quota = 64
    links_per_source: Quota = 32
    link_ups: Pace = (8, 0.2)
    unauthenticated: Quota = 64
    unauthenticated_per_source: Quota = 32
    addresses_per_peer: Quota = 24
    handshake: Seconds = 5.0
    dial: Seconds = 5.0
    waiting: Seconds = 15.0
    heartbeat: Seconds = 2.0
    silence: Seconds = 6.0
    stalled: Seconds = 30.0
    first_pause: Seconds = 0.5
    longest_pause: Seconds = 15.0
    full_pause: Seconds = 15.0
    stagger: Seconds = 0.25
    relay_stagger: Seconds = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.frame < 1 << 31 or self.queue_bytes < self.frame:
            raise ValueError("frame must fit 31 bits of length and the queue")
        if min(self.handshake, self.heartbeat, self.first_pause) <= 0:
            raise ValueError("times must be above zero")
        # Otherwise an idle link would count as broken between two heartbeats.
        if self.silence <= self.heartbeat:
            raise ValueError("silence must be longer than heartbeat")
