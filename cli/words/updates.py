"""The end of a table in words and for programs: standings, or why there are none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from p2p_hoity.rules import Standing
from p2p_hoity.session.updates import Ended

from .cards import Names
from .lingo import _
from .phrase_book import said


def ended(update: Ended, names: Names | None) -> str:
    """Why there is no result, and whose doing it is as far as is known."""
    text = _("The table has ended without a result: {reason} ({code}).")
    if not update.code:
        text = _("The table has ended without a result: {reason}.")
    told = text.format(reason=said(update.reason), code=update.code)
    if update.seat is None or names is None:
        return told
    if not update.code:
        return told + " " + _("Who was awaited: {who}.").format(who=names.seat(update.seat))
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
