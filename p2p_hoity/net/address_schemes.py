"""The two ways to reach a peer, and how an address says which of them it means."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Scheme(StrEnum):
    """The way to reach a peer at an address. A relay address begins with `relay+`."""

    TCP = "tcp"
    RELAY = "relay"
    """By a TCP connection to the relay at which the peer waits."""


RELAY_PREFIX: Final = f"{Scheme.RELAY}+"
