"""The end of a table in words and for programs: standings, or why there are none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from p2p_hoity.rules import Standing
from p2p_hoity.session.access import TWO_ROSTERS
from p2p_hoity.session.driver import LEFT, STOPPED
from p2p_hoity.session.updates import Ended
from protocol import FAULTS, effects

from .cards import Names
from .lingo import N_, _
from .reasons import meaning

OURS: Final = {
    TWO_ROSTERS: N_("the host has given two rosters"),
    STOPPED: N_("stopped"),
    LEFT: N_("left for now"),
}
"""Why there is no result, where it is no code of the protocol."""


def why_ended(code: str) -> str:
    """Why there is no result: the second half of a sentence."""
    return _(OURS[code]) if code in OURS else meaning(code)


def ended(update: Ended, names: Names | None) -> str:
    """Return why there is no result, and whose doing it is as far as is known."""
    if update.code in FAULTS and update.seat is not None and names is not None:
        text = _("The table has ended without a result because {who} cheated: {reason} ({code}).")
        who = names.seat(update.seat)
        return text.format(who=who, reason=why_ended(update.code), code=update.code)
    text = _("The table has ended without a result: {reason}.")
    if update.code not in effects.ENDS:
        text = _("The table has ended without a result: {reason} ({code}).")
    told = text.format(reason=why_ended(update.code), code=update.code)
    if update.seat is None or names is None:
        return told
    if update.code == effects.SILENT_SEAT:
        return told + " " + _("Who was awaited: {who}.").format(who=names.seat(update.seat))
    if update.code == effects.SEAT_LEFT:
        return told + " " + _("Who has left: {who}.").format(who=names.seat(update.seat))
    return told + " " + _("Whose doing: {who}.").format(who=names.seat(update.seat))


def standings_json(lines: Iterable[Standing], nicknames: Sequence[str]) -> list[dict[str, Any]]:
    """The final ranks for a program."""
    return [
        {
            "rank": line.rank,
            "seat": line.seat,
            "nickname": nicknames[line.seat] if line.seat < len(nicknames) else "",
            "field": line.field,
            "exhibit": list(line.exhibit),
        }
        for line in lines
    ]
