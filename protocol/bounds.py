"""Types that mark the waits and the counters of the program.

Each constant or field of one of these types stands in a table of docs/adversity.md, which says
what it is counted from, who can influence it, and what follows.
"""

from __future__ import annotations

from typing import TypeAlias

Seconds: TypeAlias = float
"""How long is waited for something, or how often something is done; in seconds."""
Milliseconds: TypeAlias = int
"""The same in milliseconds, as the terms of a table name it."""
Quota: TypeAlias = int
"""How much of something that others can cause is kept, served or tried."""
Pace: TypeAlias = tuple[float, float]
"""How much that others can cause is taken at once, and how much a second after that."""
