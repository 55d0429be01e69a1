"""Codes in words: what a host says instead of its ticket, and what became of the last one."""

from __future__ import annotations

from typing import Final

from p2p_hoity.presentation.screen_updates import Code, CodeEnd

from .commands import INSTALLED
from .translation import N_, _, span

AFTER: Final = {
    CodeEnd.USED: N_("A guest has the ticket by the code; here is another."),
    CodeEnd.WRONG: N_(
        "Somebody tried the code with wrong words, or broke off: it is burned. Here is another."
    ),
    CodeEnd.OLD: N_("The time of the code is over; here is another."),
    CodeEnd.LOST: N_("There is a relay again, and another code: the last one is worth nothing."),
}


def whole(code: Code) -> str:
    """The code with its relay: what a guest types who keeps no relay, or another."""
    return f"{code.code}@{code.relay}"


def invitation(code: Code) -> list[str]:
    """What became of the last code, the one there is now, and what it is good for."""
    told = [] if code.after is None else [_(AFTER[code.after])]
    words = _("CODE  {code}  say it to one of the others, who types: {hoity} join {whole}")
    told.append(words.format(code=code.code, hoity=INSTALLED, whole=whole(code)))
    time = span(round(code.seconds * 1000))
    return [*told, _("It is good for one guest and one try, for {time}.").format(time=time)]
