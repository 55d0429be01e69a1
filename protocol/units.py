"""Type aliases that say the unit of a number or the size of a byte string.

Each constant and field of the types `Seconds`, `Milliseconds`, `Quota` and `Pace` has a row in a
table in docs/adversity.md. The row says when the duration or limit begins to count, who can
influence it, and what follows.
"""

from __future__ import annotations

from typing import TypeAlias

Seconds: TypeAlias = float
"""A duration in seconds: how long a wait is, or how often something is done."""
Milliseconds: TypeAlias = int
"""A duration in milliseconds, as the terms of a table name it."""
Quota: TypeAlias = int
"""A bound on what other seats can cause this program to store, answer or try."""
Pace: TypeAlias = tuple[float, float]
"""A token bucket for what others can cause: its size, and how much it regains each second."""
DriverTime: TypeAlias = float
"""A time on the monotonic clock that a driver passes to its state machine, in seconds."""
PeerId: TypeAlias = bytes
"""The Ed25519 public key by which a peer proves who it is, 32 bytes."""
TableId: TypeAlias = bytes
"""The hash of a table's header, 32 bytes."""
