"""Limits of a hub, token buckets that limit a rate, and the limit of open files."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Final

from protocol.bounds import Pace, Quota, Seconds

MOST_KEPT: Final[Quota] = 1024
"""Buckets from which on full ones are forgotten."""


class Bucket:
    """A token bucket, of frames or anything else. It is full at first, and fills with time."""

    def __init__(self, pace: Pace) -> None:
        self._most, self._rate = pace
        self._left, self._when = self._most, -math.inf

    def take(self, now: float, amount: float = 1.0) -> float:
        """Take an amount out, in advance if needed.

        Args:
            now: The time, in seconds.
            amount: The amount.

        Returns:
            Seconds until the bucket has this amount.
        """
        self._left = self.left(now) - amount
        self._when = now
        return max(0.0, -self._left / self._rate)

    def take_if_any(self, now: float, debt: float = 0.0) -> bool:
        """Take one token, if there is one.

        Args:
            now: The time, in seconds.
            debt: How many tokens may be owed. A token that is not there is owed, and has to be made
                up for, while fewer are owed than this.

        Returns:
            True if there was one.
        """
        left = self.left(now)
        if left >= 1 or left > 1 - debt:
            self.take(now)
        return left >= 1

    def left(self, now: float) -> float:
        """Return how many tokens may be taken now. A negative number was taken in advance.

        Args:
            now: The time, in seconds.

        Returns:
            The number of tokens.
        """
        return min(self._most, self._left + (now - self._when) * self._rate)

    def is_full(self, now: float) -> bool:
        """Return whether the bucket is full, and so no different from a new one.

        Args:
            now: The time, in seconds.

        Returns:
            True if it is full.
        """
        return self.left(now) >= self._most


class Buckets:
    """Token buckets, one for each sender. They outlive links, so that a new link gains nothing.

    Only full buckets are forgotten. If the number of buckets is limited, the one that was not used
    for the longest time is, too.
    """

    def __init__(self, pace: Pace, most: Quota | None = None) -> None:
        self._pace, self._most = pace, most
        self._of: dict[Hashable, Bucket] = {}

    def take(self, sender: Hashable, now: float, amount: float = 1.0) -> float:
        """Take an amount out of the bucket of a sender, in advance if needed.

        Args:
            sender: The sender.
            now: The time, in seconds.
            amount: The amount.

        Returns:
            Seconds until the bucket has this amount.
        """
        return self._bucket(sender, now).take(now, amount)

    def take_if_any(self, sender: Hashable, now: float, debt: float = 0.0) -> bool:
        """Take one token of a sender, if there is one.

        Without `debt`, asking too often costs a sender nothing, since it may be many people at one
        address.

        Args:
            sender: The sender.
            now: The time, in seconds.
            debt: How many tokens may be owed (see `Bucket.take_if_any`).

        Returns:
            True if there was one.
        """
        return self._bucket(sender, now).take_if_any(now, debt)

    def forget(self, sender: Hashable) -> None:
        """Give a sender a full bucket when it comes again.

        Args:
            sender: The sender.
        """
        self._of.pop(sender, None)

    def _bucket(self, sender: Hashable, now: float) -> Bucket:
        """Return the bucket of a sender."""
        fresh = Bucket(self._pace)
        if sender not in self._of and len(self._of) >= MOST_KEPT:
            self._of = {who: one for who, one in self._of.items() if not one.is_full(now)}
        found = self._of[sender] = self._of.pop(sender, fresh)
        if self._most is not None and len(self._of) > self._most:
            del self._of[next(iter(self._of))]
        return found


def open_files(wanted: int) -> int | None:
    """Ask the system to allow a number of open files.

    Args:
        wanted: The number.

    Returns:
        None if they are allowed, else how many are.
    """
    try:
        import resource
    except ImportError:  # This system has no such limit.
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
    """The limits of one hub. Sizes are in bytes and times in seconds ([L-3]).

    Attributes:
        frame: The longest frame that is received or sent. It can carry the longest message of a
            table.
        longest: Returns the longest length of a frame that begins with these bytes. None if `frame`
            limits all.
        queue_frames: Frames that may wait for one slow peer before its link is closed.
        queue_bytes: Bytes that may wait for one slow peer before its link is closed.
        events: Events that may wait for the owner of the hub before links are read no further.
        bytes_read: Bytes of one sender that are read at once, and in a second after that. What
            comes faster waits at the sender. One answer to a `sync` takes no more than the first
            number. Each read, frame, heartbeat and mark counts for `transport.OVERHEAD` bytes more.
        links: Authenticated links. A preferred peer replaces another one.
        links_per_source: Links from one machine (an IPv4 address, an IPv6 /64, or a relay).
        link_ups: Links that one identity may bring up in a row, each in the place of the one
            before, and in a second after that. An honest one dials more slowly ([L-26]).
        unauthenticated: Connections that have not proven an identity.
        unauthenticated_per_source: The same, from one machine.
        addresses_per_peer: Addresses that are dialled for one peer: 12 that it names and 12 of a
            ticket. The oldest is forgotten.
        handshake: Time from the first byte to an authenticated link. Then the connection is cut.
        dial: Time for one address of a peer, or a relay, to answer.
        waiting: Time for which a relay that cuts this node is asked again. A flooded relay cuts
            connections at random.
        heartbeat: Time without sending after which an empty frame is sent.
        silence: Time without receiving after which a link counts as broken.
        stalled: Time that one piece may take to be sent to a peer that is heard. The buffers of a
            slow link are full for longer than `silence`.
        first_pause: Time between the first and the second attempt to dial. It doubles each time.
        longest_pause: The longest time between two attempts to dial.
        full_pause: Time for which a peer without room is not dialled, at least. It is at most twice
            as long ([L-65]).
        stagger: Head start of each of several addresses of a peer over the next one.
        relay_stagger: Head start of direct addresses over relays.
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
        if self.silence <= self.heartbeat:
            raise ValueError("silence must be longer than heartbeat")
