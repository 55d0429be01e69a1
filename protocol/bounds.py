"""Type aliases for the durations and limits of the program, in seconds, milliseconds or counts.

Each constant and field of these types has a row in a table in docs/adversity.md. The row says when
the duration or limit begins to count, who can influence it, and what follows.
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
