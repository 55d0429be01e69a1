"""An edition in words: its name, in what it is not the one of that name, and its switches."""

from __future__ import annotations

from typing import Any, Final

from p2p_hoity.editions import descent
from p2p_hoity.rules import Edition

from .cards import listed
from .lingo import N_, _

RECONSTRUCTIBLE = frozenset({N_("years"), N_("names"), N_("cash"), N_("thieves"), N_("track")})

VARIANTS: Final = {
    "surprise": N_("Surprise: Place and Action are chosen together."),
    "confrontation": N_(
        "Confrontation: odd rounds in the Auction Hall, even rounds in the Castle;"
        " only an Action is chosen."
    ),
}
"""What each variant for two seats changes, in the terms as in the rules."""

CHANGED: Final = {
    "name": N_("the spelling of its name"),
    "collectibles": N_("Collectibles"),
    "cash": N_("cash"),
    "thieves": N_("thieves"),
    "track": N_("track"),
    "action_choice": N_("when Actions are chosen"),
    "detective_in_hall": N_("the Detective in the Auction Hall"),
    "detective_rank": N_("when a Detective's rank is taken"),
}
"""What can be another than in the edition whose name is borne."""


def title(edition: Edition) -> str:
    """Its name; with what is changed, if it bears the name of another; said to be the host's own,
    if it is none of those that come with the program."""
    found = descent(edition)
    if not found.original:
        return _("{name} (no edition of this program: cards and track are the host's own)").format(
            name=edition.name
        )
    if not found.changes:
        return edition.name
    what = listed(_(CHANGED[part]) for part in found.changes)
    return _("{name}, changed ({what})").format(name=found.original, what=what)


def as_json(edition: Edition) -> dict[str, Any]:
    """The same for a program: `changed` is null if the edition has a name of its own."""
    found = descent(edition)
    changed = list(found.changes) if found.original else None
    return {"edition": edition.name, "changed": changed}


def edition_lines(edition: Edition, variant: str = "") -> list[str]:
    """The edition and its switches; a variant says itself when Actions are chosen."""
    switches = edition.switches
    lines = [
        _("Edition: {name}, {size} Collectibles").format(
            name=title(edition), size=len(edition.collectibles)
        ),
        _(VARIANTS[variant])
        if variant
        else _("The Castle's Actions are chosen after the sale.")
        if switches.action_choice == "staged"
        else _("All Actions are chosen at once, before the sale."),
        _("A Detective may be played in the Auction Hall.")
        if switches.detective_in_hall
        else _("No Detective in the Auction Hall."),
        _("A Detective's rank is taken after the Exhibits have moved.")
        if switches.detective_rank == "after"
        else _("A Detective's rank is taken before the Exhibits move."),
    ]
    if edition.reconstructed:
        what = listed(_(part) for part in edition.reconstructed)
        lines.append(_("Reconstructed, not printed in the sources: {what}").format(what=what))
    return lines
