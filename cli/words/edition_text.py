"""The words for an edition: its name and size, what is its own, and the rules that it chooses."""

from __future__ import annotations

from typing import Final

from p2p_hoity.editions.received_edition import descent
from p2p_hoity.rules import Edition
from p2p_hoity.rules.edition import COLOURS

from .card_names import colour
from .translation import N_, _, listed

VARIANTS: Final = {
    "surprise": N_("Surprise: Place and Action are chosen together."),
    "confrontation": N_(
        "Confrontation: odd rounds in the Auction Hall, even rounds in the Castle;"
        " only an Action is chosen."
    ),
}
"""For each variant for two seats the sentence about its rules."""

PARTS: Final = {
    "name": N_("the spelling of its name"),
    "collectibles": N_("Collectibles"),
    "letters": N_("split by letter"),
    "years": N_("years"),
    "names": N_("names"),
    "colours": N_("colours"),
    "cash": N_("cash"),
    "thieves": N_("thieves"),
    "track": N_("track"),
    "action_choice": N_("when Actions are chosen"),
    "detective_in_hall": N_("the Detective in the Auction Hall"),
    "detective_rank": N_("when a Detective's rank is taken"),
}
"""The parts of an edition that can differ from the original or be reconstructed."""


def title(edition: Edition) -> str:
    """Return the name of an edition, and how it differs from the shipped one if it does."""
    found = descent(edition)
    if not found.original:
        return _("{name} (no edition of this program: cards and track are the host's own)").format(
            name=edition.name
        )
    if not found.changes:
        return edition.name
    what = listed(_(PARTS[part]) for part in found.changes)
    return _("{name}, changed ({what})").format(name=found.original, what=what)


def edition_lines(edition: Edition, variant: str = "") -> list[str]:
    """Return lines about an edition: its name, and the rules in which editions differ."""
    name, *reconstructed = card_lines(edition)
    chosen = _(VARIANTS[variant]) if variant else action_choice(edition)
    return [name, chosen, detective_in_hall(edition), detective_rank(edition), *reconstructed]


def card_lines(edition: Edition) -> list[str]:
    """Return an edition's name and size, colours of its own, and what no printed edition tells."""
    text = _("Edition: {name}, {size} Collectibles")
    lines = [text.format(name=title(edition), size=len(edition.collectibles))]
    names = tuple(one.name for one in edition.colours)
    if names != COLOURS:
        text = _("Colours: {colours}; so at most {most} seats can play.")
        lines.append(text.format(colours=listed(map(colour, names)), most=len(names)))
    if edition.reconstructed:
        what = listed(_(PARTS[part]) for part in edition.reconstructed)
        lines.append(_("Reconstructed, since no source prints it: {what}").format(what=what))
    return lines


# Switches


def action_choice(edition: Edition) -> str:
    """Return the sentence about when Actions are chosen at a table of three or more seats."""
    if edition.switches.action_choice == "staged":
        return _("The Castle's Actions are chosen after the sale.")
    return _("All Actions are chosen at once, before the sale.")


def detective_in_hall(edition: Edition) -> str:
    """Return the sentence about whether a Detective may be played in the Auction Hall."""
    if edition.switches.detective_in_hall:
        return _("A Detective may be played in the Auction Hall, and does nothing there.")
    return _("No Detective in the Auction Hall.")


def detective_rank(edition: Edition) -> str:
    """Return the sentence about when a Detective's rank on the score track is determined."""
    if edition.switches.detective_rank == "after":
        return _("A Detective's rank is taken after the Exhibits have moved.")
    return _("A Detective's rank is taken before the Exhibits move.")
