"""What a choice can be refused for by the rules, marked for the catalogues."""

from __future__ import annotations

from typing import Final

from .lingo import N_, _

RULES: Final = frozenset(
    {
        N_("an exhibit is of three or more Collectibles"),
        N_("the Auction Hall is open only while a window holds a Collectible"),
        N_("the Auction Hall needs an Action card that may be played there"),
        N_("the Action card is not in its hand"),
        N_("it holds no Collectible in one of these slots"),
        N_("every Collectible of an exhibit is shown"),
        N_("that window is empty"),
        N_("the letters of an exhibit form an unbroken run"),
        N_("a Thief takes one Collectible from every exhibit that still has one"),
    }
)
"""What a choice can be refused for; see p2p_hoity.rules.legality."""


def said(rule: str) -> str:
    """A rule in the language spoken."""
    return _(rule)
