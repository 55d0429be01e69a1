"""An edition in words: its name, in what it is not the one of that name, and its switches."""

from __future__ import annotations

from typing import Any, Final

from p2p_hoity.editions import descent
from p2p_hoity.rules import Edition

from .card_names import listed
from .translation import N_, _

RECONSTRUCTIBLE: Final = {
    "letters": N_("split by letter"),
    "years": N_("years"),
    "names": N_("names"),
    "cash": N_("cash"),
    "thieves": N_("thieves"),
    "track": N_("track"),
}
"""What an edition may say is reconstructed."""

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
    name, *reconstructed = card_lines(edition)
    chosen = _(VARIANTS[variant]) if variant else action_choice(edition)
    return [name, chosen, detective_in_hall(edition), detective_rank(edition), *reconstructed]


def card_lines(edition: Edition) -> list[str]:
    """Return the edition's name and size, and what of it is reconstructed, if anything is."""
    text = _("Edition: {name}, {size} Collectibles")
    lines = [text.format(name=title(edition), size=len(edition.collectibles))]
    if edition.reconstructed:
        what = listed(_(RECONSTRUCTIBLE[part]) for part in edition.reconstructed)
        lines.append(_("Reconstructed, not printed in the sources: {what}").format(what=what))
    return lines


# The switches.


def action_choice(edition: Edition) -> str:
    """Return when Actions are chosen, where three seats or more play."""
    if edition.switches.action_choice == "staged":
        return _("The Castle's Actions are chosen after the sale.")
    return _("All Actions are chosen at once, before the sale.")


def detective_in_hall(edition: Edition) -> str:
    """Return whether a Detective may be played in the Auction Hall."""
    if edition.switches.detective_in_hall:
        return _("A Detective may be played in the Auction Hall, and does nothing there.")
    return _("No Detective in the Auction Hall.")


def detective_rank(edition: Edition) -> str:
    """Return when a Detective's rank is taken."""
    if edition.switches.detective_rank == "after":
        return _("A Detective's rank is taken after the Exhibits have moved.")
    return _("A Detective's rank is taken before the Exhibits move.")
