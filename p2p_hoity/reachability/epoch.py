"""A router's own clock: whether it has started anew since it answered last (RFC 6887, 8.5)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Epoch:
    """The last answer's clock, and ours at that time; both in seconds."""

    theirs: int | None = None
    ours: float = 0.0

    def is_new(self, theirs: int, ours: float) -> bool:
        """Take in an answer's clock; whether the router has forgotten all it had given before."""
        before, then = self.theirs, self.ours
        self.theirs, self.ours = theirs, ours
        if before is None:
            return False
        if theirs + 1 < before:
            return True
        server, client = theirs - before, int(ours) - int(then)
        return client + 2 < server - server // 16 or server + 2 < client - client // 16
