"""The numbers that bound what a hub gives to its peers and to strangers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from protocol.bounds import Quota, Seconds


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
    bytes_at_once: Quota = 16 << 20
    """Bytes of one sender that are read at once; one answer to a sync counts for no more. Each
    read, frame, heartbeat and mark counts for `framing.OVERHEAD` bytes more."""
    bytes_a_second: float = float(1 << 20)
    """Bytes of one sender that are read a second after that; what comes faster waits with it."""
    links: Quota = 64
    """Authenticated links; a preferred peer takes the place of another."""
    links_per_source: Quota = 32
    """Links from one machine (one IPv4 address, one IPv6 /64, one relay)."""
    link_ups_at_once: Quota = 8
    """Links that one identity may bring up in a row, each in the place of the one before."""
    link_ups_a_second: float = 0.2
    """Links that it may bring up a second after that. An honest one dials more slowly ([L-26])."""
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
