"""The labels of the page that plays, for what it says before Python has started."""

from __future__ import annotations

from typing import Any

from . import translation
from .translation import _


def play_labels() -> dict[str, str]:
    """Return all labels by their names, in the chosen language."""
    return {
        "failed": _(
            "The program of this page has failed. Your seat is kept in this browser: load the page "
            "again to go on."
        ),
        "insecure": _(
            "This page needs https, since browsers keep no seat for a page without it. Ask whoever "
            "runs it for an address that begins with https://"
        ),
        "loading": _("The program is loading …"),
        "no_store": _(
            "This browser keeps nothing for this page, so your seat would be lost. Open the link "
            "in another browser, not inside a messenger and not in a private window."
        ),
        "no_ticket": _("This address leads to no table. Open the whole link that you were sent."),
        "not_loaded": _("The program could not be loaded whole. Load this page again."),
        "starting": _("The program is starting …"),
        "taken": _(
            "This table is open in another tab. Go on there, or close it and load this page."
        ),
    }


def in_all_languages() -> dict[str, Any]:
    """Return the labels and the name of each language by its code."""
    return {"languages": translation.in_each(play_labels)}
