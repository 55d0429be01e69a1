"""The types that mark the waits and the quotas of the program.

Each constant or field of one of these types stands in a table of docs/adversity.md. The table says
from when it counts, who can influence it, and what follows.
"""

from __future__ import annotations

from typing import TypeAlias

Seconds: TypeAlias = float
"""A duration in seconds: how long is waited for something, or how often something is done."""
Milliseconds: TypeAlias = int
"""A duration in milliseconds, as the terms of a table name it."""
Quota: TypeAlias = int
"""A bound on how much of something that others can cause is stored, answered or tried."""
Pace: TypeAlias = tuple[float, float]
"""A token bucket for what others can cause: how much at once, and how much a second after that."""
