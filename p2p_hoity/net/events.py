"""What a hub tells its owner: a link is up, a link is down, a frame has come."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LinkUp:
    """A peer proved its 32-byte Ed25519 id on a new link; address is where it is reached."""

    peer: bytes
    address: str
    via_relay: bool


@dataclass(frozen=True)
class LinkDown:
    """The peer's only link is gone; frames posted on it may be lost. The reason is plain words."""

    peer: bytes
    reason: str


@dataclass(frozen=True)
class Frame:
    """One whole, non-empty frame from an authenticated peer."""

    peer: bytes
    data: bytes


Event = LinkUp | LinkDown | Frame
