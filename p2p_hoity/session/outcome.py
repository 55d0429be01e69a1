"""How a table ended for one node: with a result, with a claim, or not at all; what follows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from .. import rules
from ..net.events import Event
from .access import TwoTables
from .settling import Agreed

STOPPED: Final = "stopped"
"""Why this node left a table that goes on without it."""
LEFT: Final = "left"
"""The player has left for now."""


@dataclass(frozen=True)
class Outcome:
    """How a table ended for this node.

    `code`: why there is no result, None if there is one: STOPPED, LEFT, TWO_ROSTERS, or that of
    `Broken`.
    `seat`: whose doing that is, if known.
    `kept`: its journal stays: the game had begun, and can be saved as a claim; of a player who has
    left also resumed.
    `again`: the next table, if all want another game; `early`: what came for it already.
    """

    transcript: Path | None
    standings: tuple[rules.Standing, ...] = ()
    code: str | None = None
    seat: int | None = None
    kept: bool = False
    evidence: TwoTables | None = None
    again: Agreed | None = None
    early: Sequence[Event] = ()
