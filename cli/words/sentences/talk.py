"""Why words of a player are not said, by code."""

from __future__ import annotations

from typing import Final

from ..translation import N_

TALK: Final = {
    "talk-off": N_("talk is switched off here (--no-talk)"),
    "talk-empty": N_("there is nothing to say"),
    "talk-too-long": N_("that is too long: {most} characters at most"),
    "talk-not-plain": N_("that has characters that may not stand in talk"),
    "talk-no-phrase": N_("there is no such phrase: their numbers end with {last}"),
    "talk-too-fast": N_("too much at once: wait a few seconds"),
    "talk-heard-by-nobody": N_("there is no link to a seat, so nobody would hear it"),
}
