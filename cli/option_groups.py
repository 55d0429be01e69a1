"""The headings under which a long help shows its options."""

from __future__ import annotations

from typing import Final

from .words.translation import N_

GROUPS: Final = {
    N_("Table"): (
        "seats",
        "bots",
        "edition",
        "variant",
        "action_choice",
        "detective_in_hall",
        "detective_rank",
        "quorum",
        "patience",
        "step_patience",
    ),
    N_("Who can come"): ("lan", "asks", "no_watch", "qr"),
    N_("Network"): ("listen", "relay", "relay_only", "advertise", "proxy", "no_map"),
}
"""Heading to the names of the parameters below it."""
OTHERS: Final = N_("Your seat and the screen")
"""The heading of all other options."""
MANY: Final = 14
"""Options from which on a help is divided."""


def heading_of(name: str) -> str:
    """Return the heading of the parameter with this name."""
    return next((heading for heading, names in GROUPS.items() if name in names), OTHERS)
