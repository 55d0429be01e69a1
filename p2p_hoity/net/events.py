"""What a hub tells its owner: a link is up, a link is down, a frame has come."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..errors import Reason


@dataclass(frozen=True)
class LinkUp:
    """A peer proved its 32-byte Ed25519 id on a new link; address is where it is reached.

    `binding` is the same at both ends of this link and at no other. `again`: it took the place of
    one with the same process of the peer.
    """

    peer: bytes
    address: str
    via_relay: bool
    binding: bytes = field(default=b"", compare=False, repr=False)
    again: bool = field(default=False, compare=False)


@dataclass(frozen=True)
class LinkDown:
    """The peer's only link is gone; frames posted on it may be lost."""

    peer: bytes
    reason: Reason


@dataclass(frozen=True)
class Frame:
    """One whole, non-empty frame from an authenticated peer."""

    peer: bytes
    data: bytes


@dataclass(frozen=True)
class LinkedElsewhere:
    """The peer lets us not in: it has a live link with another process of this very identity."""

    peer: bytes


Event = LinkUp | LinkDown | Frame | LinkedElsewhere
