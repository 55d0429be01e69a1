"""The numbers that bound what one relay gives to those who wait, call and talk through it."""

from __future__ import annotations

from dataclasses import dataclass, field

from protocol.bounds import Pace, Quota, Seconds

from ..net.link_limits import Limits
from ..net.secure_channel import LONGEST


@dataclass(frozen=True)
class RelayLimits:
    """Caps of one relay; times in seconds. As given they carry a thousand tables of six."""

    seats: Quota = 6_000
    """Ids that wait here."""
    seats_per_source: Quota = 256
    """The same, from one machine."""
    splices: Quota = 15_000
    """Pairs of connections spliced, or called and not yet taken."""
    splices_per_source: Quota = 256
    """The same, called from one machine."""
    splices_per_seat: Quota = 64
    """The same, to one id."""
    splice_bytes: Quota = 1 << 30
    """Bytes through one splice, both directions together."""
    idle: Seconds = 30.0
    """A splice without a byte in either direction for so long is cut; live links beat in it."""
    mailboxes: Quota = 4_000
    """Hosts that wait for a guest with a code."""
    mailboxes_per_source: Quota = 64
    """The same, from one machine."""
    mailbox_life: Seconds = 900.0
    """A mailbox that nobody has come to is closed after so long; hosts take a fresh one sooner."""
    mailbox_talk: Seconds = 30.0
    """Seconds from a guest's first word to the end of the conversation."""
    guesses: Pace = (12, 0.2)
    """Mailboxes that are asked for from one machine at once, found or not, and a second after
    that."""
    link: Limits = field(
        default_factory=lambda: Limits(
            frame=LONGEST, queue_bytes=1 << 14, bytes_read=(1 << 17, 8192)
        )
    )
    """Handshake time, heartbeats and unauthenticated connections, as for any hub; of those who
    wait here little but heartbeats is read."""
