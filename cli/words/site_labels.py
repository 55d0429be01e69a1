"""The labels of the page that checks files. It has them before Python has started."""

from __future__ import annotations

from typing import Any

from protocol import transcript

from .. import version
from . import translation
from .translation import _


def site_labels() -> dict[str, str]:
    """Return all labels by their names, in the chosen language."""
    return {
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
        "loading": _("The program is loading …"),
        "not_loaded": _("The program could not be loaded whole. Load this page again."),
        "not_read": _("{file} cannot be read. It was perhaps moved or changed. Choose it again."),
        "not_started": _(
            "The program cannot start here: this browser is too old, or gives it too little memory."
        ),
        "one": _("These are several files. Choose one at a time."),
        "picture": _("save a picture of the game"),
        "starting": _("The program is starting …"),
        "title": _("Check and replay a game"),
        "watch": _("Watch the game"),
    }


def in_all_languages() -> dict[str, Any]:
    """Return what the page needs before it is told anything.

    The result has the labels and the name of each language by its code, the greatest size of a file
    in bytes, and the program's name and version.
    """
    languages = translation.in_each(site_labels)
    program = f"p2p-hoity {version()}".strip()
    return {"languages": languages, "most": transcript.MAX_FILE, "program": program}
