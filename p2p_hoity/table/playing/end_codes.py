"""The codes of ends of a table without a result that are no codes of the protocol."""

from __future__ import annotations

from typing import Final

STOPPED: Final = "stopped"
"""The code at a peer that stopped while the table went on."""
LEFT: Final = "left"
"""The code at a peer whose player has left for now."""
TWO_ROSTERS: Final = "two-rosters"
"""The code of a table whose host has signed two rosters for the same terms."""
