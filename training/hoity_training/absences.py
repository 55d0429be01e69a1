"""Who goes and comes back while games are played: absent company is learned too."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .sim import Presence, Table


@dataclass(frozen=True)
class Absences:
    """At each point: how likely a seat that is there goes, and one that is not comes back."""

    goes: float = 0.0005
    comes: float = 0.05
    stay: int = 2
    """No seat goes where no more than so many are there."""

    def happen(self, table: Table, rng: np.random.Generator) -> None:
        """Some go, some come back, in games that have a choice due."""
        point, present = table.step(), table.board.present
        if point is None:
            return
        drawn = rng.random(present.shape)
        enough = present.sum(axis=1, keepdims=True) > self.stay
        goes = present & enough & (drawn < self.goes)
        goes &= goes.cumsum(axis=1) == 1
        changed = goes | (~present & (drawn < self.comes))
        games = np.unique(point.games)
        games = games[changed[games].any(axis=1)]
        if len(games):
            after = present[games] ^ changed[games]
            table.change(Presence(games, after, np.zeros_like(after)))
