"""The ways to reach a peer, and how an address says which of them it means."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Scheme(StrEnum):
    """The way to reach a peer at an address. The address of a relay begins with `relay+`."""

    TCP = "tcp"
    RELAY = "relay"
    """By a TCP connection to the relay at which the peer waits."""
    WSS = "wss"
    """By a WebSocket through TLS of the web to the relay at which the peer waits."""
    WS = "ws"
    """By a WebSocket without TLS to the relay at which the peer waits."""


RELAY_PREFIX: Final = f"{Scheme.RELAY}+"
WEB: Final = (Scheme.WSS, Scheme.WS)
"""The schemes of relays that are reached by WebSocket."""
PATH: Final = "/hoity"
"""The path of a relay's WebSocket."""
WEB_PORTS: Final = {Scheme.WSS: 443, Scheme.WS: 80}
"""The ports that a URL of these schemes has if it names none (RFC 6455, section 3)."""
