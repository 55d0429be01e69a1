"""The end of a table in words and for programs: who has won, or why there is no result, and why the
same people do not play again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence, Set
from pathlib import Path
from typing import Any, Final

from p2p_hoity.presentation.screen_updates import Ended, Presence
from p2p_hoity.rules import Standing
from p2p_hoity.storage.home import home
from p2p_hoity.table.frame_access import TWO_ROSTERS
from p2p_hoity.table.session import LEFT, STOPPED
from protocol import FAULTS, effects

from .card_names import Names, listed
from .presence import OUT
from .reasons import meaning
from .translation import N_, _, count

GAME: Final = re.compile(r"([0-9a-f]{16})\.hoity")
"""The file of a finished game in its player's own folder."""
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
    if update.by is not None and names is not None:
        text = _(
            "The table has ended without a result. {by} announced it: {reason} ({code}). Your own"
            " program has not seen that."
        )
        by = names.seat(update.by)
        told = text.format(by=by, reason=why_ended(update.code), code=update.code)
        if update.seat is None:
            return told
        return told + " " + _("{by} names {who}.").format(by=by, who=names.seat(update.seat))
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


def victory(standings: Sequence[Standing], names: Names) -> str:
    """Return in a few words who has won."""
    first = [line.seat for line in standings if line.rank == 1]
    if first == [names.mine]:
        return _("You win")
    if len(first) == 1:
        return _("{who} wins").format(who=names.short(first[0]))
    return _("Shared first rank: {who}").format(who=names.shorts(first))


def won(standings: Sequence[Standing], names: Names) -> str:
    """Return who has won, where the figure stands, and how far ahead of the next rank."""
    rest = [line for line in standings if line.rank > 1]
    field = standings[0].field
    if not rest or standings[1].rank == 1:
        text = _("{victory}, with field {field}.")
        return text.format(victory=victory(standings, names), field=field)
    lead = field - rest[0].field
    text = _("{victory} with field {field}, level with {others}, by the better final exhibit.")
    if lead:
        text = count(
            "{victory} with field {field}, {lead} field ahead of {others}.",
            "{victory} with field {field}, {lead} fields ahead of {others}.",
            lead,
        )
    others = listed(names.nicknames[line.seat] for line in rest if line.rank == rest[0].rank)
    return text.format(victory=victory(standings, names), field=field, lead=lead, others=others)


def no_other_game(
    unwilling: Set[int],
    mine: int | None,
    by_bot: bool,
    found: Sequence[Presence],
    named: Callable[[Sequence[int]], str],
) -> str:
    """Return why the same people do not play again.

    Args:
        unwilling: The seats that have not agreed.
        mine: One's own seat, None for an onlooker.
        by_bot: Whether a bot plays it.
        found: How each seat is there, as far as it is known; who is out was not asked.
        named: Names several seats.
    """
    others = sorted(seat for seat in unwilling if seat != mine)
    why = [_("no yes from {who}").format(who=named(others))] if others else []
    if mine is not None and mine in unwilling:
        words = (
            N_("a bot held your seat, so you did not agree") if by_bot else N_("you did not agree")
        )
        if mine < len(found) and found[mine] in OUT:
            words = N_("you were not at the table at the end, and were not asked")
        why.append(_(words))
    return _("No other game with the same people: {why}.").format(why="; ".join(why))


def kept_as(transcript: Path) -> tuple[str, str]:
    """Return where a game's transcript is, and the command that checks it.

    A game of one's own home is known to `hoity verify` by its name.
    """
    name = GAME.fullmatch(transcript.name)
    shown = name[1] if name and transcript.parent == home().transcripts else transcript
    told = _("Transcript: {path}").format(path=transcript)
    return told, _("Check it with: hoity verify {game}").format(game=shown)


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
