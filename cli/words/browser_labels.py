"""The labels of the pages in a browser, which speak before their Python has started."""

from __future__ import annotations

from typing import Any

from protocol import transcript

from . import translation
from .translation import _


def _starting() -> dict[str, str]:
    """Return the labels about the start of a page."""
    return {
        "loading": _("The program is loading …"),
        "not_loaded": _("The program could not be loaded whole. Load this page again."),
        "starting": _("The program is starting …"),
    }


def site_labels() -> dict[str, str]:
    """Return the labels of the page that checks files, by their names."""
    return {
        **_starting(),
        "about": _(
            "Every signature, proof, commitment and rule in the file is checked here, by the same "
            "program that plays the game. The file stays in this browser: nothing is sent anywhere."
        ),
        "cancel": _("Cancel"),
        "cancelled": _("Cancelled. {file} was not checked."),
        "checking": _("Checking {file} …"),
        "checking_step": _("Checking {file}: step {done} of {total}"),
        "choose": _("Choose a file"),
        "choose_other": _("Choose another file"),
        "drop": _("or drop it here: the file of a game (.hoity), or a result certificate"),
        "failed": _(
            "The check of {file} has ended without a verdict. Either this browser gave it too "
            "little memory, or this program has a bug. This says nothing about the file."
        ),
        "language": _("Language"),
        "not_read": _("{file} cannot be read. It was perhaps moved or changed. Choose it again."),
        "not_started": _(
            "The program cannot start here: this browser is too old, or gives it too little memory."
        ),
        "one": _("These are several files. Choose one at a time."),
        "picture": _("save a picture of the game"),
        "title": _("Check and replay a game"),
        "watch": _("Watch the game"),
    }


def play_labels() -> dict[str, str]:
    """Return the labels of the page that plays, by their names."""
    return {
        **_starting(),
        "ask_guests": _("Ask me about each guest"),
        "begin": _("Open a table"),
        "failed": _(
            "The program of this page has failed. Your seat is kept in this browser: load the page "
            "again to go on."
        ),
        "front": _(
            "Hoity Toity is a game of collecting and bluffing for two to six players. Nothing has "
            "to be installed: this page shuffles, deals and checks every move together with the "
            "programs of the others."
        ),
        "go_back": _("Back to your last table in this browser"),
        "insecure": _(
            "This page needs https, since browsers keep no seat for a page without it. Ask whoever "
            "runs it for an address that begins with https://"
        ),
        "join": _("Sit down"),
        "join_word": _("A link, a ticket or a code that you were given"),
        "name": _("Your nickname (empty: a new one at each table)"),
        "no_store": _(
            "This browser stores nothing for this page, so nobody can play in it. If the disk is "
            "full, make room, start the browser again, and open this address again. Otherwise open "
            "the link in another browser, not inside a messenger and not in a private window."
        ),
        "seats": _("Seats, yours included"),
        "taken": _(
            "This table is open in another tab. Go on there, or close it and load this page."
        ),
        "trust": trust(),
        "watch": _("Only watch"),
    }


def trust() -> str:
    """Return whom somebody has to trust who plays in a page of `{server}`."""
    return _(
        "You play in a page of {server}. Whoever runs it could change the page, and then see "
        "your cards and play for you. A program of your own trusts nobody."
    )


def play_start() -> dict[str, Any]:
    """Return what the page that plays needs before it is told anything.

    The result has the labels and the name of each language by its code.
    """
    return {"languages": translation.in_each(play_labels)}


def site_start() -> dict[str, Any]:
    """Return what the page that checks files needs before it is told anything.

    The result has the labels and the name of each language by its code, and the greatest size of a
    file in bytes.
    """
    return {"languages": translation.in_each(site_labels), "most": transcript.MAX_FILE}
